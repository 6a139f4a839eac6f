"""Hints on the command line, in the form that the library reads from HEADRACE_HINTS."""

from collections.abc import Mapping

from headrace.errors import HeadraceError

# The one hint whose value may hold commas and colons: "host:processes,host:processes".
_LIST_KEY = "cb_config_list"


def parse_hints(text: str) -> dict[str, str]:
    """The hints of "key=value,key=value"."""
    hints: dict[str, str] = {}
    last_key = ""
    for part in filter(None, text.split(",")):
        if "=" not in part and last_key == _LIST_KEY:
            hints[_LIST_KEY] += f",{part}"
            continue
        last_key, value = _key_and_value(part)
        hints[last_key] = value
    return hints


def _key_and_value(part: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if not (key and equals and value):
        raise HeadraceError(f'--hints: "{part}" is not key=value; several are joined by ",".')
    if ":" in value and key != _LIST_KEY:
        raise HeadraceError(
            f'--hints: the value of {key} may not hold ":", which separates hints in '
            "HEADRACE_HINTS. Set this hint in the program's MPI_Info."
        )
    return key, value


def joined_hints(hints: Mapping[str, str], existing: str = "") -> str:
    """HEADRACE_HINTS for every file ("*"), after what the user's environment has already.

    The list of hosts comes last, because a hint behind it could be taken for a part of it.
    """
    ordered = sorted(hints.items(), key=lambda hint: hint[0] == _LIST_KEY)
    ours = ":".join(["*", *(f"{key}={value}" for key, value in ordered)])
    return ",".join(filter(None, [existing, ours if hints else ""]))
