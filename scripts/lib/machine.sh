# shellcheck shell=bash
# A Debian with an init system of its own, in namespaces of its own: processes, mounts, names, control
# groups, and a network of nothing but its loopback device. A kind of lab sets
#
#   MACHINE_INIT       systemd or openrc
#   MACHINE_PACKAGES   what its tree has beside a minimal Debian, with commas between

start_lab() {
  need_tools debootstrap=debootstrap unshare=util-linux
  machine_tree
  mkdir -p "$STATE"/{upper,work,tree,share,cgroup}
  mount -t overlay overlay -o "lowerdir=$MACHINE_TREE,upperdir=$STATE/upper,workdir=$STATE/work" "$STATE/tree"
  mkdir -p "$STATE/tree/share" "$STATE/tree/.old"
  mount --bind "$STATE/share" "$STATE/tree/share"
  mount -t cgroup2 cgroup2 "$STATE/cgroup"
  mkdir -p "$STATE/cgroup/incudal-lab-$LAB"
  # shellcheck disable=SC2016 # the inner shells expand them
  setsid bash -c 'echo $$ >"$1/cgroup.procs" && exec unshare --mount --uts --ipc --pid --net --cgroup \
    --fork --kill-child bash "$2" "$3" "$4"' lab "$STATE/cgroup/incudal-lab-$LAB" \
    "$TOP/scripts/lib/machine-init.sh" "$STATE/tree" "$MACHINE_INIT" </dev/null >"$STATE/console" 2>&1 &
  process_record $! "$STATE/machine"
  wait_until 30 machine_is_up || die "$MACHINE_INIT does not come up: $(tail -n 20 "$STATE/console")"
  setting LAB_KIND "$MACHINE_INIT"
  setting LAB_STATE "$STATE"
  setting LAB_SHARE "$STATE/share"
}

# Made once, and used as the lower layer of every such lab. Sets MACHINE_TREE.
machine_tree() {
  MACHINE_TREE=$LAB_CACHE/machine-$MACHINE_INIT-$(cksum <<<"$LAB_SUITE $MACHINE_PACKAGES" | cut -d' ' -f1)
  mkdir -p "$LAB_CACHE"
  exec 8>"$LAB_CACHE/lock"
  flock 8
  if [ ! -d "$MACHINE_TREE" ]; then
    say "debootstrap of a Debian with $MACHINE_INIT (once; kept in $LAB_CACHE)"
    # Others are not removed: a lab may run on them.
    rm -rf "$MACHINE_TREE.part"
    debootstrap --variant=minbase "--include=$MACHINE_PACKAGES" "$LAB_SUITE" "$MACHINE_TREE.part" "$LAB_MIRROR" \
      >"$LAB_CACHE/machine.log" 2>&1 || die "debootstrap failed: $(tail -n 3 "$LAB_CACHE/machine.log")"
    rm -rf "$MACHINE_TREE.part"/var/cache/apt/archives/*.deb
    : >"$MACHINE_TREE.part/etc/machine-id"
    mv "$MACHINE_TREE.part" "$MACHINE_TREE"
  fi
  exec 8>&-
}

# The first process of the lab, as this machine numbers it.
machine_pid() {
  local outer
  outer=$(process_alive "$STATE/machine") && pgrep -P "$outer" | head -n 1
}

in_machine() { nsenter -t "$(machine_pid)" -m -u -i -p -n -C -r -w -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

machine_is_up() {
  case $MACHINE_INIT in
    systemd) in_machine systemctl is-system-running | grep -qE 'running|degraded' ;;
    openrc) in_machine rc-status -r | grep -qx default ;;
  esac
}

lab_run() { in_machine "$@"; }

# In place of this shell, so that a signal to it reaches the command.
lab_net() { exec nsenter -t "$(machine_pid)" -n -- "$@"; }

lab_runs() { [ -n "$(machine_pid 2>/dev/null)" ]; }

stop_lab() {
  process_end "$STATE/machine" KILL 5
  local group=$STATE/cgroup/incudal-lab-$LAB i
  for ((i = 0; i < 100; i++)); do
    [ -d "$group" ] || break
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
  done
}
