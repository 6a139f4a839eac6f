"""The command `headrace report`."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    source: Annotated[Path, typer.Argument(metavar="BENCH.json", help="From headrace bench.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", metavar="BENCH.html", help="Default: beside BENCH.json."),
    ] = None,
) -> None:
    """Write one page of charts and tables, which needs no network, from a bench's JSON."""
    # Here, as the charts' library takes as long to load as all else that the command does.
    from headrace.report.page import write_report

    target = output or source.with_suffix(".html")
    write_report(source, target)
    print(target)
