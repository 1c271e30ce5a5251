# shellcheck shell=bash
# kubectl with a kustomize that knows components: the one of this machine, or else Debian's, fetched
# once and unpacked into a cache. Nothing is installed, and nothing needs root.

KUBECTL_SUITE=trixie
KUSTOMIZE_LEAST=5

# Sets KUBECTL, for the tests.
need_kubectl() {
  local cache=${INCUDAL_LAB_CACHE:-/var/cache/incudal-lab}
  mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=${XDG_CACHE_HOME:-$HOME/.cache}/incudal-lab
  local fetched=$cache/kubectl-$KUBECTL_SUITE candidate
  for candidate in "${KUBECTL:-kubectl}" "$fetched"; do
    renders "$candidate" && export KUBECTL=$candidate && return 0
  done
  mkdir -p "$cache"
  fetch_kubectl "$fetched"
  renders "$fetched" || die "what Debian $KUBECTL_SUITE has does not run here: $("$fetched" version --client 2>&1)"
  export KUBECTL=$fetched
}

renders() { # KUBECTL
  local version
  version=$("$1" version --client 2>/dev/null | sed -n 's/^Kustomize Version: v\([0-9]*\)\..*/\1/p')
  [ "${version:-0}" -ge "$KUSTOMIZE_LEAST" ]
}

fetch_kubectl() ( # FILE
  need="install kubectl 1.27 or later, or name one by KUBECTL"
  command -v apt-get >/dev/null 2>&1 || die "kubectl is missing or too old, and there is no apt-get to fetch one: $need"
  mirror=${INCUDAL_LAB_MIRROR:-http://deb.debian.org/debian}
  work=$(mktemp -d "$1.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cd "$work" || exit
  mkdir -p lists/partial archives/partial
  : >status
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $KUBECTL_SUITE main" >sources.list
  # An apt of its own, beside this machine's.
  apt=(apt-get -qq -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none
    -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work")
  say "fetching kubectl from Debian $KUBECTL_SUITE (once; kept in $(dirname "$1"))"
  { "${apt[@]}" update && "${apt[@]}" download kubectl; } >log 2>&1 || {
    tail -n 5 log >&2
    die "cannot fetch kubectl from $mirror: $need"
  }
  dpkg -x kubectl_*.deb unpacked
  mv unpacked/usr/bin/kubectl "$1"
)
