#!/usr/bin/env bash
# Builds the release files, which need no Java on the host, and their manifest into dist/.
#
#   scripts/build-release.sh [amd64] [arm64]      default: both
#
# VERSION names the version. The runtimes of both architectures are cut out of Debian's package of
# one and the same JDK; they are fetched once, into target/release. Needs a Debian or Ubuntu with
# JDK 17, Maven and openssl; root only to install what of them is missing.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/lib/common.sh"
# shellcheck source=scripts/lib/jdk.sh
. "$TOP/scripts/lib/jdk.sh"
# shellcheck source=scripts/lib/release/runtime.sh
. "$TOP/scripts/lib/release/runtime.sh"
# shellcheck source=scripts/lib/release/assemble.sh
. "$TOP/scripts/lib/release/assemble.sh"

MAX_BYTES=$((64 * 1024 * 1024))
DIST=$TOP/dist

build() { # ARCH
  local tree=$WORK/tree-$1 file=$DIST/incudal-agent-linux-$1 size
  fetch "$1"
  rm -rf "$tree" && mkdir -p "$tree"
  runtime "$1" "$tree/runtime"
  cp "$TOP/target/incudal-agent.jar" "$tree/agent.jar"
  cp "$WORK/panel.lst" "$WORK/node.lst" "$tree/"
  pack "$tree" "$WORK/payload-$1"
  assemble "$1" "$VERSION" "$WORK/payload-$1" "$file" "$(glibc_of "$tree/runtime")"
  size=$(stat -c %s "$file")
  [ "$size" -le "$MAX_BYTES" ] || die "$file is larger than 64 MiB: $size bytes"
  say "$(printf '%s: %d MiB' "$file" $((size / 1024 / 1024)))"
}

manifest() {
  local arch file entries=()
  for arch in amd64 arm64; do
    file=$DIST/incudal-agent-linux-$arch
    [ -e "$file" ] || continue
    entries+=("$(printf '    "linux-%s": {"name": "%s", "sha256": "%s", "size": %d, "gzip": false}' "$arch" \
      "$(basename "$file")" "$(sha256sum "$file" | cut -d' ' -f1)" "$(stat -c %s "$file")")")
  done
  {
    printf '{\n  "version": "%s",\n  "generatedAt": "%s",\n  "files": {\n' "$VERSION" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    (IFS=$'\n' && printf '%s' "${entries[*]}" | sed '$!s/$/,/')
    printf '\n  }\n}\n'
  } >"$DIST/manifest.json"
}

main() {
  local architectures=("$@") arch
  [ $# -gt 0 ] || architectures=(amd64 arm64)
  for arch in "${architectures[@]}"; do machine_of "$arch" >/dev/null; done
  read_version
  need_jdk
  need_tools openssl=openssl objdump=binutils curl=curl
  mkdir -p "$WORK" "$DIST"
  rm -f "$DIST"/incudal-agent-linux-* "$DIST/manifest.json"
  say "building $VERSION"
  maven -q -DskipTests package
  make_class_lists
  for arch in "${architectures[@]}"; do build "$arch"; done
  manifest
  say "$DIST/manifest.json"
}

main "$@"
