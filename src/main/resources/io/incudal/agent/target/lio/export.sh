# shellcheck shell=sh
# Makes a target with LUN 0 as targetcli does: fileio backstore, target, portal group, portal. All or
# nothing: a failure takes back what was made.
#
#   $1 name of the target        $2 wanted name of the backstore   $3 image
#   $4 1 for a write-back cache  $5 boot id of the kernel that is expected
#
# Exit codes: 3 another kernel, 4 the target exists, 5 the image is not there or not whole,
# 6 another backstore has the image, 1 a step failed. All but 3 and 4 say why.
lio=/sys/kernel/config/target
target=$lio/iscsi/$1
tpg=$target/tpgt_1
name=$2
image=$3
write_back=$4
hba='' backstore='' target_made='' link=''

refuse() { # CODE TEXT
  printf '%s\n' "$2" >&2
  exit "$1"
}

fail() { # TEXT
  printf '%s\n' "$1" >&2
  {
    [ -z "$link" ] || rm "$link"
    [ -z "$target_made" ] || rmdir "$tpg/lun/lun_0" "$tpg"/np/* "$tpg" "$target"
    rmdir "$backstore" "$hba"
  } 2>/dev/null
  exit 1
}

make() { # DIRECTORY...
  mkdir "$@" || fail "cannot make $*"
}

put() { # VALUE FILE
  printf '%s' "$1" >"$2" || fail "cannot write '$1' to $2"
}

read -r boot </proc/sys/kernel/random/boot_id
[ "$boot" = "$5" ] || exit 3
[ ! -d "$target" ] || exit 4
[ -f "$image" ] ||
  refuse 5 "the iSCSI container has no file $image: is the image directory mounted there, at the same path?"
size=$(stat -L -c %s "$image") || refuse 5 "cannot look at $image in the iSCSI container"
if [ "$size" -eq 0 ] || [ $((size % 512)) -ne 0 ]; then
  refuse 5 "$image has $size bytes, which makes no whole blocks"
fi

# A backstore of this image that nothing uses was left by a create that was cut off. The kernel keeps
# one that is in use.
# shellcheck disable=SC2013 # no path here holds a blank
for other in $(grep -lsxF -e "$image" "$lio"/core/fileio_*/*/udev_path); do
  other=${other%/udev_path}
  rmdir "$other" 2>/dev/null || refuse 6 "the backstore ${other##*/} has $image already"
  rmdir "${other%/*}" 2>/dev/null
done

# A name that the backstore of another image has gets a number behind it.
wanted=$name copy=1
while set -- "$lio"/core/fileio_*/"$name" && [ -d "$1" ]; do
  copy=$((copy + 1))
  name=$wanted-$copy
done

# A backstore lies in a directory of its own, whose number no other one has. Of two creates that
# choose the same at the same time, one is refused it by the kernel, and takes the next.
number=0
while [ -d "$lio/core/fileio_$number" ] || ! mkdir "$lio/core/fileio_$number" 2>/dev/null; do
  [ -d "$lio/core/fileio_$number" ] || fail "cannot make $lio/core/fileio_$number"
  number=$((number + 1))
done
hba=$lio/core/fileio_$number
backstore=$hba/$name
make "$backstore"
put "fd_dev_name=$image,fd_dev_size=$size" "$backstore/control"
if [ "$write_back" = 1 ]; then
  put 1 "$backstore/attrib/emulate_write_cache"
  put fd_buffered_io=1 "$backstore/control"
fi
put "$image" "$backstore/udev_path"
put 1 "$backstore/enable"
read -r uuid </proc/sys/kernel/random/uuid
put "$uuid" "$backstore/wwn/vpd_unit_serial"
# Absent in old kernels.
[ ! -f "$backstore/attrib/emulate_model_alias" ] || put 1 "$backstore/attrib/emulate_model_alias"

make "$target"
target_made=1 # from here on nobody else's is taken back
make "$tpg" "$tpg/lun/lun_0"
put 0 "$tpg/attrib/authentication"
put 1 "$tpg/attrib/generate_node_acls"
put 0 "$tpg/attrib/demo_mode_write_protect"
read -r uuid </proc/sys/kernel/random/uuid
link=$tpg/lun/lun_0/${uuid#??????????????????????????}
ln -s "$backstore" "$link" || fail "cannot make LUN 0 of $backstore"

# Where a portal of this port listens on one address only, all addresses cannot be had as well: then
# the portals of the other targets are taken.
portal=''
add_portal() {
  mkdir "$tpg/np/$1" 2>/dev/null && portal=$1
}
add_portal 0.0.0.0:3260 || for other in "$lio"/iscsi/*/tpgt_*/np/*; do
  [ ! -d "$other" ] || [ -d "$tpg/np/${other##*/}" ] || add_portal "${other##*/}"
done
[ -n "$portal" ] || fail "no portal can be had: 0.0.0.0:3260 is refused, and no other target has one"
put 1 "$tpg/enable"

read -r enabled <"$tpg/enable"
[ "$enabled" = 1 ] || fail "$target does not become enabled"
printf '%s\n' "$name"
