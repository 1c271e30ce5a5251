# The far end of a tool session: POSIX sh only, run as `sh -c`, one request after another.
#
# The first line of standard input is a secret that ends each reply; it is in no argument and in no
# environment, so no tool can print it. Then a request is lines: its id, the number of steps, and
# for each step the number of words and the words. Words become positional parameters and are
# never evaluated.
#
# A reply is what the steps print, then a marker on each of the two streams, because Docker copies
# them independently.

# A step's first word may be this function: ends what earlier sessions left running. Arguments are
# pairs of a shell's process id and the tag in its environment; prints the processes that do not
# die. A process id may have been given to another process since, so the tag decides.
_end() (
  tagged() {
    for f in "/proc/$1/cmdline" "/proc/$1/environ"; do
      while IFS= read -r l || [ -n "$l" ]; do
        case $l in *"$2"*) return 0 ;; esac
        l=
      done <"$f"
    done
    return 1
  }
  # Of the shell itself, its children, and whatever is in its group or session.
  find_left() {
    left=
    for d in /proc/[0-9]*; do
      IFS= read -r l <"$d/stat" || continue
      p=${d#/proc/}
      set -- "$1" "$2" ${l##*) }
      case " $p $4 $5 $6 " in *" $1 "*) ;; *) continue ;; esac
      [ "$3" != Z ] && tagged "$p" "$2" && left="$left $p"
    done
  }
  stuck=
  while [ $# -gt 1 ]; do
    pass=0
    while find_left "$1" "$2"; [ -n "$left" ]; do
      if [ "$pass" -eq 23 ]; then
        stuck="$stuck$left"
        break
      fi
      # The shell goes last: it still has to collect its children.
      first=
      for p in $left; do [ "$p" = "$1" ] || first="$first $p"; done
      kill -9 ${first:-$left}
      [ "$pass" -lt 20 ] || sleep 1
      pass=$((pass + 1))
    done
    shift 2
  done
  printf %s "$stuck"
  [ -z "$stuck" ]
) 2>/dev/null

IFS= read -r _secret || exit 0
printf '\n%s 0 0 %s\n' "$_secret" "$$"
printf '\n%s 0\n' "$_secret" >&2
while IFS= read -r _id && IFS= read -r _steps; do
  _step=0 _last=0 _code=0
  while [ "$_step" -lt "$_steps" ]; do
    IFS= read -r _words || exit 0
    set --
    while [ "$_words" -gt 0 ]; do
      IFS= read -r _word || exit 0
      set -- "$@" "$_word"
      _words=$((_words - 1))
    done
    if [ "$_code" -eq 0 ]; then
      _last=$_step
      "$@" </dev/null
      _code=$?
    fi
    _step=$((_step + 1))
  done
  printf '\n%s %s %s %s\n' "$_secret" "$_id" "$_last" "$_code"
  printf '\n%s %s\n' "$_secret" "$_id" >&2
done
