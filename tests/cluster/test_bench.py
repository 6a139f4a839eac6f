"""The benchmark on nodes: methods and peers over shaped links, and the network's floor."""

import json
from collections.abc import Callable
from pathlib import Path

from headrace.cluster.description import folders
from headrace.mpis import Mpi

NODES, RATE_BYTES = 2, 125_000_000


def test_methods_and_peers_are_measured_over_links(
    mpi: Mpi, tmp_path: Path, headrace: Callable[..., object]
) -> None:
    kept, before = tmp_path / "b.json", folders()
    headrace(
        *["bench", "s3d", "--set", "edge=16", "-n", 4, "--mpi", mpi, "--repeat", 1, "--read"],
        *["--cluster", NODES, "--rate", "1gbit", "--methods", "two_phase,tam"],
        *["--peers", "handmade", "--json", kept],
    )
    bench = json.loads(kept.read_text())
    assert bench["cluster"] == {"nodes": NODES, "rate": "1gbit", "rate_bytes": RATE_BYTES}
    for subject in bench["subjects"]:
        assert subject["state"] == "ok", subject["message"]
        assert subject["write"]["whole"]["n"] == subject["read"]["whole"]["n"] == 1
    tam = bench["subjects"][1]
    assert tam["counters"]["write"]["messages"] > 0, "the nodes are nodes to Headrace"
    floor = bench["floors"]["network"]["write"]
    assert 0 < floor["bytes"] <= floor["even_bytes"]
    assert floor["seconds"] == floor["bytes"] / (NODES * RATE_BYTES)
    assert folders() == before, "the cluster of the bench is gone"
