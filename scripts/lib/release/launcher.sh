#!/bin/sh
# incudal-agent @VERSION@ for Linux on @MACHINE@: this text, and behind its last line a packed Java
# runtime with the application. They are unpacked once, into a directory of this version.
version=@VERSION@
id=@ID@
payload_sha256=@SHA256@
payload_line=@PAYLOAD_LINE@

fail() {
  echo "incudal-agent: $*" >&2
  exit 1
}

case $(uname -m) in
  @MACHINE@) ;;
  *) fail "this file is for @MACHINE@, and this machine is $(uname -m)" ;;
esac

self=$(readlink -f "$0") || fail "cannot find its own file: $0"
umask 022

# A directory that this user may write to, the state directory first: it outlives a restart.
store() {
  for candidate in "${INCUDAL_STATE_DIR:-/var/lib/incudal-agent}" \
    "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/incudal-agent" \
    "${TMPDIR:-/tmp}/incudal-agent-$(id -u)"; do
    if [ -x "$candidate/releases/$version-$id/runtime/bin/java" ] && [ -O "$candidate/releases" ]; then
      echo "$candidate/releases"
      return 0
    fi
    if mkdir -p "$candidate/releases" 2>/dev/null && [ -w "$candidate/releases" ] && [ -O "$candidate/releases" ]; then
      echo "$candidate/releases"
      return 0
    fi
  done
  return 1
}

payload() { tail -n "+$payload_line" "$self"; }

unpack() {
  part=$releases/.$version-$id.$$
  trap 'rm -rf "$part"' EXIT
  trap 'exit 1' HUP INT TERM
  rm -rf "$part"
  mkdir "$part" || fail "cannot write to $releases"
  if command -v sha256sum >/dev/null 2>&1; then
    [ "$(payload | sha256sum | cut -d' ' -f1)" = "$payload_sha256" ] || fail "$self is damaged"
  fi
  payload | gzip -dc | tar -xf - -C "$part" || fail "cannot unpack into $releases; is the disk full?"
  "$part/runtime/bin/java" -Xshare:off -version >/dev/null 2>&1 ||
    fail "its Java does not run here: it needs glibc @GLIBC@ or later, and a directory that allows execution ($releases)"
  mv "$part" "$home" 2>/dev/null || [ -x "$home/runtime/bin/java" ] || fail "cannot write to $releases"
  trap - EXIT HUP INT TERM
  sweep
}

# Classes as the JVM has them in memory: less than half the time to start, and less memory. Bound to
# this place, so it is made here; without it the agent only starts more slowly.
archive() {
  if "$home/runtime/bin/java" -Xshare:dump -XX:+UseSerialGC -XX:SharedClassListFile="$home/$role.lst" \
    -XX:SharedArchiveFile="$home/.$role.$$" -cp "$home/agent.jar" >/dev/null 2>&1; then
    mv "$home/.$role.$$" "$home/$role.jsa"
  else
    rm -f "$home/.$role.$$"
    : >"$home/$role.jsa"
  fi
}

prepare() {
  [ -x "$home/runtime/bin/java" ] || unpack
  [ -e "$home/$role.jsa" ] || archive
}

# Which classes this start will need: those of the heartbeat, or those of the Agent API as well. A
# guess, which costs a part of a second when it is wrong.
guess_role() {
  config=/etc/incudal-agent/config.yaml
  previous=
  for argument in "$@"; do
    case $previous in -config | --config) config=$argument ;; esac
    previous=$argument
  done
  if env | grep -q '^IPXE_' || grep -qs '^ipxe:' "$config"; then echo node; else echo panel; fi
}

# Older versions that nothing runs from. What is still needed unpacks itself again.
sweep() {
  for old in "$releases"/* "$releases"/.*-*.*; do
    if [ ! -d "$old" ] || [ "$old" = "$home" ]; then continue; fi
    # Half an hour old, it is nobody's unpacking any more.
    case $old in */.*) [ -n "$(find "$old" -maxdepth 0 -mmin +30)" ] || continue ;; esac
    used=
    for exe in /proc/[0-9]*/exe; do
      case $(readlink "$exe" 2>/dev/null) in "$old"/*) used=1 && break ;; esac
    done
    [ -n "$used" ] || rm -rf "$old"
  done
}

releases=$(store) || fail "finds no directory to unpack into; set INCUDAL_STATE_DIR"
home=$releases/$version-$id
role=$(guess_role "$@")
if [ ! -x "$home/runtime/bin/java" ] || [ ! -e "$home/$role.jsa" ]; then
  if command -v flock >/dev/null 2>&1 && exec 9>"$releases/.lock" && flock 9; then
    prepare
    exec 9>&-
  else
    prepare
  fi
fi

# Which file an upgrade replaces. The watcher of an upgrade runs from a backup, and is told.
export INCUDAL_AGENT_BIN="${INCUDAL_AGENT_BIN:-$self}"
# Memory that is not needed now goes back to the node, where it is page cache.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec "$home/runtime/bin/java" -XX:SharedArchiveFile="$home/$role.jsa" -Xshare:auto \
  -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  -Xms12m -Xmx160m -Xss512k -XX:MaxMetaspaceSize=128m -XX:ReservedCodeCacheSize=48m \
  -XX:+UnlockExperimentalVMOptions -XX:TrimNativeHeapInterval=2000 -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=20 \
  -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError \
  -cp "$home/agent.jar" io.incudal.agent.Main "$@"
# The payload begins behind the next line.
