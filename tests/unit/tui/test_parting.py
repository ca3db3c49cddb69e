"""What the terminal is told when the program is left while runs train."""

from __future__ import annotations

import pytest

from rltui.tui.cockpit.messages import parting_words


@pytest.mark.parametrize(
    ("training", "words"),
    [
        ([], None),
        (["alpha"], "alpha keeps training; come back with: rltui attach alpha"),
        (["alpha", "beta"], "alpha, beta keep training; come back with: rltui attach RUN"),
        (list("abcde"), "a, b, c and 2 more keep training; come back with: rltui attach RUN"),
    ],
)
def test_every_run_that_goes_on_is_told(training: list[str], words: str | None) -> None:
    assert parting_words(training) == words
