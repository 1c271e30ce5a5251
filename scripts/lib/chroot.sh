#!/usr/bin/env bash
# chroot.sh TREE QEMU COMMAND...: runs a command in the root directory TREE of a system; of an arm64
# one on another machine when QEMU names the emulator. Runs in fresh user and mount namespaces, so that
# mounts, and what it tells the kernel about arm64 files, are theirs alone.
set -euo pipefail
tree=$1 qemu=$2
shift 2
if [ -n "$qemu" ]; then
  binfmt=$(mktemp -d)
  mount -t binfmt_misc binfmt_misc "$binfmt"
  # The first bytes of an ELF file for aarch64; F opens the emulator now, from outside of the tree.
  printf '%s' ":aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$qemu:F" \
    >"$binfmt/register"
fi
mount --rbind /proc "$tree/proc"
mount --rbind /dev "$tree/dev"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$tree" "$@"
