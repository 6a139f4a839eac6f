"""The program headrace-plan: what the planning code knows, with no MPI and nothing run."""

import json
import subprocess
from typing import Any

from headrace.errors import HeadraceError
from headrace.libraries import require_program


def ask(question: str, job: dict[str, Any] | None = None) -> Any:  # noqa: ANN401, it is JSON
    words = [question] if job is None else [question, json.dumps(job)]
    answer = subprocess.run(
        [require_program("headrace-plan"), *words], capture_output=True, text=True, check=False
    )
    if answer.returncode:
        raise HeadraceError(answer.stderr.strip())
    return json.loads(answer.stdout)
