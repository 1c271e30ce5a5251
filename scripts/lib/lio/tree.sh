# shellcheck shell=bash
# The Debian tree that the lab's kernel boots on, and that kernel itself. Made once, never changed.

# Older User-Mode-Linux kernels die on processors with large register sets ("ptrace set fp regs
# failed"); newer ones may change what the tests measure. So the version is pinned.
UML_VERSION=7.2um1
UML_SNAPSHOT=20261130T000000Z
TREE_PACKAGES=dbus,docker.io,docker-cli,iproute2,kmod,libiscsi-bin,socat,targetcli-fb
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Where the tree lies; another one for other contents.
tree_dir() { echo "$LAB_CACHE/lio-$(sha256sum <<<"$UML_VERSION $TREE_PACKAGES" | cut -c1-16)"; }

tree_made() { [ -s "$1/made" ]; }

# tree_make DIR: unless it is there; the file `made` in it says what it holds
tree_make() {
  local dir=$1
  mkdir -p "$dir"
  exec 8>"$dir/lock"
  flock 8
  if ! tree_made "$dir"; then
    need_tools debootstrap=debootstrap dpkg-deb=dpkg flock=util-linux
    tree_debootstrap "$dir" 8>&-
  fi
  exec 8>&-
}

tree_debootstrap() { # DIR
  local dir=$1 new=$1/new log=$1/make.log deb=${INCUDAL_LAB_UML_DEB:-}
  rm -rf "$new" "$dir/root" "$dir/uml"
  say "debootstrap trixie from $LAB_MIRROR (once; kept in $dir)"
  debootstrap --variant=minbase --keyring="$DEBIAN_KEYRING" \
    --include="$TREE_PACKAGES" trixie "$new" "$LAB_MIRROR" >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    die "debootstrap failed: is a Debian mirror reachable? (INCUDAL_LAB_MIRROR names another)"
  }
  if [ -z "$deb" ]; then
    fetch_uml "$dir/uml" >>"$log" 2>&1 || die "cannot download the package user-mode-linux" \
      "$UML_VERSION (log: $log); name a file of it: INCUDAL_LAB_UML_DEB=user-mode-linux_….deb"
    deb=$(echo "$dir"/uml/user-mode-linux_*.deb)
    [[ $deb == *_${UML_VERSION}_* ]] ||
      say "WARNING: user-mode-linux $UML_VERSION cannot be had any more; taking ${deb##*/}"
  fi
  dpkg-deb --fsys-tarfile "$deb" | tar -C "$new" -x ./usr/bin/linux.uml ./usr/lib/uml/modules
  mkdir -p "$new/usr/lib/modules" "$new/dev/net"
  mv "$new"/usr/lib/uml/modules/* "$new/usr/lib/modules/"
  chroot "$new" depmod -a "$(ls "$new/usr/lib/modules")"
  : >"$new/etc/resolv.conf"
  rm -rf "$dir/uml" "$new"/var/cache/apt/* "$new"/var/lib/apt/lists/* \
    "$new"/usr/share/doc/* "$new"/usr/share/man/* "$new"/usr/share/locale/*
  mv "$new" "$dir/root"
  {
    chroot "$dir/root" dpkg-query -W targetcli-fb python3-rtslib-fb docker.io
    basename "$deb"
  } >"$dir/made.new"
  mv "$dir/made.new" "$dir/made"
}

# Downloads the kernel's package with an apt state of its own: the pinned version from the mirror,
# else from Debian's archive of snapshots, else the one that the mirror has.
fetch_uml() { # DIR
  local source options=(
    -qq -o "Dir::Etc::sourcelist=$1/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1" -o APT::Sandbox::User=root
    -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false)
  mkdir -p "$1/lists/partial" "$1/archives/partial"
  for source in "$LAB_MIRROR" "http://snapshot.debian.org/archive/debian/$UML_SNAPSHOT"; do
    fetch_uml_from "$1" "$source" "=$UML_VERSION" && return 0
  done
  fetch_uml_from "$1" "$LAB_MIRROR" ""
}

fetch_uml_from() { # DIR MIRROR =VERSION
  echo "deb [arch=amd64 signed-by=$DEBIAN_KEYRING] $2 sid main" >"$1/sources.list"
  apt-get "${options[@]}" update && (cd "$1" && apt-get "${options[@]}" download "user-mode-linux$3")
}
