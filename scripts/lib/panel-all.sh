# shellcheck shell=bash
# What scripts/panel-demo --all shows beside the story.

survives_kill() { # PHASE VERSION
  act "kill -9 while $1, on the way to $2"
  local before
  before=$(count_beats)
  publish "$2"
  control "offer?arch=$ARCH"
  # shellcheck disable=SC2016 # the inner shell expands it
  check "it is killed in that phase" machine timeout 120 bash -c '
    until grep -qs "\"phase\":\"$1\",\"version\":\"$2\"" '"$MARKER"'; do :; done
    kill -9 "$(systemctl show -p MainPID --value incudal-agent)"' kill "$1" "$2"
  check "the next start is one complete version" eventually 30 complete "$2"
  check "and ends as $2, by another try when need be" eventually 180 beat_matches "$before" "accepted $2 upgrade=completed to=$2"
  check "nothing is left over" nothing_left
}

complete() { active && machine "$BIN" --version | grep -qE "^(v1\.0\.1|v1\.1\.[0-9]|$1)$"; }

# Everything is called in the last line, so a part of the script has to do nothing at all.
cut_script() {
  act "the installation script, cut anywhere"
  local size whole=$TOP/scripts/install.sh at ran=0
  size=$(stat -c %s "$whole")
  for at in $(seq 1 $((size / 60)) $((size - 12))); do
    ! head -c "$at" "$whole" | env -u INCUDAL_PANEL_URL bash 2>&1 | grep -q 'INCUDAL_PANEL_URL is required' || ran=$((ran + 1))
  done
  check "runs nothing" is $ran 0
}

fails_to_install() { # VERSION WHAT
  act "an installation of $1, which $2"
  local before
  before=$(machine cat /etc/incudal-agent/config.yaml)
  publish "$1"
  check "fails" not install_agent
  check "the old version is in place" version_is "$NOW"
  check "and active" eventually 20 active
  check "the configuration is as it was" is "$(machine cat /etc/incudal-agent/config.yaml)" "$before"
  check "nothing is left over" nothing_left
}

# B86: the agents of a fleet follow a panel that gets another address.
panel_moves() {
  act "the panel gets another address"
  local before
  before=$(count_beats)
  panel_lives_at 127.0.0.2
  check "heartbeats reach it there within two minutes" eventually 120 beat_matches "$before" 'at=127.0.0.2 accepted'
}

agent_api() { lab net curl -s -m 120 -H "Authorization: Bearer $API_TOKEN" -H 'Content-Type: application/json' "$@"; }
agent_is_ready() { [ "$(agent_api -o /dev/null -w '%{http_code}' http://127.0.0.1:4840/readyz)" = 200 ]; }

# B87: the Agent API on, in the hardened unit, beside the machine's own target daemon.
upgrades_while_cloning() { # VERSION
  act "the panel offers $1, and disks are cloned meanwhile"
  local before started answers=$SHARE/answers base=iqn.2026-07.com.controller n callers=()
  API_TOKEN=only-for-this-demo
  machine sh -c 'mkdir -p /home/iscsi_img && yes golden | head -c 2G >/home/iscsi_img/_tpl_large.img'
  machine sh -c "printf '%s\n' 'ipxe:' '  agent_token: $API_TOKEN' '  executor: local' >>/etc/incudal-agent/config.yaml"
  machine systemctl start tgt
  machine systemctl restart incudal-agent
  check "the back end answers" eventually 60 agent_is_ready
  before=$(count_beats)
  started=$(restarts)
  mkdir "$answers"
  publish "$1"
  control "offer?arch=$ARCH"
  check "they begin while the new file is being tested" phase_is_soon testing "$1"
  for n in a b; do
    clones_during testing "$base:clone-$n" "$answers/$n" &
    callers+=($!)
  done
  check "the upgrade waits for the last of them" phase_is_soon draining "$1"
  wait "${callers[@]}" || true
  check "all are answered as ever" is "$(grep -rl '"backing":"/home/iscsi_img/clone-.*\.img"' "$answers" | wc -l)" "$(find "$answers" -type f | wc -l)"
  check "then $1 is heard, and has proven itself" eventually 120 beat_matches "$before" "accepted $1 upgrade=completed"
  check "by exactly one restart" is "$(restarts)" $((started + 1))
  n=$(find "$answers" -type f -printf '%T@ %f\n' | sort -n | tail -n 1 | cut -d' ' -f2)
  check "the last disk is whole" machine cmp /home/iscsi_img/_tpl_large.img "/home/iscsi_img/clone-$n.img"
  check "and exported" eventually 20 exported "$base:clone-$n"
  NOW=$1
  # shellcheck disable=SC2016 # sed's own $
  machine sed -i '/^ipxe:/,$d' /etc/incudal-agent/config.yaml
  machine systemctl restart incudal-agent
  machine systemctl stop tgt
  machine rm -r /home/iscsi_img
  rm -r "$answers"
}

