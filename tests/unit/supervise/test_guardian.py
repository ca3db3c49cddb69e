"""What the viewer says to its guardian arrives whole, in whatever pieces; without a guardian nothing happens."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from rltui.supervise.guardian import Lifeline, News


def test_what_is_said_is_heard() -> None:
    news_end, news_start = os.pipe()
    lifeline = Lifeline(guardian=None, news=news_start)
    lifeline.entered()
    lifeline.opened("alpha")
    news = News()
    news.hear(os.read(news_end, 4096))
    assert (news.inside, news.run) == (True, "alpha")
    lifeline.opened("")
    lifeline.left()
    news.hear(os.read(news_end, 4096))
    assert (news.inside, news.run) == (False, "")
    os.close(news_end)
    lifeline.left()  # a guardian that has gone is no error
    os.close(news_start)
    Lifeline().entered()  # nor is none at all


def test_a_guardian_that_does_not_listen_holds_up_nobody() -> None:
    news_end, news_start = os.pipe()
    lifeline = Lifeline(news=news_start)
    for _ in range(20_000):
        lifeline.opened("a-run-of-some-length")
    os.close(news_end)
    os.close(news_start)


@given(st.lists(st.integers(0, 40), max_size=8))
def test_pieces_make_no_difference(cuts: list[int]) -> None:
    data = b"entered\nopened b\xc3\xb6t\nleft\nopened x\nentered\n"
    news, start = News(), 0
    for cut in [*sorted(cuts), len(data)]:
        news.hear(data[start:cut])
        start = max(cut, start)
    assert (news.inside, news.run) == (True, "x")
