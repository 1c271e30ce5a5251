# Lists the targets: the boot id; then for each target a line "T name" and for each of its LUNs a
# line "L number image"; and "." at the end, without which the list is not whole.
#
# No process is started: with hundreds of targets that is what would take the time.
#
# Exit code: 8 the kernel has no iSCSI target.
cd /sys/kernel/config/target/iscsi 2>/dev/null || exit 8
read -r boot </proc/sys/kernel/random/boot_id
printf '%s\n' "$boot"
for target in */; do
  target=${target%/}
  case $target in '*' | discovery_auth) continue ;; esac
  printf 'T %s\n' "$target"
  for file in "$target"/tpgt_*/lun/lun_*/*/udev_path; do
    image=''
    # A target that goes away meanwhile has none any more.
    IFS= read -r image 2>/dev/null <"$file" || [ -n "$image" ] || continue
    lun=${file#*/lun/lun_}
    printf 'L %s %s\n' "${lun%%/*}" "$image"
  done
done
printf '.\n'
