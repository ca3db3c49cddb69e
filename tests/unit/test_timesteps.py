"""Numbers of timesteps as people type them: exact to the last digit, none beyond what is counted exactly."""

import pytest

from rltui import formatting
from rltui.formatting import LARGEST, timesteps_of


@pytest.mark.parametrize(
    ("text", "total"),
    [("300000", 300_000), ("300,000", 300_000), (" 300_000 ", 300_000), ("3e5", 300_000), ("300 k", 300_000),
     ("0.3M", 300_000), ("2 M", 2_000_000), ("0.5", None), ("M", None), ("", None), ("many", None), ("inf", None),
     ("nan", None), ("sNaN", None), ("1e999", None), ("3.00001 k", None), ("2MM", None), ("-5", -5)],
)  # fmt: skip
def test_as_people_type_them(text: str, total: int | None) -> None:
    assert timesteps_of(text) == total


@pytest.mark.parametrize("steps", range(1_000_000, 2_000_000, 997))
def test_what_is_shown_can_be_typed(steps: int) -> None:
    assert timesteps_of(formatting.exact(steps)) == steps


@pytest.mark.parametrize("text", ["1e30", "9" * 5000, "1e999999999999", str(LARGEST + 1), f"-{LARGEST + 1}"])
def test_what_is_too_large_is_none(text: str) -> None:
    assert timesteps_of(text) is None


def test_the_largest_is_one() -> None:
    assert timesteps_of(f"{LARGEST:,}") == LARGEST == int(float(LARGEST))
