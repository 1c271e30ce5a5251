# shellcheck shell=bash
# What every script here needs: messages, packages, processes that can be ended safely, mounts.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export TOP
PROGRAM=$(basename "$0")

say() { printf '%s: %s\n' "$PROGRAM" "$*" >&2; }
die() {
  printf '%s: %s\n' "$PROGRAM" "$*" >&2
  exit 1
}

need_root() { [ "$(id -u)" = 0 ] || die "needs root (it mounts file systems and runs containers)"; }

# need_tools COMMAND=PACKAGE[|PACKAGE...] ... installs by apt what is missing; the first package
# that the release has is taken.
need_tools() {
  local pair command candidate found packages=()
  for pair in "$@"; do
    command=${pair%%=*}
    command -v "$command" >/dev/null 2>&1 && continue
    command -v apt-get >/dev/null 2>&1 || die "'$command' is missing, and there is no apt-get to install it"
    [ "$(id -u)" = 0 ] || die "'$command' is missing: apt-get install ${pair#*=}"
    refresh_packages
    found=
    for candidate in $(tr '|' ' ' <<<"${pair#*=}"); do
      if apt-cache show "$candidate" >/dev/null 2>&1; then
        found=$candidate
        break
      fi
    done
    [ -n "$found" ] || die "'$command' is missing, and apt knows none of: ${pair#*=}"
    [[ " ${packages[*]} " == *" $found "* ]] || packages+=("$found")
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  say "installing ${packages[*]}"
  install_packages "${packages[@]}" || die "could not install ${packages[*]}"
  hash -r
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || die "'${pair%%=*}' is still missing after the installation"
  done
}

refresh_packages() {
  [ -z "${PACKAGES_FRESH:-}" ] || return 0
  PACKAGES_FRESH=1
  apt-get -qq update >/dev/null || say "apt-get update failed; trying with the lists that are there"
}

# Services that packages bring (a system-wide dockerd changes the firewall) are not started.
install_packages() {
  local policy=/usr/sbin/policy-rc.d made=
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=1
  fi
  local rc=0 log
  log=$(mktemp)
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 install "$@" </dev/null >"$log" 2>&1 || rc=$?
  [ -z "$made" ] || rm -f "$policy"
  [ "$rc" = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return "$rc"
}

# --- processes ---------------------------------------------------------------------------------
# A pid alone may have been given to another process by now; with its start time and the boot it
# was seen in, it names one process for ever.

start_of() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

process_record() { # PID FILE
  printf '%s %s %s\n' "$1" "$(start_of "$1")" "$(cat /proc/sys/kernel/random/boot_id)" >"$2"
}

# Prints the pid of the recorded process when it still runs.
process_alive() { # FILE
  local pid start boot
  [ -s "$1" ] && read -r pid start boot <"$1" || return 1
  [ -n "$start" ] && [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || return 1
  [ "$(start_of "$pid")" = "$start" ] || return 1
  ! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null || return 1
  echo "$pid"
}

process_end() { # FILE SIGNAL SECONDS: signals the recorded process, after SECONDS kills it
  local pid i
  pid=$(process_alive "$1") || {
    rm -f "$1"
    return 0
  }
  kill "-$2" "$pid" 2>/dev/null || true
  for ((i = 0; i < $3 * 20; i++)); do
    process_alive "$1" >/dev/null || break
    sleep 0.05
  done
  if pid=$(process_alive "$1"); then
    kill -KILL "$pid" 2>/dev/null || true
    while process_alive "$1" >/dev/null; do sleep 0.05; done
  fi
  rm -f "$1"
}

# wait_until SECONDS COMMAND...: succeeds as soon as the command does
wait_until() {
  local tries=$(($1 * 20)) i
  shift
  for ((i = 0; i < tries; i++)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.05
  done
  return 1
}

# --- mounts and ports --------------------------------------------------------------------------

mounts_below() { # DIR: mount points in it, the deepest first
  awk -v top="$1/" 'index($5 "/", top) == 1 { print $5 }' /proc/self/mountinfo | sort -r
}

unmount_below() { # DIR
  local point
  while read -r point; do
    umount "$point" 2>/dev/null || umount -l "$point" || return 1
  done < <(mounts_below "$1")
}

# A port on the loopback address below the range that the kernel hands out by itself.
free_port() {
  local port
  for _ in $(seq 200); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return 0
    fi
  done
  die "no free port found"
}
