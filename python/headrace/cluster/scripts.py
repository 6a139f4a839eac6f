"""The scripts in the folder of a cluster by which commands get on to its nodes."""

from pathlib import Path

# What of the caller's environment is not so on a node: it belongs to no allocation of Slurm.
ENTER = """#!/bin/sh
# enter NODE COMMAND ARGUMENTS: becomes the command, on the node.
cluster=${0%/*}
node=$cluster/$1
shift
for variable in $(env | sed -n 's/^\\(SLURM_[A-Za-z0-9_]*\\)=.*/\\1/p'); do
  unset "$variable"
done
exec nsenter --net="$node/net" --uts="$node/uts" --ipc="$node/ipc" -- \\
  unshare --mount -- "$cluster/see" "$@"
"""

# Folders in /dev/shm are mounted one by one, so that files in them are the same on all nodes, and
# what MPIs put into /dev/shm itself is not. Other programs may remove theirs meanwhile.
SEE = """#!/bin/sh -e
# Run by `enter` in a mount namespace of its own: what a node sees in its own way.
cluster=${0%/*}
mount -t sysfs sysfs /sys
mount --bind "$cluster/hosts" /etc/hosts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
for folder in "$cluster"/host_shm/*/; do
  [ -d "$folder" ] || continue
  own=/dev/shm/$(basename "$folder")
  mkdir "$own"
  error=$(mount --bind "$folder" "$own" 2>&1) && continue
  rmdir "$own"
  [ ! -d "$folder" ] || { echo "$error" >&2; exit 1; }
done
exec "$@"
"""

AGENT = """#!/bin/sh
# agent [OPTIONS] NODE WORDS: as ssh, runs the words, joined, by a shell on the node.
while [ "${1#-}" != "$1" ]; do
  shift
done
node=$1
shift
exec "${0%/*}/enter" "$node" sh -c "$*"
"""


def write_scripts(folder: Path) -> None:
    for name, text in {"enter": ENTER, "see": SEE, "agent": AGENT}.items():
        script = folder / name
        script.write_text(text)
        script.chmod(0o755)
