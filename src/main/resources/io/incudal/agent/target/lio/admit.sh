# shellcheck shell=sh
# Lets a target accept logins again, after refuse.sh.
#
#   $1 name of the target
#   $2... group and value, in turn, as refuse.sh printed them; when its output was lost, nothing:
#   then groups are opened that are as the agent makes them, without a list of initiators
target=/sys/kernel/config/target/iscsi/$1
shift
if [ $# -eq 0 ]; then
  for tpg in "$target"/tpgt_*; do
    [ -d "$tpg" ] || continue
    read -r protected <"$tpg/attrib/demo_mode_write_protect"
    set -- "$tpg"/acls/*/
    if [ "$protected" = 0 ] && [ ! -d "$1" ]; then
      echo 1 >"$tpg/attrib/generate_node_acls" || exit 1
    fi
  done
  exit 0
fi
while [ $# -gt 1 ]; do
  echo "$2" >"$target/tpgt_$1/attrib/generate_node_acls" || exit 1
  shift 2
done
