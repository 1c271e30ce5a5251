# shellcheck shell=bash
# A private Docker engine, and the images of the lab without a registry.
#
# The engine is the first process of a pid and mount namespace of its own: when that process ends,
# for whatever reason, every container, shim and mount of the engine ends with it.

LAB_CACHE=${INCUDAL_LAB_CACHE:-/var/cache/incudal-lab}
LAB_MIRROR=${INCUDAL_LAB_MIRROR:-http://deb.debian.org/debian}
LAB_SUITE=bookworm
ENGINE_SPACES=() ENGINE_PREPARE=: ENGINE_OPTIONS=()

engine_answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# engine_start DIR NAME: sets DOCKER_HOST; the user's own engine is taken when it is named. A private one
# gets the further namespaces ENGINE_SPACES, the commands ENGINE_PREPARE in them, and ENGINE_OPTIONS.
engine_start() {
  local dir=$1 name=$2
  if [ -n "${INCUDAL_LAB_DOCKER_HOST:-}" ]; then
    need_tools 'docker=docker-cli|docker.io'
    export DOCKER_HOST=$INCUDAL_LAB_DOCKER_HOST
    engine_answers || die "the engine at INCUDAL_LAB_DOCKER_HOST=$DOCKER_HOST does not answer"
    # It outlives the lab, so what the lab leaves on it has to be found again.
    echo "$DOCKER_HOST" >"$dir/engine.user"
    return 0
  fi
  need_tools 'dockerd=docker.io' 'docker=docker-cli|docker.io' 'unshare=util-linux'
  export DOCKER_HOST=unix://$dir/docker.sock
  local options=(
    --bridge=none --iptables=false --ip6tables=false
    # systemd would be told process ids of the private namespace
    --exec-opt native.cgroupdriver=cgroupfs --cgroup-parent="/incudal-lab-$name"
    "${ENGINE_OPTIONS[@]}" -H "$DOCKER_HOST" --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/dockerd.pid"
  )
  # bash stays the namespace's first process and reaps the shims that lost their parent. Its mounts are
  # shared, as on a host with systemd, among what it starts.
  # shellcheck disable=SC2016 # the inner shell expands it
  setsid unshare --mount --pid "${ENGINE_SPACES[@]}" --fork --kill-child --mount-proc --propagation slave \
    bash -c "mount --make-rshared /; $ENGINE_PREPARE"'; dockerd "$@" & wait' dockerd "${options[@]}" \
    </dev/null >"$dir/dockerd.log" 2>&1 &
  process_record "$!" "$dir/engine.process"
  wait_until 60 engine_answers_or_gone "$dir" && engine_answers && return 0
  tail -n 15 "$dir/dockerd.log" >&2
  die "the Docker engine did not start (log above)"
}

engine_answers_or_gone() { engine_answers || ! process_alive "$1/engine.process"; }

engine_stop() { # DIR NAME
  process_end "$1/engine.process" KILL 10
  # The groups of containers that were killed; empty ones only can be removed.
  find /sys/fs/cgroup -depth -type d -path "*/incudal-lab-$2*" -exec rmdir {} + 2>/dev/null || true
}

# docker_image NAME DIR: builds the Dockerfile in DIR. The result is kept as a file.
docker_image() {
  local name=$1 dir=$2 key file
  key=$({
    find "$dir" -type f -print0 | sort -z | xargs -0 cat
    echo "$LAB_SUITE ${INCUDAL_LAB_BASE:-debootstrap}"
  } | sha256sum | cut -c1-16)
  IMAGE=incudal-agent-$name:lab-$key
  docker image inspect "$IMAGE" >/dev/null 2>&1 && return 0
  mkdir -p "$LAB_CACHE"
  file=$LAB_CACHE/image-$name-$key.tar
  exec 8>"$LAB_CACHE/lock"
  flock 8
  if [ -s "$file" ] && docker load -q -i "$file" >/dev/null; then
    exec 8>&-
    return 0
  fi
  debian_base
  say "building the $name image"
  DOCKER_BUILDKIT=0 docker build --quiet --network host --build-arg "BASE=$DEBIAN_BASE" \
    -t "$IMAGE" "$dir" >"$LAB_CACHE/build-$name.log" 2>&1 || {
    tail -n 15 "$LAB_CACHE/build-$name.log" >&2
    die "cannot build $dir/Dockerfile (it needs a Debian mirror; log above)"
  }
  rm -f "$LAB_CACHE/image-$name-"*.tar
  docker save -o "$file.new" "$IMAGE" && mv "$file.new" "$file"
  exec 8>&-
}

# Sets DEBIAN_BASE to a minimal Debian image in the engine, from debootstrap unless INCUDAL_LAB_BASE
# names one that the engine has or can pull. Its tarball is made once; the cache's lock is to be held.
debian_base() {
  local file=$LAB_CACHE/debian-$LAB_SUITE.tar
  DEBIAN_BASE=${INCUDAL_LAB_BASE:-}
  [ -z "$DEBIAN_BASE" ] || return 0
  DEBIAN_BASE=incudal-lab/debian:$LAB_SUITE
  if [ ! -s "$file" ]; then
    need_tools debootstrap=debootstrap
    debian_tarball "$file"
  fi
  docker import "$file" "$DEBIAN_BASE" >/dev/null
}

debian_tarball() { # FILE
  local root
  say "debootstrap $LAB_SUITE from $LAB_MIRROR (once; kept in $LAB_CACHE)"
  rm -rf "$LAB_CACHE"/root.* # of an interrupted run; the lock is held
  root=$(mktemp -d "$LAB_CACHE/root.XXXXXX")
  debootstrap --variant=minbase "$LAB_SUITE" "$root" "$LAB_MIRROR" >"$LAB_CACHE/debootstrap.log" 2>&1 || {
    tail -n 5 "$LAB_CACHE/debootstrap.log" >&2
    rm -rf "$root"
    die "debootstrap failed: is a Debian mirror reachable? (INCUDAL_LAB_MIRROR names another)"
  }
  # Only what depends on the packages alone stays, so that two runs give the same bytes.
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/cache/apt/*.bin "$root"/var/cache/ldconfig/* \
    "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/usr/share/doc/* "$root"/usr/share/man/* \
    "$root"/usr/share/locale/*
  : >"$root/etc/machine-id"
  rm -f "$root/etc/resolv.conf" "$root/etc/hostname"
  tar --sort=name --mtime=@0 --numeric-owner --one-file-system -C "$root" -cf "$1.new" .
  mv "$1.new" "$1"
  rm -rf "$root"
}
