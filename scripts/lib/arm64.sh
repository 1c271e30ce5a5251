#!/usr/bin/env bash
# arm64.sh QEMU TREE COMMAND...: runs a command in the root directory TREE of an arm64 system. Runs in
# fresh user and mount namespaces, so that what it tells the kernel about arm64 files is theirs alone.
set -euo pipefail
qemu=$1 tree=$2
shift 2
binfmt=$(mktemp -d)
mount -t binfmt_misc binfmt_misc "$binfmt"
# The first bytes of an ELF file for aarch64; F opens the emulator now, from outside of the tree.
printf '%s' ":aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$qemu:F" \
  >"$binfmt/register"
mount --rbind /proc "$tree/proc"
mount --rbind /dev "$tree/dev"
exec chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
