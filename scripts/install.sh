#!/usr/bin/env bash
# Installs, or installs anew, the incudal host agent as a service:
#
#   curl -fsSL "$PANEL/api/agent/install.sh" | sudo env INCUDAL_PANEL_URL="$PANEL" \
#     INCUDAL_AGENT_INSTALL_TOKEN="$TOKEN" bash
#
#   INCUDAL_PANEL_URL             the panel (required)
#   INCUDAL_AGENT_INSTALL_TOKEN   one-time token that the panel exchanges for id and secret; or
#   INCUDAL_AGENT_ID, INCUDAL_AGENT_SECRET   these two; without any, those installed are kept
#   INCUDAL_AGENT_BINARY_URL, INCUDAL_AGENT_BINARY_SHA256   another release file than the panel's
#   INCUDAL_PANEL_CA_FILE         PEM file with a CA to be trusted in addition
#   INCUDAL_AGENT_DRY_RUN=1       prints the steps and changes nothing
#   INCUDAL_CONFIG_DIR, INCUDAL_CONFIG_FILE, INCUDAL_INSTALL_DIR, INCUDAL_AGENT_BIN,
#   INCUDAL_SERVICE_FILE          other places
#
# Everything is in functions, and called in the last line: a download that is cut runs nothing.
set -euo pipefail

say() { printf 'incudal-agent: %s\n' "$*"; }
warn() { printf 'incudal-agent: warning: %s\n' "$*" >&2; }
die() {
  printf 'incudal-agent: error: %s\n' "$*" >&2
  exit 1
}

settings() {
  PANEL=${INCUDAL_PANEL_URL:-}
  PANEL=${PANEL%/}
  TOKEN=${INCUDAL_AGENT_INSTALL_TOKEN:-}
  ID=${INCUDAL_AGENT_ID:-}
  SECRET=${INCUDAL_AGENT_SECRET:-}
  BINARY_URL=${INCUDAL_AGENT_BINARY_URL:-}
  BINARY_SHA256=${INCUDAL_AGENT_BINARY_SHA256:-}
  CA=${INCUDAL_PANEL_CA_FILE:-}
  DRY=${INCUDAL_AGENT_DRY_RUN:-}
  CONFIG_DIR=${INCUDAL_CONFIG_DIR:-/etc/incudal-agent}
  CONFIG=${INCUDAL_CONFIG_FILE:-$CONFIG_DIR/config.yaml}
  BIN=${INCUDAL_AGENT_BIN:-${INCUDAL_INSTALL_DIR:-/usr/local/bin}/incudal-agent}
  STATE=${INCUDAL_STATE_DIR:-/var/lib/incudal-agent}
  SERVICE_FILE=${INCUDAL_SERVICE_FILE:-}
  STAGED_BIN=$(dirname "$BIN")/.$(basename "$BIN").install
  STAGED_CONFIG=$CONFIG.install
  DONE=
}

