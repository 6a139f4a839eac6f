"""Numbers as people read them. Units are decimal: 1 GB is 10^9 bytes."""

_SCALES = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
# Between a number and its unit, where no line may end.
_SPACE = "\N{NO-BREAK SPACE}"


def digits(value: float) -> str:
    """Three significant digits, or all before the point: 0.0412, 4.09, 1,234. Of seconds nothing
    smaller than a microsecond."""
    if value == 0:
        return "0"
    decimals = 0
    while decimals < 6 and abs(value) * 10**decimals < 99.95:
        decimals += 1
    return f"{value:,.{decimals}f}"


def seconds(value: float) -> str:
    return f"{digits(value)}{_SPACE}s"


def size(value: float) -> str:
    for scale, letter in _SCALES:
        if value >= scale:
            return f"{digits(value / scale)}{_SPACE}{letter}B"
    return f"{digits(value)}{_SPACE}B"


def bandwidth(value: float) -> str:
    return f"{size(value)}/s"


def times(ratio: float) -> str:
    """A ratio. Small ones have two digits: nobody needs the third of a thousandth."""
    return f"{digits(ratio) if ratio >= 0.1 else format(ratio, '.2g')}\N{MULTIPLICATION SIGN}"


def percent(ratio: float) -> str:
    return f"{digits(100 * ratio)}{_SPACE}%"


def scale_of(largest: float) -> tuple[int, str]:
    """What to divide bandwidths by, so that they share one axis, and the unit they then have."""
    return next(
        ((scale, f"{letter}B/s") for scale, letter in _SCALES if largest >= scale), (1, "B/s")
    )


def counted(number: int, what: str) -> str:
    """'1 rank', '16 ranks'."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
