"""An h5py program: a chunked dataset, written and read collectively by interleaved rows."""

import os
import sys
from pathlib import Path

import h5py
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
path = str(Path(os.environ["HEADRACE_TEST_DIR"]) / "client.h5")

values = np.arange(12 * 30, dtype="f8").reshape(12, 30) + rank * 1e6
with h5py.File(path, "w", driver="mpio", comm=comm) as file:
    dataset = file.create_dataset("field", (12 * ranks, 30), dtype="f8", chunks=(5, 8))
    with dataset.collective:
        dataset[rank::ranks, :] = values
    read = np.zeros_like(values)
    with dataset.collective:  # dataset[...] would read independently: h5py's fast path
        dataset.read_direct(read, np.s_[rank::ranks, :])

good = bool(np.array_equal(read, values))
sys.exit(0 if comm.allreduce(good, MPI.LAND) else 1)
