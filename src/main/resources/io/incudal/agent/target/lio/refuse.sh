# shellcheck shell=sh
# Makes a target refuse new logins, then looks who is logged in. LIO itself would cut sessions
# without a word when the target is removed.
#
#   $1 name of the target   $2 1 to go on although someone is logged in
#   $3 boot id of the kernel that is expected
#
# Prints a line "A group value" for each portal group, with what generate_node_acls was before, and a
# line "S initiator" for each session. Exit codes: 3 another kernel, 4 no such target, 7 someone is
# logged in: everything is as before, 1 a step failed.
target=/sys/kernel/config/target/iscsi/$1
read -r boot </proc/sys/kernel/random/boot_id
[ "$boot" = "$3" ] || exit 3
[ -d "$target" ] || exit 4

before=''
for tpg in "$target"/tpgt_*; do
  [ -d "$tpg" ] || continue
  read -r value <"$tpg/attrib/generate_node_acls"
  before="$before ${tpg##*_}=$value"
  printf 'A %s %s\n' "${tpg##*_}" "$value"
  echo 0 >"$tpg/attrib/generate_node_acls" || exit 1
done

used=0
session() {
  used=1
  printf 'S %s\n' "$1"
}
for tpg in "$target"/tpgt_*; do
  [ -d "$tpg" ] || continue
  # A name a line, and NUL at the end.
  while IFS= read -r initiator; do
    [ -z "$initiator" ] || session "$initiator"
  done <"$tpg/dynamic_sessions"
  for acl in "$tpg"/acls/*; do
    [ -d "$acl" ] || continue
    IFS= read -r line <"$acl/info"
    case $line in 'No active'*) ;; *) session "${acl##*/}" ;; esac
  done
done

if [ "$used" = 1 ] && [ "$2" != 1 ]; then
  for pair in $before; do
    echo "${pair#*=}" >"$target/tpgt_${pair%=*}/attrib/generate_node_acls"
  done
  exit 7
fi
exit 0
