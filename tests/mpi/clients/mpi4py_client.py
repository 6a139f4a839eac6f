"""An mpi4py program: an interleaved view, written and read collectively."""

import os
import sys
from array import array
from pathlib import Path

from mpi4py import MPI

BLOCK, BLOCKS = 5, 40

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
path = str(Path(os.environ["HEADRACE_TEST_DIR"]) / "client.bin")

filetype = MPI.INT.Create_vector(BLOCKS, BLOCK, BLOCK * ranks).Commit()
file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Set_view(rank * BLOCK * MPI.INT.Get_size(), MPI.INT, filetype)
written = array("i", (rank * 1000 + i for i in range(BLOCK * BLOCKS)))
file.Write_all([written, MPI.INT])
file.Seek(0)
read = array("i", [0] * len(written))
status = MPI.Status()
file.Read_all([read, MPI.INT], status)
file.Close()
filetype.Free()

good = read == written and status.Get_count(MPI.INT) == len(written)
sys.exit(0 if comm.allreduce(good, MPI.LAND) else 1)
