"""Byte sequences as no terminal should send them: garbled reports of keys, mouse, modes, sizes; pieces; noise."""

from __future__ import annotations

import random
from collections.abc import Iterator

_NUMBERS = ("", "0", "1", "2", "13", "27", "48", "64", "99", "113", "201", "999", "2026", "2048", "55296", "57344",
            "57428", "1114112", "4294967296", "1:2", "::", "1:99:55296")  # fmt: skip
_FINALS = "u~ABCDEFHPQRSmMtyZIOchn$xp"
_STARTS = (b"\x1b", b"\x1b[", b"\x1b[<", b"\x1b[?", b"\x1b[M", b"\x1bO", b"\x1b]", b"\x1b[48;", b"\x1bP")


def garbled(chance: random.Random, count: int) -> Iterator[bytes]:
    """`count` sequences; the same for the same random numbers."""
    for _ in range(count):
        kind = chance.choices((_report, _piece, _noise), weights=(18, 1, 1))[0]  # most mean nothing, so few are keys
        yield kind(chance)


def _report(chance: random.Random) -> bytes:
    numbers = ";".join(chance.choice(_NUMBERS) for _ in range(chance.randint(0, 4)))
    mark = chance.choice(("", "", "<", "?", ">", "="))
    return f"\x1b[{mark}{numbers}{chance.choice(_FINALS)}".encode()


def _piece(chance: random.Random) -> bytes:
    return chance.choice(_STARTS) + bytes(
        chance.choice(b"0123456789;:<?$[") for _ in range(chance.choice((0, 1, 2, 5, 40)))
    )


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randint(1, 6))
