"""JSON files that the command writes for its users."""

import json
from pathlib import Path

from headrace.errors import HeadraceError


def write_json(content: object, file: Path) -> None:
    """Never leaves half a file, and leaves the old one where it fails."""
    draft = file.with_name(file.name + ".part")
    try:
        draft.write_text(json.dumps(content, indent=1) + "\n")
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise HeadraceError(f"--json: {file} cannot be written: {error.strerror}.") from error
