"""Reads the JSON of `headrace bench`."""

import json
from pathlib import Path
from typing import NoReturn, cast

from headrace.bench_format import FORMAT, Bench
from headrace.errors import HeadraceError
from headrace.typed_json import Mismatch, check


def read_bench(path: Path) -> Bench:
    """Raises HeadraceError, with the path in it, for whatever is not a bench of this FORMAT."""
    parsed = _parse(path)
    found = parsed.get("format") if isinstance(parsed, dict) else None
    if found is None:
        raise HeadraceError(f"{path}: not written by `headrace bench --json`: it has no format")
    if found != FORMAT:
        raise HeadraceError(
            f"{path}: its format is {found}, this headrace reads format {FORMAT}; "
            "use the headrace that wrote it"
        )
    try:
        check(parsed, Bench)
    except Mismatch as mismatch:
        raise HeadraceError(f"{path}: damaged, or edited by hand: {mismatch}") from mismatch
    return cast(Bench, parsed)


def _parse(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except OSError as error:
        raise HeadraceError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise HeadraceError(f"{path}: not JSON: {error}") from error


def _refuse(constant: str) -> NoReturn:
    """Of NaN and the infinities, which Python takes for JSON."""
    raise ValueError(f"{constant} is no number of JSON")
