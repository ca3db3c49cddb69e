"""The run's pane: what was said at its start, with what has changed since."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, RunResumed, SettingChanged, match_words
from rltui.run_state.change_command import values_words
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.train.console import start_summary
from rltui.tui.panes import status
from rltui.tui.panes.pane import View
from rltui.tui.panes.run_info import RunInfoPane, by_hand, change_text, facts_of
from tests.fakes import figure_stories, run_story
from tests.fakes.drawn_panes import NOW, STORY, drawn


def test_what_was_and_what_is(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        (
            "entropy coefficient 0.01, gamma 0.99",
            "entropy coefficient 0.005, gamma 0.99",
            "entropy coefficient 0.01 → 0.005, gamma 0.99",
        ),
        ("20,000 an iteration", "30,000 an iteration", "20,000 → 30,000 an iteration"),
        (
            "learning rate 0.0002",
            "policy 0.0001, critic 0.0002",
            "policy 0.0001, critic 0.0002 (was learning rate 0.0002)",
        ),
        ("1v1", "2v2", "1v1 → 2v2"),
    ]
    for before, now, words in cases:
        with subtests.test(before=before, now=now, words=words):
            assert change_text(before, now) == words


def test_facts_mark_what_was_changed_while_it_ran() -> None:
    changes = [
        SettingChanged(time=NOW, timesteps=12_000_000, setting="entropy", value=0.005, by="ada on tower, pid 5"),
        SettingChanged(time=NOW, timesteps=12_100_000, setting="reward touch", value=0.4, by="ada on tower, pid 5"),
        SettingChanged(time=NOW, timesteps=12_200_000, setting="reward touch", value=0.5, by="bob on tower, pid 6"),
    ]
    snapshot = fold(STORY, changes)
    assert by_hand(snapshot) == ["entropy coefficient 0.005, by ada at 12.0 M", "reward touch 0.5, by bob at 12.2 M"]
    text = drawn(RunInfoPane(), snapshot)
    assert "entropy coefficient 0.01 → 0.005, gamma 0.99" in text
    assert "by hand    entropy coefficient 0.005" in text


def test_facts_of_a_resumed_campaign() -> None:
    records = [
        msgspec.structs.replace(
            run_story.header(timesteps=9_000), obs="default(zero_padding=1) 92", table_hash="c0ffee" * 6
        ),
        RunResumed(
            time=NOW, timesteps=9_000, checkpoint="data/checkpoints/alpha/9000", reason="the newest of run alpha"
        ),
        figure_stories.plan(),
        figure_stories.on_the_way(1, 62.0),
    ]
    text = drawn(RunInfoPane(), fold(RunSnapshot(), records), 160)
    for words in (
        "sees       default(zero_padding=1) 92",
        "table      hash c0ffeec0ffee", "start      at 9,000: the newest of run alpha", "from       data/checkpoints/alpha/9000",
    ):  # fmt: skip
        assert words in text, text


def test_mirror_images_stand_beside_the_epochs() -> None:
    plain = run_story.header()
    mirrored = msgspec.structs.replace(plain, ppo={"mirror_augmentation": True})
    for header, words in ((plain, "2 epochs"), (mirrored, "2 epochs, mirror images")):
        assert dict(facts_of(header))["update"].endswith(f", {words}")
        assert any(f", {words}, learning rate" in line for line in start_summary(header))


def test_of_a_script_of_others_no_figure_is_made_up() -> None:
    header = msgspec.structs.replace(
        run_story.header(), command=["python", "my train.py"], blue=0, orange=0, workers=0, ppo={}
    )
    snapshot = fold(RunSnapshot(), [header])
    assert [name for name, _ in facts_of(header)] == ["script", "started"]
    assert "python 'my train.py'" in drawn(RunInfoPane(), snapshot)
    assert snapshot.log[0].message == "run alpha opened: python 'my train.py'"
    assert "stage" not in status.facts(View(snapshot, NOW)) and match_words(header) == ""
    assert values_words(snapshot, RATE_SETTING) == values_words(snapshot, ENTROPY_SETTING) == ""
