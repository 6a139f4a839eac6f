"""Runs the benchmarks of docs/benchmarks.md and prints its tables.

E3SM's recorded maps are looked for in HEADRACE_E3SM_MAPS, else in ../shared/data/e3sm.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEADRACE = Path(sys.executable).parent / "headrace"
MAPS = Path(os.environ.get("HEADRACE_E3SM_MAPS", ROOT.parent / "shared" / "data" / "e3sm"))
E3SM_F = f"e3sm --map {MAPS}/map_f_case_16p.nc"
E3SM_G = f"e3sm --map {MAPS}/map_g_case_16p.nc"
E3SM_I = f"e3sm --map {MAPS}/map_i_case_16p.nc"
FOUR_NODES = "-n 16 --ranks-per-node 4 --repeat 5 --read"
ONE_NODE = "-n 64 --repeat 3 --read"
# Without the two peers that take up to 40 s for one run of s3d-one-node.
QUICK_PEERS = "--peers handmade,romio-openmpi"
FULL_NODE = f"-n 64 --repeat 5 --read --methods auto {QUICK_PEERS}"
CLUSTER = "--cluster 4 --rate 1gbit --repeat 3 --read"
# Peers see four nodes, too.
NODES = f"--cluster 4 --repeat 5 --read --methods auto {QUICK_PEERS}"
# By name: the workload and its options.
RUNS = {
    "e3sm-f": f"{E3SM_F} {FOUR_NODES}",
    "e3sm-g": f"{E3SM_G} {FOUR_NODES}",
    "e3sm-i": f"{E3SM_I} {FOUR_NODES}",
    "btio": f"btio {FOUR_NODES}",
    "s3d": f"s3d {FOUR_NODES}",
    "hacc-aos": f"hacc --layout aos {FOUR_NODES}",
    "hacc-soa": f"hacc --layout soa {FOUR_NODES}",
    "gcrm": f"gcrm {FOUR_NODES}",
    "lattice": f"lattice {FOUR_NODES}",
    "uneven": f"uneven {FOUR_NODES}",
    "random": f"random {FOUR_NODES}",
    "ior": f"ior {FOUR_NODES}",
    "s3d-one-node": f"s3d {ONE_NODE}",
    "e3sm-f-one-node": f"{E3SM_F} -n 16 --repeat 3 --read",
    "small-calls": "ior --set block=8 --set transfer=8 --size 25600 -n 16 --repeat 5 --read",
    "e3sm-f-full": f"{E3SM_F} {FULL_NODE}",
    "e3sm-i-full": f"{E3SM_I} {FULL_NODE}",
    "btio-full": f"btio {FULL_NODE}",
    "s3d-full": f"s3d {FULL_NODE}",
    "lattice-full": f"lattice {FULL_NODE}",
    "hacc-aos-full": f"hacc --layout aos {FULL_NODE}",
    "hacc-soa-full": f"hacc --layout soa {FULL_NODE}",
    "ior-full": f"ior {FULL_NODE}",
    "e3sm-f-nodes": f"{E3SM_F} -n 16 {NODES}",
    "e3sm-g-nodes": f"{E3SM_G} -n 16 {NODES}",
    "e3sm-i-nodes": f"{E3SM_I} -n 16 {NODES}",
    "lattice-nodes": f"lattice -n 32 {NODES}",
    "s3d-cluster": f"s3d --set edge=96 -n 32 {CLUSTER}",
    "e3sm-g-cluster": f"{E3SM_G} -n 32 {CLUSTER}",
    "btio-cluster": f"btio -n 36 {CLUSTER} {QUICK_PEERS}",
}


def run(name: str, folder: Path) -> dict[str, Any]:
    kept = folder / f"{name}.json"
    command = [str(HEADRACE), "bench", *RUNS[name].split(), "--json", str(kept)]
    print(f"== {name}", file=sys.stderr, flush=True)
    answer = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if answer.returncode:
        print(f"   it ended with {answer.returncode}", file=sys.stderr)
    return json.loads(kept.read_text())


def rows(name: str, bench: dict[str, Any]) -> list[str]:
    """One for writes and one for reads: the best method, and beside it the peers and floors."""
    return [row(name, bench, operation) for operation in ("write", "read")]


def row(name: str, bench: dict[str, Any], operation: str) -> str:
    medians = {
        subject["name"]: subject[operation]["whole"]["median"]
        for subject in bench["subjects"]
        if operation in subject
    }
    methods = [each["name"] for each in bench["subjects"] if each["kind"] == "method"]
    best = min((name for name in methods if name in medians), key=lambda each: medians[each])
    subject = next(each for each in bench["subjects"] if each["name"] == best)
    peers = [milliseconds(medians.get(peer)) for peer in PEERS]
    floor = bench["floors"]["contiguous"][operation]["whole"]["median"]
    ratios = [
        ratio(subject[operation][key]) if subject[operation][key] else "-"
        for key in ("whole", "first_call", "later_calls")
    ]
    cells = [name, operation, f"{milliseconds(medians[best])} ({best})", *peers]
    return "| " + " | ".join([*cells, milliseconds(floor), *ratios]) + " |"


PEERS = ("handmade", "ompio", "romio-openmpi", "romio-mpich")


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1e3:,.0f}" if seconds >= 0.01 else f"{seconds * 1e3:.1f}"


def ratio(figures: dict[str, Any]) -> str:
    value = figures["ratio_to_best_peer"]
    return f"{value:.2f}" if value else "-"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="JSON goes to FOLDER/NAME.json")
    every = ", ".join(RUNS)
    parser.add_argument("names", nargs="*", metavar="name", help=f"default: all of {every}")
    given = parser.parse_args()
    if unknown := set(given.names) - set(RUNS):
        parser.error(f"no run is called {', '.join(sorted(unknown))}")
    return given


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    header = ["run", "", "Headrace, ms", *PEERS, "floor", "whole", "1st call", "later"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for name in names or RUNS:
        for line in rows(name, run(name, folder)):
            print(line, flush=True)


if __name__ == "__main__":
    given = arguments()
    main(given.folder, given.names)
