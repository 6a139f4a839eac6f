"""The command line and the environment that `headrace run` makes."""

from pathlib import Path

import pytest

from headrace import launch
from headrace.errors import HeadraceError
from headrace.hints import joined_hints, parse_hints
from headrace.launch import Request, launch_command, preload_environment, program_environment
from headrace.mpis import Mpi

LIBRARY = Path("/opt/headrace/lib/libheadrace-openmpi.so")
ENGINE, PRIORITY = "OMPI_MCA_io", "OMPI_MCA_io_ompio_priority"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ("LD_PRELOAD", "LD_LIBRARY_PATH", "HEADRACE_HINTS", "SLURM_JOB_ID", ENGINE, PRIORITY)
    for name in ours:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "require_mpirun", lambda mpi: Path(f"/bin/mpirun.{mpi}"))
    monkeypatch.setattr(launch, "physical_cores", lambda: 4)
    monkeypatch.setattr(launch, "romio_of_openmpi", lambda: "romio321")


def words(**settings: object) -> list[str]:
    return launch_command(Request(["./a", "-x"], Mpi.openmpi, LIBRARY, **settings)).words


def test_env_preloads_the_program_and_not_the_launcher() -> None:
    assert words(ranks=2) == [
        *["/bin/mpirun.openmpi", "-n", "2"],
        *["env", f"LD_PRELOAD={LIBRARY}", f"{ENGINE}=romio321", "./a", "-x"],
    ]


def test_romio_is_chosen_only_under_headrace_and_where_the_user_chooses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def environment(mpi: Mpi, library: Path | None) -> dict[str, str]:
        return program_environment(Request(["./a"], mpi, library))

    assert environment(Mpi.openmpi, LIBRARY)[ENGINE] == "romio321"
    assert ENGINE not in environment(Mpi.openmpi, None)
    assert ENGINE not in environment(Mpi.mpich, LIBRARY)
    for variable in (ENGINE, PRIORITY):
        with monkeypatch.context() as chosen:
            chosen.setenv(variable, "30")
            assert ENGINE not in environment(Mpi.openmpi, LIBRARY)
    monkeypatch.setattr(launch, "romio_of_openmpi", lambda: None)
    assert ENGINE not in environment(Mpi.openmpi, LIBRARY)


def test_hints_and_settings_reach_the_ranks() -> None:
    made = words(
        hints={"cb_nodes": "2"}, ranks_per_node=4, stats=True, report=Path("/tmp/r"), timers=True
    )
    assert made[made.index("env") + 3 : -2] == [
        "HEADRACE_HINTS=*:cb_nodes=2",
        "HEADRACE_RANKS_PER_NODE=4",
        "HEADRACE_STATS=1",
        "HEADRACE_TIMERS=1",
        "HEADRACE_REPORT=/tmp/r",
    ]


def test_oversubscribe_only_beyond_the_cores() -> None:
    assert "--oversubscribe" not in words(ranks=4)
    assert "--oversubscribe" in words(ranks=5)


@pytest.mark.parametrize(
    ("yields", "ranks", "in_slurm", "gives_up"),
    [
        (None, None, False, False),
        (None, 4, False, False),
        (None, 5, False, True),
        (None, 5, True, False),
        (False, 5, False, False),
        (True, 2, False, True),
    ],
)
def test_mpich_gives_up_cores_where_they_are_short(
    monkeypatch: pytest.MonkeyPatch,
    yields: bool | None,
    ranks: int | None,
    in_slurm: bool,
    gives_up: bool,
) -> None:
    monkeypatch.setattr(launch, "require_yielding", lambda: Path("/lib/yield.so"))
    monkeypatch.setattr(launch.shutil, "which", lambda name: f"/bin/{name}")
    if in_slurm:
        monkeypatch.setenv("SLURM_JOB_ID", "7")

    def preloaded(mpi: Mpi) -> str:
        request = Request(["./a"], mpi, LIBRARY, ranks, yields=yields)
        return program_environment(request)["LD_PRELOAD"]

    assert ("/lib/yield.so" in preloaded(Mpi.mpich)) is gives_up
    assert "/lib/yield.so" not in preloaded(Mpi.openmpi)


@pytest.mark.parametrize(("user", "told"), [(0, True), (1000, False)])
def test_open_mpi_is_told_of_root_only_for_root(
    monkeypatch: pytest.MonkeyPatch, user: int, told: bool
) -> None:
    monkeypatch.setattr(launch.os, "geteuid", lambda: user)
    command = launch_command(Request(["./a"], Mpi.openmpi, LIBRARY))
    assert bool(command.environment) is told


def test_slurm_allocation_is_started_by_srun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setattr(launch.shutil, "which", lambda name: f"/bin/{name}")
    assert words(ranks=8)[:4] == ["/bin/srun", "-n", "8", "env"]


def test_existing_preload_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/lib/libother.so")
    assert preload_environment([LIBRARY]) == {"LD_PRELOAD": f"{LIBRARY}:/lib/libother.so"}


def test_library_in_a_folder_with_a_space_is_found_by_its_name() -> None:
    assert preload_environment([Path("/my work/libheadrace-mpich.so")]) == {
        "LD_PRELOAD": "libheadrace-mpich.so",
        "LD_LIBRARY_PATH": "/my work",
    }


def test_several_libraries_are_preloaded_in_their_order() -> None:
    other = Path("/opt/my tools/liby.so")
    assert preload_environment([LIBRARY, other]) == {
        "LD_PRELOAD": f"{LIBRARY}:liby.so",
        "LD_LIBRARY_PATH": "/opt/my tools",
    }


def test_library_in_a_folder_with_a_colon_is_refused() -> None:
    with pytest.raises(HeadraceError, match="cannot be preloaded"):
        preload_environment([Path("/a:b/libheadrace-mpich.so")])


def test_hints_are_joined_after_the_users_own() -> None:
    hints = parse_hints("cb_nodes=2,headrace_method=tam")
    assert joined_hints(hints, "out*:cb_nodes=1") == (
        "out*:cb_nodes=1,*:cb_nodes=2:headrace_method=tam"
    )
    assert joined_hints({}, "out*:cb_nodes=1") == "out*:cb_nodes=1"


@pytest.mark.parametrize("text", ["cb_nodes", "=2", "cb_nodes=", "a=1,b"])
def test_hint_that_is_not_key_value_is_refused(text: str) -> None:
    with pytest.raises(HeadraceError, match="is not key=value"):
        parse_hints(text)


def test_hint_with_a_colon_is_refused() -> None:
    with pytest.raises(HeadraceError, match="MPI_Info"):
        parse_hints("striping_unit=1:2")


def test_list_of_hosts_keeps_its_separators_and_comes_last() -> None:
    hints = parse_hints("cb_config_list=a:2,b,cb_nodes=3")
    assert hints == {"cb_config_list": "a:2,b", "cb_nodes": "3"}
    assert joined_hints(hints) == "*:cb_nodes=3:cb_config_list=a:2,b"
