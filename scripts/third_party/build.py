"""Gets other projects' sources from where users get them, and compiles their tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from third_party.listing import (
    HDF5_SEQUELS,
    HDF5_SOURCES,
    HDF5_TESTS,
    Suites,
    mpich_list,
    romio_list,
)

PACKAGES = ("mpich", "hdf5", "pnetcdf")
MPI4PY = "mpi4py==3.1.4"  # Debian 12's version
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What MPICH's configure would find out for its tests.
MPICH_CONFIGURATION = """
#define HAVE_STDLIB_H 1
#define HAVE_STDIO_H 1
#define HAVE_STRING_H 1
#define HAVE_STDARG_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_MPI_FILE 1
#define HAVE_FILE_IO 1
#define THREAD_PACKAGE_NAME 2
"""


def fetch(folder: Path) -> None:
    state = folder / "apt"
    for name in ("lists", "cache"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "sources.list").write_text(
        f"deb-src [signed-by={KEYRING}] http://deb.debian.org/debian bookworm main\n"
    )
    apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={state}/sources.list"]
    apt += ["-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={state}/lists"]
    apt += ["-o", f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User=root"]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "source", "--only-source", *PACKAGES], cwd=folder, check=True)
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, MPI4PY], cwd=folder, check=True)
    for archive in folder.glob("mpi4py-*.tar.gz"):
        shutil.unpack_archive(archive, folder)


def compile_program(suites: Suites, out: Path, sources: list[Path], *flags: str) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [f"mpicc.{suites.mpi}", "-O1", "-g", "-w", *map(str, sources), "-o", str(out), *flags]
    with out.with_suffix(".log").open("w") as log:
        if subprocess.run(command, stdout=log, stderr=log, check=False).returncode != 0:
            print(f"not built: {out.parent.name}/{out.name}, see {log.name}")


def build_mpich(suites: Suites) -> None:
    tests = suites.source("mpich") / "test/mpi"
    include = suites.bin / "include"
    include.mkdir(parents=True, exist_ok=True)
    (include / "mpitestconf.h").write_text(MPICH_CONFIGURATION)
    flags = [f"-I{include}", f"-I{tests}/include", f"-I{tests}/util", "-lm", "-lpthread"]
    utilities = [tests / "util" / f"{name}.c" for name in ("mtest", "mtest_common", "mtest_thread")]
    for name, _, _ in mpich_list(suites):
        compile_program(
            suites, suites.bin / "mpich" / name, [tests / "io" / f"{name}.c", *utilities], *flags
        )


def build_romio(suites: Suites) -> None:
    tests = suites.source("mpich") / "src/mpi/romio/test"
    work = suites.bin / "romio"
    work.mkdir(parents=True, exist_ok=True)
    for name, _, _ in romio_list():
        template = tests / f"{name}.c.in"
        original = template if template.exists() else tests / f"{name}.c"
        source = work / f"{name}.c"
        source.write_text(re.sub(r"@\w+@", "", original.read_text()))  # of configure, for Fortran
        compile_program(suites, work / name, [source], f"-I{tests}", "-lm")


def build_hdf5(suites: Suites) -> None:
    source = suites.source("hdf5")
    include = suites.bin / "include"
    include.mkdir(parents=True, exist_ok=True)
    (include / "H5srcdir_str.h").write_text(f'#define config_srcdir "{source}/test"\n')
    flags = [f"-I{p}" for p in (include, source / "testpar", source / "test", source / "src")]
    triplet = subprocess.run(["gcc", "-dumpmachine"], capture_output=True, text=True, check=True)
    flags += [f"-I/usr/include/hdf5/{suites.mpi}"]
    flags += [f"-L/usr/lib/{triplet.stdout.strip()}/hdf5/{suites.mpi}", "-lhdf5", "-lm"]
    common = [source / "test" / f"{name}.c" for name in ("h5test", "testframe")]
    for name in [*HDF5_TESTS, *HDF5_SEQUELS, *HDF5_SEQUELS.values()]:
        sources = [source / "testpar" / f"{part}.c" for part in HDF5_SOURCES.get(name, [name])]
        compile_program(suites, suites.bin / "hdf5" / name, sources + common, *flags)


def build_pnetcdf(suites: Suites) -> None:
    work = suites.bin / "pnetcdf"
    if not work.exists():
        shutil.copytree(suites.source("pnetcdf"), work)
    configure = ["./configure", f"MPICC=mpicc.{suites.mpi}", f"MPICXX=mpicxx.{suites.mpi}"]
    configure += ["--disable-fortran", "--disable-cxx", "CFLAGS=-O1 -w"]
    with (suites.bin / "pnetcdf.log").open("w") as log:
        for command in (
            ["autoreconf", "-fi"],
            configure,
            ["make", "-j2"],
            ["make", "-j2", "tests"],
        ):
            subprocess.run(command, cwd=work, stdout=log, stderr=log, check=True)


def build_mpi4py(suites: Suites) -> None:
    """Debian's own is for Open MPI."""
    if suites.mpi == "openmpi":
        return
    command = ["/usr/bin/python3", "setup.py", "build", f"--mpicc=mpicc.{suites.mpi}"]
    command += ["--build-base", str(suites.bin / "mpi4py")]
    with (suites.bin / "mpi4py.log").open("w") as log:
        subprocess.run(command, cwd=suites.source("mpi4py"), stdout=log, stderr=log, check=True)


def build(suites: Suites) -> None:
    for step in (build_mpich, build_romio, build_hdf5, build_pnetcdf, build_mpi4py):
        print(step.__name__.replace("_", " "), flush=True)
        step(suites)
