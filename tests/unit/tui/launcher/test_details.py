"""The launcher's right side and title as text: what enter will do and why, for everything that the cursor stands on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.tui.launcher import descriptions, details
from rltui.tui.launcher.catalog import Catalog, CatalogReader
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.plan import OpenRun, plan_profile, plan_run, plan_state
from rltui.tui.launcher.tree import MILESTONES, PROFILES, RUNS, Item
from rltui.tui.text import plain, width_of
from tests.fakes import data_folder

NOW = 1_764_250_000.0


def profile_text(catalog: Catalog, name: str, context: PlanContext, width: int = 70) -> str:
    item = Item("profile", f"profiles/{name}.toml")
    return plain(details.lines(item, catalog, context, width))


def test_the_first_time_and_while_the_profile_is_checked(data: DataDir, reader: CatalogReader) -> None:
    unchecked = profile_text(reader.read(), "ball-touching", PlanContext(NOW))
    assert "the profile is being checked" in unchecked
    assert "Learn to drive and touch the ball." in unchecked
    catalog = data_folder.all_checked(reader)
    plan = plan_profile(data, catalog.profiles[0], NOW)
    text = profile_text(catalog, "ball-touching", PlanContext(NOW, plan))
    assert text.startswith("Welcome!")
    assert "start the new run ball-touching-" in text
    assert "from zero: nothing is saved yet" in text
    assert "Expected here: 612 MB of memory" in text and "d measures the speed" in text
    assert "n starts a new run" not in text


def test_a_resume_is_explained_before_it_happens(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    catalog = data_folder.all_checked(reader)
    plan = plan_profile(data, catalog.profiles[0], NOW)
    text = profile_text(catalog, "ball-touching", PlanContext(NOW, plan))
    assert "resume alpha at 11,468,800 timesteps" in text
    assert "saved 3 min ago" in text.replace("\n  ", " ")
    assert "the newest run that fits" in text
    assert "n starts a new run, from zero" in text
    assert "Welcome" not in text
    new = plan_profile(data, catalog.profiles[0], NOW, new=True)
    assert "from zero\n" in (text := profile_text(catalog, "ball-touching", PlanContext(NOW, new)))
    assert "n starts" not in text
    text = profile_text(catalog, "ball-touching", PlanContext(NOW, OpenRun("alpha")))
    assert "open alpha, live" in text and "n starts a new run, from zero" in text


def test_runs_that_do_not_fit_are_refused_with_their_differences(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    entry = data_folder.all_checked(reader).profiles[0]
    assert entry.check is not None
    other = Signature("default 89", "cd" * 32, "discrete 89-512-90", "critic 89-512-1")
    changed = dataclasses.replace(entry, check=msgspec.structs.replace(entry.check, signature=other))
    plan = plan_profile(data, changed, NOW)
    text = profile_text(reader.read(), "ball-touching", PlanContext(NOW, plan))
    assert "not start: no run to go on with" in text
    assert "observation: expected default 89, found default 92" in text
    assert "cdcdcdcd" not in text
    assert "n starts a new run, from zero" in text


def test_an_invalid_profile_shows_every_mistake_in_place(reader: CatalogReader) -> None:
    catalog = data_folder.all_checked(reader)
    text = profile_text(catalog, "my-bot", PlanContext(NOW))
    assert "2 mistakes: it cannot be launched" in text
    running = " ".join(text.split())
    assert 'my-bot.toml:14: rewards.touch.weigth: unknown key; did you mean "weight"?' in running
    assert "out of range, expected a whole number in 1..100, found 0" in running
    assert "Enter will" not in text


def test_runs_and_milestones_say_what_enter_and_r_will_do(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    catalog = reader.read()
    alpha, beta = catalog.run("alpha"), catalog.run("beta")
    assert alpha is not None and beta is not None
    text = plain(details.lines(Item("run", "beta"), catalog, PlanContext(NOW, plan_run(data, beta, NOW)), 70))
    assert "■ stopped  last word 1 d ago" in text
    assert "show its charts" in text
    assert "resume beta at 5,120,000 timesteps" in text
    saved = alpha.milestones[0]
    context = PlanContext(NOW, plan_state(data, "alpha", saved.path, NOW))
    text = plain(details.lines(Item("milestone", str(saved.path)), catalog, context, 70))
    assert "branch off as alpha-b2 at 5,000,000 timesteps" in text
    assert "reward 24.0" in " ".join(text.split())
    first, second = alpha.milestones[:2]  # the second soon after a start: its reward is of short episodes
    assert first.meta is not None and second.meta is not None
    early = dataclasses.replace(second, meta=msgspec.structs.replace(second.meta, reward_short=True), best=None)
    group = plain(descriptions.group_lines([first, early], 80)).split("\n")
    assert [("short episodes so far" in line) for line in group if " reward " in line] == [False, True]


def test_sections_and_what_has_gone_from_disk(reader: CatalogReader) -> None:
    catalog = reader.read()
    for section in (PROFILES, RUNS, MILESTONES):
        assert len(plain(details.lines(section, catalog, PlanContext(NOW), 60)).split()) > 12
    assert plain(details.lines(Item("run", "lost"), catalog, PlanContext(NOW), 40)) == "it is gone from disk"


def test_the_title_shortens_a_long_path(data: DataDir, reader: CatalogReader) -> None:
    catalog = dataclasses.replace(reader.read(), root=Path("/very/long" * 9), free_bytes=212_000_000_000)
    for width in (80, 120):
        line = details.title_line(catalog, width)
        assert width_of(line) == width
        assert "212 GB free" in plain([line])


def test_a_weight_that_changes_is_shown_from_first_to_last() -> None:
    assert [descriptions.weight_text(weight) for weight in (0.05, -10.0, [(0, 1.0), (5_000_000, 0.2)], [(7, 2.0)])] == [
        "0.05", "-10", "1 → 0.2 in 5 M", "2 in 7",
    ]  # fmt: skip


def test_the_data_folder_stands_in_the_title_as_one_would_type_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/of-mine")
    monkeypatch.setenv("USERPROFILE", "/home/of-mine")
    for folder, shown in (("/home/of-mine/bots/data", "~/bots/data"), ("/disk/data", "/disk/data")):
        title = plain([details.title_line(Catalog(Path(folder)), 120)])
        assert title.split("   ")[-1].strip().startswith(f"{shown} · ")
