#!/usr/bin/env bash
# Builds the agent's container image (src/main/docker/agent) with the Docker engine at DOCKER_HOST.
#
#   scripts/build-image.sh [--arch amd64|arm64] [--variant docker|stgt|lio] [--base IMAGE] [--tag NAME]
#
#   --arch      default: this machine's; arm64 elsewhere is made with qemu (apt: qemu-user-static)
#   --variant   docker (the default): incudal-agent; the others, incudal-agent:stgt and :lio, hold the
#               tools as well, for Kubernetes
#   --base      Debian image for the others (debian:bookworm-slim)
#   --tag       another name for the image
#
# Needs what scripts/build-release.sh needs. What it assembles is left in target/image/ARCH.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/lib/common.sh"
# shellcheck source=scripts/lib/agent.sh
. "$TOP/scripts/lib/agent.sh"
# shellcheck source=scripts/lib/release/runtime.sh
. "$TOP/scripts/lib/release/runtime.sh"
# shellcheck source=scripts/lib/release/assemble.sh
. "$TOP/scripts/lib/release/assemble.sh"

HOME_IN_IMAGE=/opt/incudal-agent
USER_IN_IMAGE=4840

arch=$(dpkg --print-architecture)
variant=docker
base=debian:bookworm-slim
tag=
while [ $# -gt 0 ]; do
  case $1 in
    --arch) arch=${2:-} && shift ;;
    --variant) variant=${2:-} && shift ;;
    --base) base=${2:-} && shift ;;
    --tag) tag=${2:-} && shift ;;
    *)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
  shift
done
machine_of "$arch" >/dev/null
case $variant in
  docker) : "${tag:=incudal-agent}" ;;
  stgt | lio) : "${tag:=incudal-agent:$variant}" ;;
  *) die "unknown variant: $variant" ;;
esac
CONTEXT=$TOP/target/image/$arch
ROOT=$CONTEXT/root
AGENT=$ROOT$HOME_IN_IMAGE

# What an image without a distribution has to have: the C library and a user.
system() {
  local library libraries
  mkdir -p "$ROOT/usr/lib" "$ROOT/usr/lib64" "$ROOT/etc" "$ROOT/var/lib/dpkg/status.d"
  mkdir "$ROOT/proc" "$ROOT/dev"
  mkdir -m 1777 "$ROOT/tmp"
  ln -s usr/lib "$ROOT/lib"
  ln -s usr/lib64 "$ROOT/lib64"
  # The loader has its place by the architecture's ABI.
  case $arch in
    amd64) cp "$(find "$WORK/$arch" -name ld-linux-x86-64.so.2 -type f)" "$ROOT/usr/lib64/" ;;
    arm64) cp "$(find "$WORK/$arch" -name ld-linux-aarch64.so.1 -type f)" "$ROOT/usr/lib/" ;;
  esac
  libraries=$ROOT/usr/lib/$(machine_of "$arch")-linux-gnu
  mkdir "$libraries"
  for library in libc.so.6 libm.so.6 libgcc_s.so.1 libstdc++.so.6; do
    cp -L "$(find "$WORK/$arch" -name "$library" -print -quit)" "$libraries/$library"
  done
  printf 'root:x:0:0::/:\nincudal:x:%s:%s::/:\n' "$USER_IN_IMAGE" "$USER_IN_IMAGE" >"$ROOT/etc/passwd"
  printf 'root:x:0:\nincudal:x:%s:\n' "$USER_IN_IMAGE" >"$ROOT/etc/group"
  echo 'hosts: files dns' >"$ROOT/etc/nsswitch.conf"
  # By these, scanners know what they look at.
  cp -L /etc/os-release "$ROOT/etc/os-release"
  cp "$WORK/$arch/.packages"/{libc6,libgcc-s1,libstdc++6,zlib1g,openjdk-17-jre-headless} \
    "$ROOT/var/lib/dpkg/status.d/"
}

application() {
  mkdir -p "$AGENT/lib"
  runtime "$arch" "$AGENT/runtime"
  cp "$JAR" "$AGENT/agent.jar"
  cp "$TOP/LICENSE" "$AGENT/"
  # In its place, so that nothing has to be unpacked to where it could be run.
  (cd "$AGENT/lib" && jar_entry "com/sun/jna/linux-$(machine_of "$arch" | tr _ -)/libjnidispatch.so")
  # Whoever copies the tree, the class archive still knows runtime and jar by size and time.
  find "$AGENT" -exec touch -h -d '2026-01-01 00:00Z' {} +
  printf '%s\n' "${JVM_FLAGS[@]}" "-XX:SharedArchiveFile=$HOME_IN_IMAGE/agent.jsa" -Xshare:auto \
    -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -XX:-UsePerfData \
    -XX:+ExitOnOutOfMemoryError -XX:+ErrorFileToStdout \
    "-Djna.boot.library.path=$HOME_IN_IMAGE/lib" \
    -cp "$HOME_IN_IMAGE/agent.jar" io.incudal.agent.Main >"$AGENT/java.args"
}

jar_entry() { # PATH: into the working directory
  "$(jdk_home)/bin/jar" --extract --file "$JAR" "$1"
  mv "$1" .
  rm -r "${1%%/*}"
}

# in_image COMMAND...: runs it where it will be, without a container
in_image() {
  local qemu=
  if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    qemu=qemu-$(machine_of "$arch")-static
    need_tools "$qemu=qemu-user-static"
    qemu=$(command -v "$qemu")
  fi
  unshare --user --map-root-user --mount "$TOP/scripts/lib/chroot.sh" "$ROOT" "$qemu" "$@"
}

class_archive() {
  say "making the class archive for $arch"
  cp "$WORK/node.lst" "$ROOT/tmp/"
  in_image "$HOME_IN_IMAGE/runtime/bin/java" -Xshare:dump -XX:+UseSerialGC \
    -XX:SharedClassListFile=/tmp/node.lst "-XX:SharedArchiveFile=$HOME_IN_IMAGE/agent.jsa" \
    -cp "$HOME_IN_IMAGE/agent.jar" >"$CONTEXT/archive.log" 2>&1 ||
    die "$(tail -n 5 "$CONTEXT/archive.log")"
  rm "$ROOT/tmp/node.lst"
}

need_tools docker='docker-cli|docker.io' openssl=openssl curl=curl unshare=util-linux
read_version
agent_build
mkdir -p "$WORK"
make_class_lists
fetch "$arch"
rm -rf "$CONTEXT" && mkdir -p "$CONTEXT"
system
application
class_archive
docker build --quiet --platform "linux/$arch" --network host --target "$variant" --build-arg "BASE=$base" \
  --label "org.opencontainers.image.version=$VERSION" --tag "$tag" \
  --file "$TOP/src/main/docker/agent/Dockerfile" "$CONTEXT" >"$CONTEXT/build.log"
say "$tag: $(($(docker image inspect --format '{{.Size}}' "$tag") / 1000000)) MB"
