"""Where the libraries to preload are."""

import os
import sys
import sysconfig
from pathlib import Path

from headrace.errors import HeadraceError
from headrace.mpis import Mpi

# The root of the checkout, when the package is used from one (python/headrace/libraries.py).
_CHECKOUT = Path(__file__).resolve().parents[2]


def library_folders() -> list[Path]:
    """Folders in the order of search: the user's own, the checkout's build, installed ones."""
    own = os.environ.get("HEADRACE_LIBRARY_DIR")
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    prefixes = [Path(sys.prefix), Path("/usr/local"), Path("/usr")]
    installed = [prefix / "lib" / tail for prefix in prefixes for tail in (multiarch, "")]
    listed = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return [
        *([Path(own)] if own else []),
        _CHECKOUT / "build" / "release" / "src",
        *(Path(folder) for folder in listed if folder),
        *installed,
    ]


def library_name(mpi: Mpi) -> str:
    return f"libheadrace-{mpi}.so"


def find_library(mpi: Mpi) -> Path | None:
    paths = (folder / library_name(mpi) for folder in library_folders())
    return next((path.absolute() for path in paths if path.is_file()), None)


def require_library(mpi: Mpi) -> Path:
    library = find_library(mpi)
    if library is None:
        raise HeadraceError(
            f"{library_name(mpi)} is not built or not installed. In a checkout: cmake --preset "
            f"release && cmake --build --preset release (it needs {mpi}'s mpicc). Elsewhere: set "
            "HEADRACE_LIBRARY_DIR to the folder that holds it."
        )
    return library
