# shellcheck shell=bash
# How a release file is put together; scripts/build-release.sh makes the real ones.

machine_of() { # ARCH
  case $1 in
    amd64) echo x86_64 ;;
    arm64) echo aarch64 ;;
    *) die "unknown architecture: $1" ;;
  esac
}

# The newest symbol version of glibc that any of the files asks for.
glibc_of() { # DIR
  find "$1" -type f \( -name '*.so*' -o -path '*/bin/java' \) -exec objdump -T {} + 2>/dev/null |
    grep -o 'GLIBC_2\.[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2
}

# pack TREE FILE [LEVEL]: the payload, the same bytes for the same files. No directories by
# themselves: unpacking makes them, and some an emulator's tar cannot give their mode.
pack() {
  (cd "$1" && find runtime agent.jar panel.lst node.lst ! -type d | LC_ALL=C sort) |
    tar -C "$1" --no-recursion -T - --owner=0 --group=0 --numeric-owner --mtime='2026-01-01 00:00Z' -cf - |
    gzip "-${3:-9}n" >"$2"
}

# assemble ARCH VERSION PAYLOAD FILE [GLIBC]: the launcher, and the payload behind its last line
assemble() {
  local sum launcher=$TOP/scripts/lib/release/launcher.sh
  sum=$(sha256sum "$3" | cut -d' ' -f1)
  {
    sed -e "s/@VERSION@/$2/g; s/@MACHINE@/$(machine_of "$1")/g; s/@GLIBC@/${5:-2.34}/g" \
      -e "s/@ID@/${sum:0:12}/g; s/@SHA256@/$sum/g" \
      -e "s/@PAYLOAD_LINE@/$(($(wc -l <"$launcher") + 1))/g" "$launcher"
    cat "$3"
  } >"$4.part"
  chmod 755 "$4.part"
  mv "$4.part" "$4"
}

# variant ARCH VERSION DIR [exit|hang|mute|dies]: a release of the tree that build-release.sh left, with
# another version, and broken in one way: it exits at once, never gets to work, has a wrong secret, or
# works in every test and dies as a service
variant() {
  local tree broken='' file=$3/incudal-agent-linux-$1
  tree=$(mktemp -d "$TOP/target/release/variant.XXXXXX")
  cp -r "$TOP/target/release/tree-$1/." "$tree"
  mkdir -p "$tree/new/io/incudal/agent" "$3"
  echo "$2" >"$tree/new/io/incudal/agent/VERSION"
  "$(jdk_home)/bin/jar" --update --file "$tree/agent.jar" -C "$tree/new" io/incudal/agent/VERSION
  pack "$tree" "$tree.payload" 1
  assemble "$1" "$2" "$tree.payload" "$file"
  # shellcheck disable=SC2016 # for the launcher to expand
  case ${4:-} in
    exit) broken='; [ "$1" = --version ] || exit 1' ;;
    hang) broken='; [ "$1" = --version ] || exec sleep 1000000' ;;
    dies) broken='; case " $* " in *" -once "* | *" --version "*) ;; *) exit 1 ;; esac' ;;
    mute) broken='; export INCUDAL_AGENT_SECRET=ias_wrongwrongwrongwrongwrongwrongwrongwrong' ;;
  esac
  # On the line that is there, for the payload is found by the number of lines.
  [ -z "$broken" ] || LC_ALL=C sed -i "1,9s/^version=.*/&$broken/" "$file"
  rm -rf "$tree" "$tree.payload"
}
