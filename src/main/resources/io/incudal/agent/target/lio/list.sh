# shellcheck shell=sh
# Lists the targets: the boot id; a line "T name/" for each target; a line "L name/tpgt_N/lun/lun_N/"
# for each LUN; a line "name/tpgt_N/lun/lun_N/.../udev_path:image" for each that has an image; and
# "." at the end, without which the list is not whole. Where there is nothing, a pattern is left.
#
# One process reads it all: to start many, or to read in the shell, letter by letter, is what takes
# the time when there are hundreds.
#
# Exit code: 8 the kernel has no iSCSI target.
cd /sys/kernel/config/target/iscsi 2>/dev/null || exit 8
read -r boot </proc/sys/kernel/random/boot_id
printf '%s\n' "$boot"
printf 'T %s\n' */
printf 'L %s\n' */tpgt_*/lun/lun_*/
grep -sH -e '' -- */tpgt_*/lun/lun_*/*/udev_path
printf '.\n'