# One disk after the other, as long as the upgrade is in that phase.
clones_during() { # PHASE IQN FILE
  local n=0
  while machine grep -qs "\"phase\":\"$1\"" "$MARKER" || [ $n = 0 ]; do
    n=$((n + 1))
    agent_api http://127.0.0.1:4840/lun/disk -d "{\"iqn\":\"$2-$n\",\"master\":\"_tpl_large.img\"}" >"$3-$n"
  done
}

# Looks without a pause, for a phase may be short.
phase_is_soon() { # PHASE VERSION
  # shellcheck disable=SC2016 # the inner shell expands it
  machine timeout 120 bash -c 'until grep -qs "\"phase\":\"$1\",\"version\":\"$2\"" '"$MARKER"'; do :; done' wait "$@"
}

exported() { agent_api http://127.0.0.1:4840/lun | grep -q "\"iqn\":\"$1\""; }

# B88: the old process runs on after its file was replaced, and its version was swept away.
outlives_its_file() {
  act "a process whose file was replaced a minute ago"
  local held=$SHARE/held code=0 answers
  API_TOKEN=only-for-this-demo
  mkdir -p "$held/images"
  cp "$SHELF/v1.0.0/incudal-agent-linux-$ARCH" "$held/agent"
  printf '%s\n' 'state_dir: /share/held' 'ipxe:' "  agent_token: $API_TOKEN" '  agent_port: 4841' '  executor: local' \
    '  iqn_base: iqn.2026-07.com.held' '  disk_dir: /share/held/images' '  log_file: /share/held/audit.jsonl' >"$held/config.yaml"
  # shellcheck disable=SC2016 # the inner shell expands it
  machine env INCUDAL_STATE_DIR=/share/held sh -c 'echo $$ >/share/held/pid; exec /share/held/agent -config /share/held/config.yaml' \
    >"$held/log" 2>&1 &
  local process=$!
  check "it runs" eventually 30 lab net curl -sf -o /dev/null http://127.0.0.1:4841/healthz
  cp "$SHELF/v1.0.1/incudal-agent-linux-$ARCH" "$held/agent.new"
  mv "$held/agent.new" "$held/agent"
  check "its file is another version's" is "$(machine env INCUDAL_STATE_DIR=/share/held /share/held/agent --version)" v1.0.1
  sleep 60
  answers=$(for rare in openapi.yaml metrics capabilities masters 'logs?since=0' lun nothing 'logs?since=x' 'lun?iqn=x%20y'; do
    agent_api -o /dev/null -w '%{http_code} ' "http://127.0.0.1:4841/$rare"
  done
  for body in '{' '[]' '{"iqn":"iqn.2026-07.com.held:a","size":"7"}' '{"iqn":"iqn.2026-07.com.held:a","master":"none"}'; do
    agent_api -o /dev/null -w '%{http_code} ' -d "$body" http://127.0.0.1:4841/lun/disk
  done
  agent_api -o /dev/null -w '%{http_code} ' -d '{"iso":"none.iso"}' http://127.0.0.1:4841/lun/cd
  agent_api -o /dev/null -w '%{http_code} ' -X DELETE 'http://127.0.0.1:4841/lun?iqn=iqn.2026-07.com.held:none'
  agent_api -o /dev/null -w '%{http_code} ' -X PUT http://127.0.0.1:4841/lun
  head -c 70000 /dev/zero | agent_api -o /dev/null -w '%{http_code}' --data-binary @- http://127.0.0.1:4841/lun/disk)
  # Nothing serves targets in this machine now.
  check "it answers what it was never asked before" is "$answers" \
    "200 200 200 200 200 503 404 400 503 400 400 400 404 404 503 405 413"
  machine kill -TERM "$(cat "$held/pid")"
  wait $process || code=$?
  check "and stops in order" is $code 0
  check "without a class that is missing" not grep -E 'NoClassDef|ClassNotFound|SIGBUS|fatal error|incudal.*Error' "$held/log"
  rm -rf "$held"
}

# B84: agents that all start, and all lose their panel, at the same moment.
fleet_spreads() {
  act "twenty agents, and a panel that is away for two minutes"
  local fleet=$SHARE/fleet token i tries fleets_process since
  mkdir -p "$fleet"
  cp "$SHELF/v1.0.0/incudal-agent-linux-$ARCH" "$fleet/agent"
  for i in $(seq 20); do
    token=$(panel -X POST "$URL/reference/token")
    panel "$URL/api/agent/install-config/$token" | sed "s/INCUDAL_AGENT_ID='\(.*\)'/agent_id: \1/; s/INCUDAL_AGENT_SECRET='\(.*\)'/agent_secret: \1/" \
      >"$fleet/$i.yaml"
    printf '%s\n' "panel_url: $URL" 'panel_ca_file: /share/panel-ca.pem' "state_dir: /share/fleet/$i" >>"$fleet/$i.yaml"
  done
  # shellcheck disable=SC2016 # the inner shell expands it
  machine env INCUDAL_STATE_DIR=/share/fleet bash -c '
    cd /share/fleet && ./agent --version >/dev/null
    for i in $(seq 20); do ./agent -config "$i.yaml" >"$i.log" 2>&1 & all+=($!); done
    echo $$ >pid; trap "kill ${all[*]}" TERM; wait' &
  fleets_process=$!
  check "all are heard" eventually 90 all_heard
  since=$(date +%s%3N)
  control 'away?seconds=150'
  sleep 150
  tries=$(fleet_tries | awk -v since="$since" '$1 > since && $3 != "accepted"')
  printf '   %d tries\n' "$(wc -l <<<"$tries")"
  check "each waits longer from try to try, up to the interval" gaps_grow "$tries"
  check "and soon they try at different times" is_spread "$tries"
  since=$(date +%s%3N)
  control 'away?seconds=80&retry_after=40'
  sleep 80
  tries=$(fleet_tries | awk -v since="$since" '$1 > since && $3 != "accepted"')
  check "a Retry-After of 40 seconds is kept by all" waits_are "$tries" 39900 44500
  since=$(date +%s%3N)
  check "and all come back" eventually 60 all_heard_since "$since"
  machine kill -TERM "$(cat "$fleet/pid")"
  wait $fleets_process || true
  rm -rf "$fleet"
}

fleet_tries() { panel "$URL/reference/times" | grep -F -f <(sed -n 's/^agent_id: //p' "$SHARE"/fleet/*.yaml); }
all_heard_since() { is "$(fleet_tries | awk -v since="$1" '$1 > since && $3 == "accepted" { print $2 }' | sort -u | wc -l)" 20; }
all_heard() { all_heard_since 0; }

# By the agent: at most 30 seconds (and a little for the request) between two tries, and the first
# wait is shorter than the last.
gaps_grow() { # TRIES
  awk '
    $2 in last { gap = $1 - last[$2]; if (gap > 31000) bad = 1; if (!($2 in first)) first[$2] = gap; latest[$2] = gap }
    { last[$2] = $1 }
    END { for (id in latest) { n++; if (latest[id] <= first[id]) bad = 1 } exit bad || n != 20 }' <<<"$1"
}

# The first answer with a wait comes to all, so all have a second try.
waits_are() { # TRIES LEAST MOST
  awk -v least="$2" -v most="$3" '
    $2 in last { n++; gap = $1 - last[$2]; if (gap < least || gap > most) bad = 1 }
    { last[$2] = $1 }
    END { exit bad || n < 20 }' <<<"$1"
}

# After the third try or so: those that started together beat, and fail, together at first.
is_spread() { # TRIES
  awk 'NR == 1 { begin = $1 }
    $1 > begin + 45000 { n = ++second[int($1 / 1000)]; if (n > most) most = n }
    END { exit !most || most > 10 }' <<<"$1"
}

# What a release file is on the other architecture, by emulation.
speaks_arm64() {
  local file=$TOP/dist/incudal-agent-linux-arm64 tree=$SHARE/arm64 token outcome
  act "the release file for arm64, emulated"
  [ "$ARCH" = amd64 ] || return 0
  [ -s "$file" ] || "$TOP/scripts/build-release.sh" arm64
  check "is built" test -s "$file"
  need_tools debootstrap=debootstrap qemu-aarch64-static=qemu-user-static
  # Unpacked only: its programs run under the emulator alone.
  debootstrap --foreign --arch=arm64 --variant=minbase bookworm "$tree" >"$SHARE/arm64.log" 2>&1 ||
    die "debootstrap for arm64 failed: $(tail -n 3 "$SHARE/arm64.log")"
  cp "$file" "$tree/agent"
  cp "$SHARE/panel-ca.pem" "$tree/"
  echo '127.0.0.1 panel.test' >"$tree/etc/hosts"
  token=$(panel -X POST "$URL/reference/token")
  panel "$URL/api/agent/install-config/$token" | sed "s/INCUDAL_AGENT_ID='\(.*\)'/agent_id: \1/; s/INCUDAL_AGENT_SECRET='\(.*\)'/agent_secret: \1/" \
    >"$tree/config.yaml"
  printf '%s\n' "panel_url: $URL" 'panel_ca_file: /panel-ca.pem' >>"$tree/config.yaml"
  check "says its version" is "$(emulated "$tree" /agent --version)" "$(cat "$TOP/VERSION")"
  local before
  before=$(count_beats)
  outcome=$(emulated "$tree" /agent -config /config.yaml -once 2>&1) || true
  check "and its heartbeat is accepted (${outcome##*$'\n'})" beat_matches "$before" "accepted $(cat "$TOP/VERSION")"
  rm -rf "$tree"
}

emulated() { # TREE COMMAND...
  lab net unshare --user --map-root-user --mount \
    "$TOP/scripts/lib/chroot.sh" "$1" "$(command -v qemu-aarch64-static)" "${@:2}"
}

on_openrc() {
  act "a machine with OpenRC"
  kill "$PANEL_PID"
  rm -rf "$PANEL_DIR"
  lab down
  # shellcheck disable=SC2034 # for lab
  KIND=openrc
  lab up
  SHARE=$(lab env | sed -n 's/^export LAB_SHARE=//p')
  start_panel
  publish v1.0.0
  local token before
  token=$(panel -X POST "$URL/reference/token")
  check "the script ends well" install_agent "INCUDAL_AGENT_INSTALL_TOKEN=$token"
  check "the service runs, and starts with the machine" machine sh -c 'rc-service incudal-agent status && rc-update show default | grep -q incudal-agent'
  check "the panel hears it" eventually 30 beat_matches 0 'accepted v1.0.0'
  machine sh -c "printf '%s\n' '# edited by hand' 'heartbeat_interval_seconds: 5' >>/etc/incudal-agent/config.yaml"
  check "a new installation ends well" install_agent
  check "and keeps the edits" machine grep -q '^# edited by hand' /etc/incudal-agent/config.yaml
  before=$(count_beats)
  machine pkill -9 -o java
  check "it is started again when it dies" eventually 40 beat_matches "$before" 'accepted v1.0.0'
  publish v1.0.1
  control "offer?arch=$ARCH"
  check "an upgrade is refused, and the panel hears why" eventually 40 beat_matches "$before" 'accepted v1.0.0 upgrade=refused to=v1.0.1 reason="..*"'
  beats "$before" | tail -n 1
  machine rc-service incudal-agent stop
  check "it stops" not machine pgrep -x java
}

the_rest() {
  control offer
  cut_script
  panel_moves
  variant "$ARCH" v1.0.5 "$SHELF/v1.0.5" dies
  NOW=v1.0.1
  fails_to_install v1.0.2 "cannot send the test heartbeat"
  fails_to_install v1.0.5 "dies as a service"
  variant "$ARCH" v1.0.3 "$SHELF/v1.0.3" hang
  variant "$ARCH" v1.0.4 "$SHELF/v1.0.4" mute
  rolls_back v1.0.3 "hangs" $((WATCH + 60))
  rolls_back v1.0.4 "has a wrong secret" $((WATCH + 60))
  local number=0 phase
  for phase in downloading testing restarting; do
    number=$((number + 1))
    variant "$ARCH" "v1.1.$number" "$SHELF/v1.1.$number"
    survives_kill "$phase" "v1.1.$number"
  done
  variant "$ARCH" v1.2.0 "$SHELF/v1.2.0"
  upgrades_while_cloning v1.2.0
  outlives_its_file
  fleet_spreads
  speaks_arm64
  on_openrc
}
