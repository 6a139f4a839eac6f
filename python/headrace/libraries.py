"""Where the libraries to preload are, and the programs that the command runs."""

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
    tails = [Path("lib", multiarch), Path("lib"), Path("libexec", "headrace")]
    installed = [prefix / tail for prefix in prefixes for tail in tails]
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
    return _find(library_name(mpi))


def require_library(mpi: Mpi) -> Path:
    return _require(library_name(mpi), f"it needs {mpi}'s mpicc")


def require_yielding() -> Path:
    """What makes MPICH's progress loop give up the core when it finds nothing."""
    return _require("libheadrace-mpich-yield.so", "it needs MPICH's mpicc")


def require_finishing() -> Path:
    """What lets MPICH's MPI_Finalize end where there are several nodes."""
    return _require("libheadrace-mpich-finish.so", "it needs MPICH's mpicc")


def require_program(name: str) -> Path:
    """A program that the command runs for its user."""
    return _require(name, "it needs netCDF")


def _find(name: str) -> Path | None:
    paths = (folder / name for folder in library_folders())
    return next((path.absolute() for path in paths if path.is_file()), None)


def _require(name: str, needs: str) -> Path:
    found = _find(name)
    if found is None:
        raise HeadraceError(
            f"{name} is not built or not installed. In a checkout: cmake --preset release && "
            f"cmake --build --preset release ({needs}). Elsewhere: set HEADRACE_LIBRARY_DIR to "
            "the folder that holds it."
        )
    return found
