"""The system's own tools that make a cluster, and whether they may be used here."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from headrace.errors import HeadraceError

_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "mount": "mount",
    "umount": "mount",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "hostname": "hostname",
}
# Where these tools are, also for a user whose PATH leaves the system's folders out.
_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

# What clusters are made with, tried in namespaces that end with it.
_ATTEMPT = """
mount -t sysfs sysfs /sys
ip link add name bridge type bridge
ip link add name port0 type veth peer name eth0
tc qdisc add dev eth0 root tbf rate 1gbit burst 128kb limit 1mb
"""


def run_tool(*words: str | Path, script: str | None = None) -> str:
    """The output of the tool `words`, which reads `script`; HeadraceError if it fails."""
    answer = subprocess.run(
        [str(word) for word in words],
        input=script,
        stdin=subprocess.DEVNULL if script is None else None,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": _PATH, "LC_ALL": "C"},
        check=False,
    )
    if answer.returncode:
        told = _one_line(answer.stderr or answer.stdout) or f"exit status {answer.returncode}"
        raise HeadraceError(f'"{_one_line(" ".join(map(str, words)))}" failed: {told}')
    return answer.stdout


def _one_line(text: str) -> str:
    return " ".join(text.split())


def inside(namespace: Path, *words: str | Path, script: str | None = None) -> str:
    """The same in the network namespace that is mounted on `namespace`."""
    return run_tool("nsenter", f"--net={namespace}", "--", *words, script=script)


def why_impossible() -> str | None:
    """Why there can be no cluster here, and what to do about it, in one sentence."""
    if os.geteuid() != 0:
        return "a cluster needs root: run the command with sudo."
    missing = [tool for tool in _PACKAGES if not shutil.which(tool, path=_PATH)]
    if missing:
        packages = sorted({_PACKAGES[tool] for tool in missing})
        return f"a cluster needs {_listed(missing)}: install {_listed(packages)}."
    try:
        run_tool("unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-ec", _ATTEMPT)
    except HeadraceError as error:
        return (
            "a cluster needs namespaces, a bridge and tc's tbf, which are forbidden here or not in "
            "this kernel; a container needs CAP_SYS_ADMIN and CAP_NET_ADMIN, as docker run "
            f"--privileged gives: {error}"
        )
    return None


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def require_means() -> None:
    reason = why_impossible()
    if reason:
        raise HeadraceError(reason)
