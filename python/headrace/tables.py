"""How the command's tables look in a terminal: plain, and narrow enough for 80 columns."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table


def plain_table(**settings: Any) -> Table:  # noqa: ANN401, they are Table's own
    return Table(
        title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), **settings
    )
