# shellcheck shell=bash
# The JDKs of the machine, and building with them.

# The build needs a JDK of 17 or later, and Maven.
need_jdk() {
  need_tools 'javac=openjdk-17-jdk-headless|openjdk-21-jdk-headless|default-jdk-headless' mvn=maven
  local version
  version=$(jdk_version "$(jdk_home)")
  [ "$version" -ge 17 ] || die "JDK 17 or later is needed; $(command -v javac) is version $version"
}

jdk_home() { dirname "$(dirname "$(realpath "$(command -v javac)")")"; }

jdk_version() { # HOME: the feature release, such as 17
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Prints the home of the newest JDK when it is newer than the one in use.
newer_jdk() {
  local home version newest best=
  newest=$(jdk_version "$(jdk_home)")
  for home in /usr/lib/jvm/*/; do
    if [ ! -x "$home/bin/javac" ] || [ ! -r "$home/release" ]; then continue; fi
    version=$(jdk_version "$home")
    if [ "${version:-0}" -gt "$newest" ]; then
      newest=$version
      best=${home%/}
    fi
  done
  echo "$best"
}

# Everything is fetched into the local repository the first time; afterwards no network is needed.
maven() { (cd "$TOP" && mvn -B -ntp -Dstyle.color=never "$@"); }
