#!/usr/bin/env bash
# machine-init.sh TREE systemd|openrc: becomes the first process of TREE. Runs in fresh namespaces.
set -euo pipefail
tree=$1 init=$2
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
export container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin
case $init in
  systemd) exec env -i "container=$container" "PATH=$PATH" /lib/systemd/systemd --log-target=console </dev/null ;;
  openrc)
    # This shell stays, and reaps what lost its parent.
    env -i "PATH=$PATH" openrc sysinit && env -i "PATH=$PATH" openrc default
    while :; do sleep 1000000 & wait; done
    ;;
esac
