#!/usr/bin/env bash
# machine.sh TREE: becomes the systemd of TREE. Runs in fresh namespaces, as their first process.
set -euo pipefail
tree=$1
mount --make-rprivate /
ip link set lo up 2>/dev/null || true
mount -t proc proc "$tree/proc" -o nosuid,nodev,noexec
# What systemd would set there is this machine's.
mount --bind "$tree/proc/sys" "$tree/proc/sys"
mount -o remount,bind,ro "$tree/proc/sys"
mount -t sysfs sysfs "$tree/sys" -o ro,nosuid,nodev,noexec
mount -t cgroup2 cgroup2 "$tree/sys/fs/cgroup"
mount -t tmpfs tmpfs "$tree/run" -o mode=755,nosuid,nodev
mount -t tmpfs tmpfs "$tree/tmp" -o mode=1777
mount -t tmpfs tmpfs "$tree/dev" -o mode=755,nosuid
for node in null zero full random urandom tty; do
  touch "$tree/dev/$node"
  mount --bind "/dev/$node" "$tree/dev/$node"
done
mkdir "$tree/dev/shm" "$tree/dev/pts"
mount -t tmpfs tmpfs "$tree/dev/shm" -o mode=1777
mount -t devpts devpts "$tree/dev/pts" -o newinstance,ptmxmode=0666,mode=620
ln -s pts/ptmx "$tree/dev/ptmx"
ln -s /proc/self/fd "$tree/dev/fd"
cd "$tree"
pivot_root . .old
cd /
umount -l /.old
exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console </dev/null
