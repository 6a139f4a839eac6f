"""Hints on the command line, in the form that the library reads from HEADRACE_HINTS."""

from headrace.errors import HeadraceError


def parse_hints(text: str) -> dict[str, str]:
    """The hints of "key=value,key=value"."""
    hints = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise HeadraceError(f'--hints: "{part}" is not key=value; several are joined by ",".')
        if ":" in value:
            raise HeadraceError(
                f'--hints: the value of {key} may not hold ":", which separates hints in '
                "HEADRACE_HINTS. Set this hint in the program's MPI_Info."
            )
        hints[key] = value
    return hints


def joined_hints(hints: dict[str, str], existing: str = "") -> str:
    """HEADRACE_HINTS for every file ("*"), after what the user's environment has already."""
    ours = ":".join(["*", *(f"{key}={value}" for key, value in hints.items())])
    return ",".join(filter(None, [existing, ours if hints else ""]))
