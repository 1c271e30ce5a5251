# shellcheck shell=bash
# File systems of each kind to try things on, made in sparse files.

# filesystem_mount KIND DIR: KIND is btrfs, xfs, ext4, tmpfs or none
filesystem_mount() {
  local kind=$1 dir=$2 options=loop
  mkdir -p "$dir"
  case $kind in
    none) return 0 ;;
    tmpfs)
      mount -t tmpfs -o size=512m tmpfs "$dir"
      return 0
      ;;
    btrfs) need_tools mkfs.btrfs=btrfs-progs ;;
    xfs) need_tools mkfs.xfs=xfsprogs ;;
    ext4) need_tools mkfs.ext4=e2fsprogs ;;
    *) die "unknown file system '$kind': btrfs, xfs, ext4, tmpfs or none" ;;
  esac
  truncate -s 16G "$dir.device"
  case $kind in
    ext4) mkfs.ext4 -q -F "$dir.device" ;;
    btrfs) mkfs.btrfs -q -f "$dir.device" >/dev/null ;;
    xfs) mkfs.xfs -q -f -m reflink=1 "$dir.device" ;;
  esac
  mount -t "$kind" -o "$options" "$dir.device" "$dir" || die "cannot mount a $kind file system (loop devices, kernel module $kind)"
}
