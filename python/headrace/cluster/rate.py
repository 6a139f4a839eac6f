"""Rates of links, as they are written for `tc`: "1gbit", "200mbit"."""

import re
from dataclasses import dataclass

from headrace.errors import HeadraceError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_RATE = re.compile(r"(\d+(?:\.\d+)?)([kmg]?)bit", re.IGNORECASE)

# How much a link lets through at once, and how much may wait for it: a few of the 64 KiB pieces in
# which Linux hands TCP's data to a link; at high rates what passes while a busy core looks away.
_SMALLEST_BURST, _BURST_SECONDS = 128 << 10, 0.005
_SMALLEST_QUEUE, _QUEUE_SECONDS = 256 << 10, 0.05


@dataclass(frozen=True)
class Rate:
    """What a link carries in each direction."""

    text: str
    bytes_per_second: int

    @property
    def burst_bytes(self) -> int:
        return max(_SMALLEST_BURST, int(self.bytes_per_second * _BURST_SECONDS))

    @property
    def limit_bytes(self) -> int:
        queue = max(_SMALLEST_QUEUE, int(self.bytes_per_second * _QUEUE_SECONDS))
        return self.burst_bytes + queue


def parse_rate(text: str) -> Rate:
    match = _RATE.fullmatch(text.strip())
    if not match:
        raise HeadraceError(
            f'--rate: "{text}" is not a rate: give a number with bit, kbit, mbit or gbit behind '
            "it, as 1gbit."
        )
    bits = float(match.group(1)) * _UNITS[match.group(2).lower()]
    return Rate(match.group().lower(), int(bits / 8))
