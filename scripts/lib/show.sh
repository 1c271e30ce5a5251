# shellcheck shell=bash
# Steps that show what they do: the command, what came back, how long it took.

if [ -t 1 ]; then
  BOLD=$'\e[1m' DIM=$'\e[2m' GREEN=$'\e[32m' RED=$'\e[31m' PLAIN=$'\e[0m'
else
  BOLD='' DIM='' GREEN='' RED='' PLAIN=''
fi
STEP=0
BODY=
OUTPUT=

title() { printf '\n%s%s%s\n' "$BOLD" "$*" "$PLAIN"; }
step() {
  STEP=$((STEP + 1))
  printf '\n%s%2d  %s%s\n' "$BOLD" "$STEP" "$*" "$PLAIN"
}
note() { printf '    %s%s%s\n' "$DIM" "$*" "$PLAIN"; }
good() { printf '    %s✔%s %s\n' "$GREEN" "$PLAIN" "$*"; }
fail() {
  printf '    %s✘%s %s\n' "$RED" "$PLAIN" "$*"
  exit 1
}

now_us() { echo "${EPOCHREALTIME/[.,]/}"; }
took() { # MICROSECONDS
  if [ "$1" -lt 10000000 ]; then printf '%d.%01d ms' $(($1 / 1000)) $(($1 % 1000 / 100)); else printf '%d s' $(($1 / 1000000)); fi
}
indented() { printf '    %s\n' "${1//$'\n'/$'\n'    }"; }

# run COMMAND...: something of this script; its standard output is kept in OUTPUT
run() {
  local begin end file
  file=$(mktemp)
  begin=$(now_us)
  # Not in a condition: there a failure in the middle of a function would be passed over.
  "$@" >"$file"
  end=$(now_us)
  OUTPUT=$(cat "$file")
  rm -f "$file"
  good "$(took $((end - begin)))"
}

# command_shown COMMAND...: a program of this machine, shown as typed
command_shown() {
  local begin end
  printf '    $ %s\n' "$*"
  begin=$(now_us)
  OUTPUT=$("$@" 2>&1) || {
    indented "$OUTPUT"
    fail "$1 failed"
  }
  end=$(now_us)
  indented "$OUTPUT"
  good "$(took $((end - begin)))"
}

# api METHOD PATH [BODY]: sets BODY, STATUS and MICROSECONDS
api() {
  local answer
  answer=$(curl -sS -m 60 -X "$1" -H "Authorization: Bearer $TOKEN" \
    ${3:+-H 'Content-Type: application/json' -d "$3"} -w '\n%{http_code} %{time_total}' "$AGENT$2") || return 1
  BODY=${answer%$'\n'*}
  read -r STATUS MICROSECONDS <<<"${answer##*$'\n'}"
  MICROSECONDS=$((10#${MICROSECONDS/./}))
}

# request METHOD PATH STATUS [BODY]: shows it as typed; fails unless it is answered with STATUS
request() {
  # shellcheck disable=SC2016 # shown as it is typed
  printf '    $ curl %s-H "Authorization: Bearer $TOKEN" "$AGENT%s"%s\n' \
    "$([ "$1" = GET ] || printf -- '-X %s ' "$1")" "$2" "${4:+ -d '$4'}"
  api "$1" "$2" "${4:-}" || fail "no answer"
  indented "$(jq -c 'if type == "array" then .[] elif .entries then .entries[] elif .masters then .masters[] else . end' <<<"$BODY" 2>/dev/null || echo "$BODY")"
  [ "$STATUS" = "$3" ] || fail "answered $STATUS, not $3"
  good "$STATUS in $(took "$MICROSECONDS")"
}

expect() { # WANTED GOT TEXT
  [ "$1" = "$2" ] || fail "$3: expected $1, got $2"
  good "$3 ($2)"
}

# until_true SECONDS COMMAND...
until_true() {
  local begin end
  begin=$(now_us)
  wait_until "$@" || fail "not within $1 s: ${*:2}"
  end=$(now_us)
  note "after $(took $((end - begin)))"
}
