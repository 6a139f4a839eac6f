"""Which libraries a program loads, as the system's own loader resolves them."""

import re
import subprocess
from pathlib import Path

ELF_MAGIC = b"\x7fELF"


def starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def is_elf(path: Path) -> bool:
    return starts_with(path, ELF_MAGIC)


def ldd_lines(path: Path) -> list[str]:
    """Lines of `ldd`; none for a statically linked program."""
    answer = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else []


def needed_libraries(path: Path) -> set[str]:
    """Names of all libraries that `path` needs, directly or through another."""
    return {line.split()[0] for line in ldd_lines(path) if line.split()}


def missing_libraries(path: Path) -> set[str]:
    """Those of them that the loader does not find."""
    return {
        found.group(1)
        for line in ldd_lines(path)
        if (found := re.match(r"\s*(\S+) => not found", line))
    }
