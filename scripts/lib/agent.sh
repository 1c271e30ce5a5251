# shellcheck shell=bash
# Building, starting and stopping the agent, the way a node should run it.

# shellcheck source=scripts/lib/jdk.sh
. "$TOP/scripts/lib/jdk.sh"

JAR=$TOP/target/incudal-agent.jar

# A small heap, one collector thread, the quick compiler alone, and native memory given back: the
# agent holds no data, and a node's memory is for the page cache. Measured by scripts/bench.
JVM_FLAGS=(-XX:+UseSerialGC -Xms16m -Xmx64m -Xss512k -XX:TieredStopAtLevel=1
  -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockExperimentalVMOptions
  -XX:TrimNativeHeapInterval=2000 -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=20)

agent_build() {
  need_jdk
  if [ -s "$JAR" ] && [ -z "$(find "$TOP/src" "$TOP/pom.xml" "$TOP/VERSION" -newer "$JAR" -print -quit)" ]; then
    return 0
  fi
  maven -q package -DskipTests >&2 || die "the build failed"
}

# agent_launch DIR JVM-FLAG...: in the background, with the settings of DIR/agent.env and nothing
# else of this environment; its log is DIR/agent.log. The exit code ends up in DIR/agent.exit.
agent_launch() {
  local dir=$1 settings
  shift
  mapfile -t settings <"$dir/agent.env"
  rm -f "$dir/agent.exit"
  (
    cd "$dir" || exit
    # In a session of its own: a closed terminal or Ctrl-C is the script's to answer.
    setsid env -i PATH="$PATH" HOME="${HOME:-/root}" LANG=C.UTF-8 MALLOC_ARENA_MAX=1 \
      "${settings[@]}" \
      java "${JVM_FLAGS[@]}" "$@" -jar "$JAR" </dev/null >>"$dir/agent.log" 2>&1 &
    process_record "$!" "$dir/agent.process"
    code=0
    wait "$!" || code=$?
    echo "$code" >"$dir/agent.exit"
  ) >/dev/null 2>&1 & # holding no pipe of the caller's open
  wait_until 5 test -s "$dir/agent.process"
}

# agent_settings DIR PORT NAME=VALUE...: what the lab printed must be in the environment
agent_settings() {
  local dir=$1 port=$2
  shift 2
  mkdir -p "$dir"
  {
    printf '%s\n' IPXE_AGENT_HOST=127.0.0.1 "IPXE_AGENT_PORT=$port" "IPXE_LOG_FILE=$dir/audit.jsonl"
    local name
    for name in DOCKER_HOST IPXE_BACKEND IPXE_ISCSI_CONTAINER IPXE_DISK_DIR; do
      printf '%s=%s\n' "$name" "${!name}"
    done
    printf '%s\n' "$@"
  } >"$dir/agent.env"
  chmod 600 "$dir/agent.env"
}

agent_answers() { curl -fsS -m 2 -o /dev/null "http://127.0.0.1:$1/healthz" 2>/dev/null; }
agent_ready() { curl -fsS -m 2 -o /dev/null "http://127.0.0.1:$1/readyz" 2>/dev/null; }

# agent_start DIR PORT JVM-FLAG...: launches it and waits until it is ready
agent_start() {
  local dir=$1 port=$2
  shift 2
  agent_launch "$dir" "$@"
  if ! wait_until 60 agent_ready_or_gone "$dir" "$port" || ! agent_ready "$port"; then
    tail -n 20 "$dir/agent.log" >&2
    die "the agent did not get ready (its log above)"
  fi
}

agent_ready_or_gone() { agent_ready "$2" || ! process_alive "$1/agent.process"; }

# agent_stop DIR: gracefully; prints its exit code
agent_stop() {
  process_end "$1/agent.process" TERM 40
  wait_until 5 test -s "$1/agent.exit" || true
  cat "$1/agent.exit" 2>/dev/null || echo none
}

# agent_archive FILE: a class-data archive of what the agent loads, for -XX:SharedArchiveFile. It is
# made by a start and a few requests, and belongs to this jar and this JDK.
agent_archive() {
  local dir port
  [ ! -s "$1" ] || [ "$JAR" -nt "$1" ] || return 0
  dir=$(mktemp -d)
  port=$(free_port)
  IPXE_BACKEND=stgt IPXE_ISCSI_CONTAINER=none DOCKER_HOST=unix://$dir/none.sock IPXE_DISK_DIR=$dir \
    agent_settings "$dir" "$port" IPXE_AGENT_TOKEN=for-the-class-data-archive
  agent_launch "$dir" "-XX:ArchiveClassesAtExit=$1"
  if wait_until 60 agent_answers "$port"; then
    local path
    for path in healthz readyz masters lun capabilities 'logs?limit=1' metrics openapi.yaml; do
      curl -sS -m 5 -o /dev/null -H 'Authorization: Bearer for-the-class-data-archive' \
        "http://127.0.0.1:$port/$path" || true
    done
  fi
  agent_stop "$dir" >/dev/null
  [ -s "$1" ] || tail -n 5 "$dir/agent.log" >&2
  rm -rf "$dir"
}