check_settings() {
  local loopback='^http://(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]+)?(/|$)'
  local quiet='["\\[:cntrl:] ]'
  [ -n "$PANEL" ] || die "INCUDAL_PANEL_URL is required"
  [[ $PANEL =~ ^https://[^/@]+ ]] || [[ $PANEL =~ $loopback ]] ||
    die "INCUDAL_PANEL_URL has to be https (http only to this machine itself)"
  [[ ! $PANEL$BINARY_URL$CA =~ $quiet ]] || die "an address or a path holds a blank or a quote"
  [ -z "$BINARY_URL" ] || [[ $BINARY_URL =~ ^https://[^/@]+/ ]] || [[ $BINARY_URL =~ $loopback ]] ||
    die "INCUDAL_AGENT_BINARY_URL has to be https"
  [ -z "$BINARY_SHA256" ] || [[ $BINARY_SHA256 =~ ^[0-9a-fA-F]{64}$ ]] ||
    die "INCUDAL_AGENT_BINARY_SHA256 has to be 64 hex digits"
  [ -z "$TOKEN" ] || [[ $TOKEN =~ ^ait_[A-Za-z0-9_-]{8,200}$ ]] || die "INCUDAL_AGENT_INSTALL_TOKEN is no install token"
  [ -n "$ID" ] && [ -n "$SECRET" ] || [ -z "$ID$SECRET" ] || die "INCUDAL_AGENT_ID and INCUDAL_AGENT_SECRET belong together"
  [ -z "$ID" ] || check_identity
  [ -z "$CA" ] || [ -n "$DRY" ] || [ -r "$CA" ] || die "INCUDAL_PANEL_CA_FILE cannot be read: $CA"
}

check_identity() {
  [[ $ID =~ ^agt_[A-Za-z0-9_-]{24,64}$ ]] || die "the agent's id is not of the form agt_…"
  [[ $SECRET =~ ^ias_[A-Za-z0-9_-]{32,96}$ ]] || die "the agent's secret is not of the form ias_…"
}

check_machine() {
  case $(uname -s)/$(uname -m) in
    Linux/x86_64 | Linux/amd64) ARCH=amd64 ;;
    Linux/aarch64 | Linux/arm64) ARCH=arm64 ;;
    *) die "runs on Linux on x86_64 or aarch64, not on $(uname -s) on $(uname -m)" ;;
  esac
  # An installed musl says nothing; only a machine without glibc is no place for the agent.
  getconf GNU_LIBC_VERSION >/dev/null 2>&1 || ldd --version 2>&1 | grep -qi 'gnu\|glibc' ||
    die "needs glibc; this machine has another C library (musl?), such as Alpine's"
  if [ -d /run/systemd/system ]; then
    INIT=systemd
    SERVICE_FILE=${SERVICE_FILE:-/etc/systemd/system/incudal-agent.service}
    SERVICE=$(basename "$SERVICE_FILE" .service)
  elif command -v rc-service >/dev/null 2>&1; then
    INIT=openrc
    SERVICE_FILE=${SERVICE_FILE:-/etc/init.d/incudal-agent}
    SERVICE=$(basename "$SERVICE_FILE")
  elif [ -n "$DRY" ]; then
    INIT=systemd
    SERVICE_FILE=${SERVICE_FILE:-/etc/systemd/system/incudal-agent.service}
    SERVICE=$(basename "$SERVICE_FILE" .service)
  else
    die "neither systemd nor OpenRC runs here"
  fi
  [ -n "$DRY" ] || check_tools
}

check_tools() {
  local tool
  [ "$(id -u)" = 0 ] || die "has to run as root"
  for tool in curl sha256sum gzip tar readlink install timeout; do
    command -v "$tool" >/dev/null 2>&1 || die "'$tool' is missing on this machine"
  done
}

# get URL FILE [LIMIT]: the URL may hold a token, so it goes to curl by its standard input
get() {
  local protocols='=https'
  [[ $1 =~ ^https: ]] || protocols='=http,https'
  {
    printf 'url = "%s"\noutput = "%s"\n' "$1" "$2"
    [ -z "$CA" ] || printf 'cacert = "%s"\n' "$CA"
  } | curl --config - -fsSL --proto "$protocols" --proto-redir "$protocols" --connect-timeout 10 \
    --max-time 900 --max-filesize "${3:-67108864}" --retry 2
}

# field NAME: of the flat JSON object on standard input
field() { grep -o "\"$1\"[[:space:]]*:[[:space:]]*[^,}]*" | head -n 1 | sed 's/^[^:]*:[[:space:]]*//; s/^"//; s/"[[:space:]]*$//; s/[[:space:]]*$//'; }

choose_binary() {
  if [ -n "$BINARY_URL" ]; then
    [ -n "$BINARY_SHA256" ] || warn "INCUDAL_AGENT_BINARY_SHA256 is not given; the download is not checked"
    GZIP=
    [[ ${BINARY_URL%%\?*} != *.gz ]] || GZIP=true
    return 0
  fi
  local file entry name
  file=$(mktemp)
  get "$PANEL/api/agent/manifest.json" "$file" 1048576 || die "the panel's manifest cannot be read: $PANEL/api/agent/manifest.json"
  entry=$(tr -d '\n\r' <"$file" | grep -o "\"linux-$ARCH\"[[:space:]]*:[[:space:]]*{[^}]*}" || true)
  rm -f "$file"
  [ -n "$entry" ] || die "the panel has no release file for linux-$ARCH"
  name=$(field name <<<"${entry#*:}")
  BINARY_SHA256=$(field sha256 <<<"${entry#*:}")
  GZIP=$(field gzip <<<"${entry#*:}")
  [[ $name =~ ^[A-Za-z0-9._-]+$ ]] || die "the panel's manifest names no file for linux-$ARCH"
  [[ $BINARY_SHA256 =~ ^[0-9a-fA-F]{64}$ ]] || die "the panel's manifest has no SHA-256 for linux-$ARCH"
  BINARY_URL=$PANEL/api/agent/binary/$name
  [[ $name != *.gz ]] || GZIP=true
}

# Beside its place, so that putting it there is a rename, and never touches a file that runs.
stage_binary() {
  mkdir -p "$(dirname "$BIN")"
  rm -f "$STAGED_BIN" "$STAGED_BIN.download"
  get "$BINARY_URL" "$STAGED_BIN.download" || die "the release file cannot be downloaded: $BINARY_URL"
  if [ -n "$BINARY_SHA256" ]; then
    [ "$(sha256sum "$STAGED_BIN.download" | cut -d' ' -f1)" = "${BINARY_SHA256,,}" ] ||
      die "the SHA-256 of the download is not the expected one; nothing was changed"
  fi
  if [ "$GZIP" = true ]; then
    gzip -dc <"$STAGED_BIN.download" >"$STAGED_BIN" || die "the release file cannot be unpacked"
    rm -f "$STAGED_BIN.download"
  else
    mv "$STAGED_BIN.download" "$STAGED_BIN"
  fi
  chmod 755 "$STAGED_BIN"
  VERSION=$(clean "$STAGED_BIN" --version) || die "the release file does not run on this machine"
  [[ $VERSION =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "the release file does not say its version"
}

# Without this script's variables, which would override the configuration that is being tested.
clean() {
  local name
  (
    while read -r name; do
      [ "$name" = INCUDAL_STATE_DIR ] || unset "$name"
    done < <(compgen -e | grep -E '^(INCUDAL_|IPXE_)')
    cd / && exec timeout 180 "$@"
  )
}

# The text is parsed, never run.
exchange_token() {
  local answer
  answer=$(mktemp)
  if ! get "$PANEL/api/agent/install-config/$TOKEN" "$answer" 65536; then
    rm -f "$answer"
    die "the panel does not take the install token: it is wrong, used, or older than 30 minutes. Nothing was changed"
  fi
  ID=$(sed -n "s/^INCUDAL_AGENT_ID='\([^']*\)'[[:space:]]*$/\1/p" "$answer")
  SECRET=$(sed -n "s/^INCUDAL_AGENT_SECRET='\([^']*\)'[[:space:]]*$/\1/p" "$answer")
  rm -f "$answer"
  check_identity
}

stage_config() {
  local base=$CONFIG
  install -d -m 755 "$(dirname "$CONFIG")"
  # An earlier run has exchanged its token, and failed later: the token cannot be used again.
  [ -e "$CONFIG" ] || [ ! -e "$STAGED_CONFIG" ] || base=$STAGED_CONFIG
  if [ -n "$TOKEN" ]; then
    exchange_token
  elif [ -z "$ID" ] && ! grep -qs '^agent_secret:' "$base"; then
    die "no install token is given, and no agent is installed here; the panel shows a token"
  fi
  (
    umask 077
    edit_config "$base" >"$STAGED_CONFIG.part"
    mv "$STAGED_CONFIG.part" "$STAGED_CONFIG"
  )
}

# edit_config FILE: prints it with the new values in place of the old, and all else as it is
edit_config() {
  local line key seen=' '
  local -A values=([panel_url]=$PANEL [agent_id]=$ID [agent_secret]=$SECRET [panel_ca_file]=$CA)
  if [ -e "$1" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      key=${line%%:*}
      if [[ $line =~ ^[a-z_]+: ]] && [ -n "${values[$key]:-}" ]; then
        printf '%s: "%s"\n' "$key" "${values[$key]}"
        seen+="$key "
      else
        printf '%s\n' "$line"
      fi
    done <"$1"
  fi
  for key in panel_url agent_id agent_secret panel_ca_file; do
    [ -z "${values[$key]}" ] || [[ $seen == *" $key "* ]] || printf '%s: "%s"\n' "$key" "${values[$key]}"
  done
  add_place state_dir "$STATE" /var/lib/incudal-agent "$1"
  add_place service "$SERVICE" incudal-agent "$1"
}

add_place() { # KEY VALUE DEFAULT FILE
  [ "$2" = "$3" ] || grep -qs "^$1:" "$4" || printf '%s: "%s"\n' "$1" "$2"
}

test_heartbeat() {
  local outcome
  outcome=$(clean "$STAGED_BIN" -config "$STAGED_CONFIG" -once 2>&1) ||
    die "the test heartbeat failed: ${outcome:-no reason given}. Nothing was changed; run this again, without a token"
}

unit() {
  cat <<UNIT
[Unit]
Description=Incudal host agent
Wants=network-online.target
After=network-online.target docker.service
StartLimitIntervalSec=0

[Service]
# An upgrade under watch when the power failed goes on being watched, whatever the new file is like.
ExecStartPre=-/bin/sh -c 'test ! -e $STATE/watch.yaml || systemctl -q is-active incudal-agent-watch || exec systemd-run --quiet --collect --unit=incudal-agent-watch --property=Restart=on-abnormal --property=RestartSec=5 --setenv=INCUDAL_AGENT_BIN=$BIN --setenv=INCUDAL_STATE_DIR=$STATE $BIN.bak watch-upgrade -config $STATE/watch.yaml'
ExecStart=$BIN -config $CONFIG
Environment=INCUDAL_STATE_DIR=$STATE
Restart=always
RestartSec=5
KillMode=mixed
# Operations that run are finished first.
TimeoutStopSec=15min
UMask=0077
OOMScoreAdjust=-500

# Writes: its state, its own file (upgrades), and what the Agent API has below /home by default; for
# another image directory there, or below /usr, add a line in a drop-in.
ReadWritePaths=$(dirname "$BIN")
ReadWritePaths=-$STATE
ReadWritePaths=-/home/iscsi_img
ProtectSystem=full
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
NoNewPrivileges=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# CAP_SYS_ADMIN is what systemd asks for when the agent orders its restart after an upgrade.
CapabilityBoundingSet=CAP_SYS_ADMIN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_CHOWN CAP_KILL CAP_NET_BIND_SERVICE

[Install]
WantedBy=multi-user.target
UNIT
}

init_script() {
  cat <<SCRIPT
#!/sbin/openrc-run
# Upgrades by the panel need systemd; here the agent refuses them and says so.
description="Incudal host agent"
supervisor=supervise-daemon
command="$BIN"
command_args="-config $CONFIG"
respawn_delay=5
respawn_max=0
export INCUDAL_STATE_DIR="$STATE"

depend() {
  use net docker
}
SCRIPT
}

stage_service() {
  mkdir -p "$(dirname "$SERVICE_FILE")"
  install -d -m 700 "$STATE"
  if [ "$INIT" = systemd ]; then
    unit >"$SERVICE_FILE.install"
    chmod 644 "$SERVICE_FILE.install"
  else
    init_script >"$SERVICE_FILE.install"
    chmod 755 "$SERVICE_FILE.install"
  fi
}

# Puts everything in place; what was there is kept until the service runs.
activate() {
  local file
  for file in "$BIN" "$CONFIG" "$SERVICE_FILE"; do
    rm -f "$file.before"
    [ ! -e "$file" ] || cp -p "$file" "$file.before"
  done
  [ ! -e "$CONFIG" ] || cp -p "$CONFIG" "$CONFIG.bak"
  ACTIVATED=1
  mv "$STAGED_CONFIG" "$CONFIG"
  mv "$STAGED_BIN" "$BIN"
  mv "$SERVICE_FILE.install" "$SERVICE_FILE"
  if ! restart_service || ! wait_for_service; then
    die "the service does not run; what was installed before is put back"
  fi
  ACTIVATED=
  rm -f "$BIN.before" "$CONFIG.before" "$SERVICE_FILE.before"
}

restart_service() {
  if [ "$INIT" = systemd ]; then
    systemctl daemon-reload && systemctl -q enable "$SERVICE" && systemctl restart "$SERVICE"
  else
    rc-update -q add "$SERVICE" default && rc-service "$SERVICE" restart
  fi
}

# It has to stay up for some seconds.
wait_for_service() {
  local i
  for ((i = 0; i < 6; i++)); do
    sleep 1
    if [ "$INIT" = systemd ]; then
      systemctl -q is-active "$SERVICE" || return 1
      [ "$(systemctl show -p SubState --value "$SERVICE")" = running ] || return 1
    else
      rc-service -q "$SERVICE" status || return 1
    fi
  done
}

put_back() {
  local file
  for file in "$BIN" "$CONFIG" "$SERVICE_FILE"; do
    if [ -e "$file.before" ]; then mv "$file.before" "$file"; else rm -f "$file"; fi
  done
  if [ -e "$SERVICE_FILE" ]; then
    restart_service || warn "the service could not be started again"
  elif [ "$INIT" = systemd ]; then
    systemctl daemon-reload || true
  fi
}

clean_up() {
  [ -z "${ACTIVATED:-}" ] || put_back
  rm -f "${STAGED_BIN:-/nonexistent}" "${STAGED_BIN:-/nonexistent}.download" "${SERVICE_FILE:-/nonexistent}.install" \
    "${STAGED_CONFIG:-/nonexistent}.part"
  [ -z "${DONE:-}" ] || rm -f "$STAGED_CONFIG"
}

# step TEXT COMMAND: a dry run only says it
step() {
  say "$1"
  [ -n "$DRY" ] || "$2"
}

main() {
  settings
  check_settings
  check_machine
  [ -z "$DRY" ] || say "dry run: nothing is changed"
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  step "reads what the panel offers for linux-$ARCH" choose_binary
  step "downloads the release file, checks it, and runs it for its version" stage_binary
  if [ -n "$TOKEN" ]; then
    step "exchanges the install token for id and secret, into $STAGED_CONFIG (0600)" stage_config
  else
    step "writes the configuration to $STAGED_CONFIG (0600)" stage_config
  fi
  step "sends one test heartbeat to $PANEL" test_heartbeat
  step "writes the service to $SERVICE_FILE.install" stage_service
  step "puts $BIN, $CONFIG and $SERVICE_FILE in place, enables and restarts $SERVICE" activate
  DONE=1
  if [ -n "$DRY" ]; then say "dry run: done"; else say "$VERSION is installed and runs as $SERVICE"; fi
}

main "$@"
