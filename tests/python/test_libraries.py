"""Where the libraries are looked for."""

from pathlib import Path

import pytest

from headrace import libraries
from headrace.errors import HeadraceError
from headrace.mpis import Mpi


def test_users_own_folder_comes_first(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_LIBRARY_DIR", str(stand_in))
    assert libraries.find_library(Mpi.openmpi) == stand_in / "libheadrace-openmpi.so"


def test_checkouts_build_is_searched() -> None:
    checkout = Path(__file__).resolve().parents[2]
    assert checkout / "build" / "release" / "src" in libraries.library_folders()


def test_missing_library_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "library_folders", lambda: [tmp_path])
    with pytest.raises(HeadraceError, match=r"(?s)is not built.*HEADRACE_LIBRARY_DIR"):
        libraries.require_library(Mpi.mpich)
