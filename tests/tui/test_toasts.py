"""Notices on screen: of each kind the newest only, and never more than a few lines of them."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets._toast import Toast, ToastHolder

from rltui.errors import RltuiError
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.change_prompt import ChangePrompt
from rltui.tui.notifications import SECONDS, Notice, Notifier
from rltui.tui.settings import NoticeKind, UiSettings
from rltui.tui.text import Line
from rltui.tui.widgets.footer import ANSWER_ROWS, Answer
from tests.fakes import run_story, sent_screen
from tests.fakes.fake_run import FakeRun
from tests.fakes.screens import NOW, cockpit, cockpit_of, live_run, until


def notice(number: int, kind: NoticeKind = "milestone", text: str = "15,000,000 timesteps") -> Notice:
    return Notice(kind, "alpha", f"alpha: {kind} {number}", text, 1.0, number)


async def test_a_newer_notice_of_a_kind_takes_the_place_of_the_last() -> None:
    async with cockpit(live_run()) as pilot:
        pilot.app.clear_notifications()
        notifier = Notifier(pilot.app, UiSettings(), lambda: 1.0, lambda sequence: None)
        for number in range(8):
            notifier.notify(notice(number))
        notifier.notify(notice(1, "worker_failed"))
        titles = ["alpha: milestone 7", "alpha: worker_failed 1"]
        await until(pilot, lambda: [each.title for each in pilot.app._notifications] == titles)
        notifier.notify(notice(9))
        titles = ["alpha: worker_failed 1", "alpha: milestone 9"]
        await until(pilot, lambda: [each.title for each in pilot.app._notifications] == titles)
        await until(pilot, lambda: len(pilot.app.screen.query(Toast)) == 2)
        assert max(each.timeout for each in pilot.app._notifications) <= 10


async def test_a_long_text_and_many_kinds_leave_the_panes_to_be_seen() -> None:
    kinds: tuple[NoticeKind, ...] = ("milestone", "promotion", "worker_failed", "control", "ended")
    told = [kind for kind in kinds if "toast" in UiSettings().notify[kind]]
    newest = [f"alpha: {kind} 1" for kind in told[-2:]]
    async with cockpit(live_run()) as pilot:
        notifier = Notifier(pilot.app, UiSettings(), lambda: 1.0, lambda sequence: None)
        for kind in kinds:
            notifier.notify(notice(1, kind, "a long reason " * 60))
        await until(pilot, lambda: [each.title for each in pilot.app._notifications] == newest)

        def are_small_and_low() -> bool:
            places = [toast.region for toast in pilot.app.screen.query(Toast)]
            heights = [place.height for place in places]
            lowest = pilot.app.size.height - 17
            return (
                len(places) == 2 and 0 < min(heights) <= max(heights) <= 6 and min(each.y for each in places) >= lowest
            )

        await until(pilot, are_small_and_low)


async def test_a_toast_has_a_border_on_all_sides() -> None:
    """What lies under it, and ends where it begins, is not read as one text with it."""
    async with cockpit(live_run()) as pilot:
        for severity in SECONDS:
            pilot.app.notify("358,400 timesteps", title="alpha: milestone", severity=severity, timeout=600)
        await until(pilot, lambda: len(pilot.app.screen.query(Toast)) == len(SECONDS))
        for toast in pilot.app.screen.query(Toast):
            assert [edge for edge, _ in toast.styles.border] == ["round"] * 4


def hidden(pilot: Pilot[str], widget: Widget) -> bool:
    """By any toast, in part."""
    return any(toast.region.overlaps(widget.region) for toast in pilot.app.screen.query(Toast))


async def test_a_toast_hides_neither_the_answer_above_the_footer_nor_a_dialog_s_line(
    subtests: pytest.Subtests,
) -> None:
    for size in ((80, 24), (120, 40)):
        with subtests.test(size=size):
            async with cockpit(live_run(), size) as pilot:
                words = (("the milestone is deleted: u takes it back, " * 9, "warn"),)
                pilot.app.notify("deleted", timeout=600)
                await until(pilot, lambda: any(toast.outer_size.height for toast in pilot.app.screen.query(Toast)))
                answer = pilot.app.screen.query_one(Answer)

                def said(answer: Answer = answer, words: Line = words, room: int = size[0]) -> bool:
                    """Again and again, for the screen's own tick has nothing to say."""
                    answer.say(words, room, 1)
                    return answer.region.height == ANSWER_ROWS

                await until(pilot, said)
                await until(pilot, lambda answer=answer: not hidden(pilot, answer))  # type: ignore[misc]
                await pilot.press("colon")
                await until(pilot, lambda: isinstance(pilot.app.screen, ChangePrompt))

                def is_above_the_footer(height: int = size[1]) -> bool:
                    return (
                        max((toast.region.bottom for toast in pilot.app.screen.query(Toast)), default=0) == height - 1
                    )

                await until(pilot, is_above_the_footer)
                await until(pilot, lambda: not hidden(pilot, pilot.app.screen.query_one("#typed")))


async def test_an_answer_leaves_the_words_in_the_border_below_it_where_there_is_room() -> None:
    async with cockpit(live_run(), (80, 24)) as pilot:
        screen = cockpit_of(pilot)

        def border() -> str:
            return screen_text(pilot.app.screen).splitlines()[-2]

        await pilot.press("9")
        await until(pilot, lambda: "info and above" in border())
        await pilot.press("P")
        await until(pilot, lambda: "pause" in border())
        assert "info and above" in border()
        pane, answer = screen.focused_pane(), screen.query_one(Answer)
        assert pane is not None
        start = pane.subtitle_start
        assert border()[start:].startswith(" info and above") and border()[start - 1] == "━"

        def covered() -> bool:
            """Again and again, for the screen's own tick has something else to say."""
            answer.say((("x" * (start - 5), "warn"),), 80, 1, start)
            return "xxx" in border() and "info and above" not in border()

        await until(pilot, covered)


async def test_the_dozenth_refusal_is_seen_like_the_first() -> None:
    """Each in the place of the last: none leaves anything that would push later ones off the screen."""
    run = FakeRun([*run_story.told(40), run_story.finished(819_200, NOW)], process=False)
    with sent_screen.followed() as sent:
        async with cockpit(run) as pilot:
            for key, words in [("P", "pause"), ("V", "render"), ("M", "milestone")] * 5:
                await pilot.press(key)
                await until(pilot, lambda words=words: f"{words}" in sent.terminal.text.partition("9 Log")[2])
                await until(pilot, lambda: len(pilot.app.screen.query(ToastHolder)) <= 2)  # the last one is taken away


async def test_a_notice_is_shown_whole_however_long(subtests: pytest.Subtests) -> None:
    words = "only a profile can be compared: choose one under Profiles, which the launcher lists first, of all that there are"
    for size in ((120, 40), (80, 24)):
        async with cockpit(live_run(), size) as pilot:
            notifier = Notifier(pilot.app, UiSettings(), lambda: 1.0, lambda sequence: None)
            for length in range(30, len(words), 9):
                with subtests.test(size=size, length=length):
                    text = words[:length].rpartition(" ")[0] + " " + "x" * 7
                    notifier.refuse(RltuiError(text))

                    def shown(text: str = text) -> bool:
                        rows = screen_text(pilot.app.screen).split("\n")
                        boxes = [toast.region for toast in pilot.app.screen.query(Toast)]
                        inside = [row[box.x + 1 : box.right - 1] for box in boxes for row in rows[box.y : box.bottom]]
                        return text in " ".join(" ".join(inside).split())

                    await until(pilot, shown)
