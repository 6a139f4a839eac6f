"""What all suites of Python tests share."""

import shutil

import pytest

from headrace.mpis import Mpi, find_mpirun


@pytest.fixture(params=list(Mpi))
def mpi(request: pytest.FixtureRequest) -> Mpi:
    if not shutil.which(f"mpicc.{request.param}") or not find_mpirun(request.param):
        pytest.skip(f"{request.param} is not installed")
    return request.param
