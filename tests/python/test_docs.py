"""Every `sh` block of the documents runs, in the checkout, in order; `text` blocks cannot."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from headrace.cluster.tools import why_impossible
from headrace.libraries import find_library
from headrace.mpis import Mpi

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# As ./check is run in a container, where Open MPI wants to be told that root is meant.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def shell_blocks(document: Path) -> str:
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", document.read_text(), re.M | re.S))


WITH_COMMANDS = [document for document in DOCUMENTS if shell_blocks(document)]


@pytest.mark.parametrize("document", WITH_COMMANDS, ids=lambda path: path.name)
@pytest.mark.skipif(not find_library(Mpi.openmpi), reason="the Open MPI library is not built")
def test_commands_of_the_document_run(document: Path) -> None:
    if document.name == "cluster.md" and (reason := why_impossible()):
        pytest.skip(reason)
    answer = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", shell_blocks(document)],
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_the_document_lead_to_files(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", document.read_text())
    missing = [link for link in links if not (document.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_code_block_says_what_it_is(document: Path) -> None:
    fences = re.findall(r"^```(\w*)$", document.read_text(), re.M)[::2]
    assert "" not in fences
