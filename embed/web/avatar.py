"""Small pictures of addresses, which help to tell wallets apart; static/widget/wallet-row.js draws the same.

tests/support/avatar_cases.json checks that both do.
"""

import hashlib
from typing import NamedTuple

_SIDE = 5
_HALF = (_SIDE + 1) // 2
_MIDDLE = "M2 2h1v1h-1z"  # where there is nothing else


class Avatar(NamedTuple):
    """The path data of squares in a grid of 5 by 5, mirrored, and their color."""

    path: str
    fill: str


def draw_avatar(address: str) -> Avatar:
    hue, *values = hashlib.sha256(address.encode()).digest()
    squares = "".join(
        f"M{column} {row}h1v1h-1z"
        for x in range(_HALF)
        for y in range(_SIDE)
        if values[x * _SIDE + y] % 2
        for column, row in sorted({(x, y), (_SIDE - 1 - x, y)})
    )
    return Avatar(squares or _MIDDLE, f"hsl({hue * 360 // 256} 60% 50%)")
