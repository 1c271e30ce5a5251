# shellcheck shell=bash
# What release files and container images have in common: a Java runtime of an architecture, cut out
# of Debian's package, and the list of the classes that the agent loads.

# What the application uses of Java, found by jdeps and by running it. The YAML parser asks for one
# package of java.desktop, java.beans.
MODULES=java.base,java.desktop,java.logging,java.management,java.naming,java.security.jgss,java.xml,jdk.crypto.ec,jdk.management,jdk.unsupported
PACKAGES=(openjdk-17-jdk-headless openjdk-17-jre-headless zlib1g libc6 libgcc-s1 libstdc++6)
WORK=$TOP/target/release

read_version() {
  VERSION=$(tr -d '[:space:]' <"$TOP/VERSION")
  [[ $VERSION =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] ||
    die "VERSION has to be vMAJOR.MINOR.PATCH, and is '$VERSION'"
}

# apt_for ARCH COMMAND...: apt with lists of its own, so that the machine's architectures stay
apt_for() {
  local arch=$1 state=$WORK/apt-$1
  shift
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" \
    -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" \
    -o Dir::State::status=/dev/null -o APT::Sandbox::User=root "$@"
}

# fetch ARCH: Debian's JDK modules of that architecture and the libraries below a Java runtime,
# unpacked below $WORK/ARCH, each package's description in .packages
fetch() {
  local arch=$1 downloads=$WORK/downloads-$1 package
  [ "$(cat "$WORK/$arch/.complete" 2>/dev/null)" != "${PACKAGES[*]}" ] || return 0
  say "fetching the JDK's modules for $arch"
  rm -rf "${downloads:?}" "${WORK:?}/$arch"
  mkdir -p "$downloads" "$WORK/$arch/.packages"
  apt_for "$arch" update
  (cd "$downloads" && apt_for "$arch" download "${PACKAGES[@]}")
  for package in "$downloads"/*.deb; do
    dpkg-deb -x "$package" "$WORK/$arch"
    dpkg-deb -f "$package" >"$WORK/$arch/.packages/$(basename "${package%%_*}")"
  done
  rm -rf "$downloads"
  echo "${PACKAGES[*]}" >"$WORK/$arch/.complete"
}

# jlink has to be of the release that it links.
jdk17() {
  local home
  for home in "$(jdk_home)" /usr/lib/jvm/*/; do
    if [ -x "$home/bin/jlink" ] && [ "$(jdk_version "$home")" = 17 ]; then
      echo "${home%/}"
      return 0
    fi
  done
  die "needs jlink of JDK 17: apt-get install openjdk-17-jdk-headless"
}

runtime() { # ARCH DIR
  local jdk
  jdk=$(jdk17)
  "$jdk/bin/jlink" --module-path "$WORK/$1/usr/lib/jvm/java-17-openjdk-$1/jmods" \
    --add-modules "$MODULES" --output "$2" --strip-java-debug-attributes --no-header-files --no-man-pages
  # Nothing here draws, prints or plays.
  (cd "$2/lib" && rm -f libawt* libfontmanager.so libfreetype.so libjava*jpeg.so libjawt.so liblcms.so \
    libmlib_image.so libjsound.so libsplashscreen.so psfont*)
  # Debian's libraries take zlib from the system; a small host may have none.
  cp "$(find "$WORK/$1" -name 'libz.so.1.*' -type f)" "$2/lib/libz.so.1"
  # For hosts without certificate authorities of their own.
  rm -f "$2/lib/security/cacerts"
  cp -L "$jdk/lib/security/cacerts" "$2/lib/security/cacerts"
}

# class_lists RUNTIME DIR: what the agent loads in a short life, with the heartbeat alone (panel.lst)
# and with the Agent API, TLS and JWTs as well (node.lst)
class_lists() {
  say "listing the classes of a start"
  local life=$WORK/life port tls server heartbeat list
  rm -rf "$life" && mkdir -p "$life/images"
  port=$(free_port) && tls=$(free_port)
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext 'subjectAltName=IP:127.0.0.1' \
    -keyout "$life/key.pem" -out "$life/cert.pem" 2>/dev/null
  openssl s_server -accept "127.0.0.1:$tls" -cert "$life/cert.pem" -key "$life/key.pem" -www -quiet >/dev/null 2>&1 &
  server=$!
  cat >"$life/config.yaml" <<YAML
panel_url: https://127.0.0.1:$tls
agent_id: agt_aaaaaaaaaaaaaaaaaaaaaaaa
agent_secret: ias_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
panel_ca_file: $life/cert.pem
state_dir: $life
YAML
  heartbeat=$(live "$1" "$2/panel.lst")
  sleep 6
  kill "$heartbeat"
  cat >>"$life/config.yaml" <<YAML
ipxe:
  agent_token: "only-for-this-build"
  agent_host: 127.0.0.1
  agent_port: $port
  disk_dir: $life/images
  log_file: $life/audit.log
  docker_host: unix://$life/none.sock
  tls_cert: $life/cert.pem
  tls_key: $life/key.pem
  jwt_secret: only-for-this-build-only-for-this-build
  jwt_issuer: nobody
  jwt_audience: nobody
YAML
  heartbeat=$(live "$1" "$2/node.lst")
  if wait_until 60 curl -sfk "https://127.0.0.1:$port/healthz" && sleep 3; then
    # The second token is a JWT of a kind, and refused as one.
    local token version
    for token in only-for-this-build eyJhbGciOiJIUzI1NiJ9.e30.AAAA; do
      for version in http1.1 http2; do
        curl -sk "--$version" -H "Authorization: Bearer $token" \
          "https://127.0.0.1:$port/"{masters,lun,logs?since=0,capabilities,metrics} >/dev/null || true
      done
    done
  fi
  kill "$heartbeat" "$server"
  wait "$server" 2>/dev/null || true
  for list in "$2/panel.lst" "$2/node.lst"; do
    wait_until 20 complete_list "$list" || die "the agent did not run: $(tail -n 5 "$life/log")"
  done
}

# live RUNTIME FILE: starts the agent, with no settings of this environment, and prints its pid
live() {
  env -i LC_ALL=C.UTF-8 "$1/bin/java" -Xshare:off -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:DumpLoadedClassList="$2" \
    -cp "$TOP/target/incudal-agent.jar" io.incudal.agent.Main -config "$WORK/life/config.yaml" \
    >"$WORK/life/log" 2>&1 &
  echo $!
}

complete_list() { grep -qs io/incudal/agent/panel/BeatOutcome "$1"; }

# The lists come from the architecture that this machine is of, and serve for both.
make_class_lists() {
  local here
  if [ -e "$WORK/node.lst" ] &&
    [ -z "$(find "$TOP/target/incudal-agent.jar" "${BASH_SOURCE[0]}" -newer "$WORK/node.lst")" ]; then
    return 0
  fi
  here=$(dpkg --print-architecture)
  fetch "$here"
  rm -rf "$WORK/probe" "$WORK"/*.lst
  runtime "$here" "$WORK/probe"
  class_lists "$WORK/probe" "$WORK"
  rm -rf "$WORK/probe"
}
