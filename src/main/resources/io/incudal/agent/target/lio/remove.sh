# shellcheck shell=sh
# Removes a target, its sessions, and the backstores that were its LUNs and are no other's. Goes on
# where an earlier run was cut off, and succeeds when nothing is left to do.
#
#   $1 name of the target
#   $2 an image, when only a target is meant that exports it or is not complete; else ''
#   $3 boot id of the kernel that is expected
#   $4... names of backstores to remove, when nothing uses them and the target has no LUN any more
#
# Exit codes: 3 another kernel, 4 the target is there but not meant, 1 a step failed.
lio=/sys/kernel/config/target
target=$lio/iscsi/$1
image=$2
boot=$3
shift 3
failed=0

try() {
  "$@" || failed=1
}

# Removes a backstore unless something uses it: then the kernel refuses.
drop() { # BACKSTORE
  for group in "$1"/alua/*; do
    case ${group##*/} in '*' | default_tg_pt_gp) ;; *) rmdir "$group" 2>/dev/null ;; esac
  done
  rmdir "$1" 2>/dev/null && rmdir "${1%/*}" 2>/dev/null
}

# shellcheck disable=SC2317 # called by try
disable() { # PORTAL-GROUP: ends its sessions
  echo 0 >"$1/enable"
}

read -r now </proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || exit 3

if [ -n "$image" ]; then
  for file in "$target"/tpgt_*/lun/lun_*/*/udev_path; do
    path=''
    [ ! -f "$file" ] || IFS= read -r path <"$file"
    [ "${path:-$image}" = "$image" ] || exit 4
  done
fi

# The parameters become directories of backstores: of the LUNs, or else of the names.
lun=''
for lun in "$target"/tpgt_*/lun/lun_*/*/udev_path; do break; done
for name; do
  shift
  [ ! -f "$lun" ] || continue
  for backstore in "$lio"/core/fileio_*/"$name"; do set -- "$@" "$backstore"; done
done
for tpg in "$target"/tpgt_*; do
  [ -d "$tpg" ] || continue
  try disable "$tpg"
  for entry in "$tpg"/acls/*/lun_*/* "$tpg"/lun/lun_*/*; do
    [ -L "$entry" ] || continue
    case $entry in */acls/*) ;; *) set -- "$@" "$(cd -P "$entry" && pwd)" ;; esac
    try rm "$entry"
  done
  for entry in "$tpg"/acls/*/lun_* "$tpg"/acls/* "$tpg"/lun/lun_* "$tpg"/np/*; do
    [ ! -d "$entry" ] || try rmdir "$entry"
  done
  try rmdir "$tpg"
done
[ ! -d "$target" ] || try rmdir "$target"

# What has the image and is no LUN was made for this target.
if [ -n "$image" ]; then
  # shellcheck disable=SC2013 # no path here holds a blank
  for file in $(grep -lsxF -e "$image" "$lio"/core/fileio_*/*/udev_path); do
    set -- "$@" "${file%/udev_path}"
  done
fi
for backstore; do drop "$backstore"; done
exit "$failed"
