"""The launcher's two sides as text: the tree, and what enter will do in words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from rltui import formatting
from rltui.runs.best import best_of
from rltui.runs.lock import RunLock
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.tui.launcher import descriptions, details
from rltui.tui.launcher.catalog import Catalog, CatalogReader
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.plan import plan_milestone, plan_profile, plan_run
from rltui.tui.launcher.tree import MILESTONES, PROFILES, RUNS, Item, groups, rows
from rltui.tui.text import plain, width_of
from tests.fakes import data_folder

NOW = 1_764_250_000.0


def fill(data: DataDir) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    data_folder.make_stopped(data, "beta", iterations=250, time=NOW - 86_400)


def tree(catalog: Catalog, width: int = 44, closed: frozenset[Item] = frozenset()) -> str:
    return plain(row.line for row in rows(catalog, closed, width))


def test_an_empty_tree_says_what_will_appear(reader: CatalogReader) -> None:
    catalog = reader.read()
    assert tree(catalog) == "\n".join(
        [
            " ▾ Profiles  3",
            "   ◌ ball-touching",
            "   ◌ bronze-skills",
            "   ◌ my-bot",
            "",
            " ▾ Runs",
            "   none yet: enter on a profile starts one",
            "",
            " ▾ Milestones",
            "   none yet: M in a run keeps one",
        ]
    )


def test_a_full_tree(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    catalog = reader.check(reader.read())
    beta = Item("group", "beta/Phase1-BallTouching")
    assert tree(catalog, closed=frozenset({beta})) == "\n".join(
        [
            " ▾ Profiles  3",
            "   ✓ ball-touching",
            "   ✓ bronze-skills",
            "   ✗ my-bot  line 14: rewards.touch.weigth",
            "",
            " ▾ Runs  2",
            "   ■ alpha                 stopped   11.5 M",
            "   ■ beta                  stopped   5.12 M",
            "",
            " ▾ Milestones  3",
            "   ▾ alpha · Phase1-BallTouching  2",
            "       10 M       reward   ★ 38.0",
            "       5 M        reward     24.0",
            "   ▸ beta · Phase1-BallTouching  1",
        ]
    )
    assert [item for item, _, _ in groups(catalog)] == [Item("group", "alpha/Phase1-BallTouching"), beta]


LONG = (
    "quick-20261128-154538",
    "quick-20261128-154539",
    "a-very-long-name-of-a-run-that-somebody-typed-20261128-154540",
)


def test_long_names_push_no_figures_out(data: DataDir, reader: CatalogReader) -> None:
    """Shortened in their middle, told apart by their ends, the figures in columns of their own at every width."""
    catalog = long_names(data, reader)
    for width in range(24, 120):
        found = [(row.key.kind, row.line) for row in rows(catalog, frozenset(), width) if isinstance(row.key, Item)]
        assert all(width_of(line) <= width for _, line in found)
        runs = [plain([line]) for kind, line in found if kind == "run"]
        assert len(set(runs)) == len(LONG), width
        assert len({text.index("11.5 M") for text in runs}) == 1, width
        names = [plain([line]) for kind, line in found if kind == "group"]
        assert len(set(names)) == len(LONG), width
        assert all("P1" in name or "Phase1-BallTouching" in name for name in names), width


def long_names(data: DataDir, reader: CatalogReader) -> Catalog:
    """Three runs, two of which differ in their last character."""
    for name in LONG:
        data_folder.make_stopped(data, name, iterations=560, time=NOW - 180)
    return reader.read()


def test_the_highlighted_run_has_its_whole_name(data: DataDir, reader: CatalogReader) -> None:
    catalog = long_names(data, reader)
    for name in LONG:
        said = plain(details.lines(Item("run", name), catalog, PlanContext(NOW), 46))
        assert name in details.heading(Item("run", name)) + said
        assert (name in said.replace("\n", "")) is (len(name) > 44)


def test_closed_sections_hide_their_rows(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    catalog = reader.read()
    assert (
        tree(catalog, closed=frozenset({PROFILES, RUNS, MILESTONES}))
        == " ▸ Profiles  3\n\n ▸ Runs  2\n\n ▸ Milestones  3"
    )


@pytest.mark.parametrize("width", [20, 31, 36, 40, 46, 60])
def test_rows_fit_their_list(data: DataDir, reader: CatalogReader, width: int) -> None:
    fill(data)
    for row in rows(reader.check(reader.read()), frozenset(), width):
        assert width_of(row.line) <= width or width < 30


def test_a_run_in_training_comes_first_with_its_speed(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    with RunLock(data.run("beta")):
        catalog = reader.read()
        assert [run.name for run in catalog.runs] == ["beta", "alpha"]
        row = next(line for line in tree(catalog, 50).split("\n") if "beta" in line)
        assert "▶ beta" in row
        assert "training" in row
        speed = catalog.runs[0].speed
        assert speed is not None and row.endswith(f" {formatting.rate(speed.steps_per_second)}")


def test_only_what_changed_is_read_again(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    first = reader.read()
    again = reader.read()
    assert all(before is after for before, after in zip(first.runs, again.runs, strict=True))
    data_folder.make_stopped(data, "gamma", iterations=12, time=NOW, ended=False)
    third = reader.read()
    assert [run.name for run in third.runs] == ["gamma", "alpha", "beta"]
    assert third.runs[1] is first.runs[0]
    assert third.runs[0].state == "unclean"


def words(catalog: Catalog, name: str, moment: PlanContext, width: int = 70) -> str:
    item = Item("profile", f"profiles/{name}.toml")
    return plain(details.lines(item, catalog, moment, width))


def test_somebody_who_is_here_for_the_first_time(data: DataDir, reader: CatalogReader) -> None:
    catalog = reader.check(reader.read())
    offer = plan_profile(data, catalog.profiles[0], NOW)
    text = words(catalog, "ball-touching", PlanContext(NOW, offer, 24_000.0))
    assert text.startswith("Welcome!")
    assert "Press enter: a trainer starts." in text
    assert "start the new run ball-touching-" in text
    assert "there is no run to go on with: training starts from zero" in text
    assert "about 612 MB of memory of 24.0 GB free" in text
    assert "n starts a new run" not in text


def test_a_resume_is_explained_before_it_happens(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    catalog = reader.check(reader.read())
    offer = plan_profile(data, catalog.profiles[0], NOW)
    text = words(catalog, "ball-touching", PlanContext(NOW, offer, None))
    assert "resume alpha at 11,468,800 timesteps" in text
    assert "saved 3 min ago" in text.replace("\n  ", " ")
    assert "the newest run whose observation, table and nets fit" in text.replace("\n  ", " ")
    assert "n starts a new run instead, from zero" in text
    assert (offer.run, offer.profile, offer.args) == ("alpha", "ball-touching", ())
    assert "Welcome" not in text


def test_runs_that_do_not_fit_are_refused_with_their_differences(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    entry = reader.check(reader.read()).profiles[0]
    assert entry.check is not None
    other = Signature("default 89", "cd" * 32, "discrete 89-512-90", "critic 89-512-1")
    changed = dataclasses.replace(
        entry, check=type(entry.check)(entry.check.profile, True, [], [], other, entry.check.summary)
    )
    offer = plan_profile(data, changed, NOW)
    text = words(reader.read(), "ball-touching", PlanContext(NOW, offer, None))
    assert "not start: 2 runs there, but none to go on with" in text
    assert "observation: expected default 89, found default 92" in text
    assert "expected cdcdcdcd…, found abababab…" in text
    assert "n starts a new run of it, from zero" in text
    new = plan_profile(data, changed, NOW, new=True)
    assert not new.refused
    assert new.args == ("--resume", "new")


def test_an_invalid_profile_shows_every_mistake_in_place(reader: CatalogReader) -> None:
    catalog = reader.check(reader.read())
    text = words(catalog, "my-bot", PlanContext(NOW))
    assert "2 mistakes: it cannot be launched" in text
    assert "line 14  rewards.touch.weigth" in text
    assert 'did you mean "weight"?' in text
    assert "out of range, expected a whole number in 1..100, found 0" in text
    assert "Enter will" not in text


def test_while_the_child_still_judges(reader: CatalogReader) -> None:
    text = words(reader.read(), "ball-touching", PlanContext(NOW))
    assert "the profile is being checked" in text
    assert "Learn to drive and touch the ball." in text


def test_a_stopped_run_is_opened_by_enter_and_resumed_by_its_capital(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    catalog = reader.read()
    beta = catalog.run("beta")
    assert beta is not None
    offer = plan_run(data, beta, NOW)
    text = plain(details.lines(Item("run", "beta"), catalog, PlanContext(NOW, offer), 70))
    assert "■ stopped  last word 1 d ago" in text
    assert "open it from disk" in text
    assert "resume beta at 5,120,000 timesteps" in text
    assert (offer.run, offer.profile, offer.args) == ("beta", str(data.run("beta").profile), ())


def test_a_milestone_branches_off(data: DataDir, reader: CatalogReader) -> None:
    fill(data)
    catalog = reader.read()
    alpha = catalog.run("alpha")
    assert alpha is not None
    saved = alpha.milestones[0]
    offer = plan_milestone(data, saved, NOW)
    text = plain(details.lines(Item("milestone", str(saved.path)), catalog, PlanContext(NOW, offer), 70))
    assert "branch off as alpha-b2 at 5,000,000 timesteps" in text
    assert "reward 24.0" in " ".join(text.split())
    assert offer.args == ("--resume", str(saved.path))
    assert offer.profile == f"{saved.path}/profile.toml"


def test_a_run_without_a_checkpoint_cannot_be_resumed(data: DataDir, reader: CatalogReader) -> None:
    data.run("empty").folder.mkdir(parents=True)
    run = reader.read().run("empty")
    assert run is not None
    assert plan_run(data, run, NOW).refused == "it has no complete checkpoint to go on from"


def test_what_has_gone_from_disk_is_said(reader: CatalogReader) -> None:
    assert plain(details.lines(Item("run", "lost"), reader.read(), PlanContext(NOW), 40)) == "it is gone from disk"


def test_sections_explain_themselves(reader: CatalogReader) -> None:
    for section in (PROFILES, RUNS, MILESTONES):
        assert len(plain(details.lines(section, reader.read(), PlanContext(NOW), 60)).split()) > 20


def test_the_title_shortens_a_long_path(data: DataDir, reader: CatalogReader) -> None:
    catalog = dataclasses.replace(reader.read(), root=Path("/very/long" * 9), free_bytes=212_000_000_000)
    for width in (80, 120):
        line = details.title_line(catalog, width)
        assert width_of(line) == width
        assert "212 GB free" in plain([line])


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0.05, "0.05"), (-10.0, "-10"), ([(0, 1.0), (5_000_000, 0.2)], "1 → 0.2 in 5 M"), ([(7, 2.0)], "2 in 7")],
)
def test_a_weight_that_changes_is_shown_from_first_to_last(weight: float | list[tuple[int, float]], text: str) -> None:
    assert descriptions._weight(weight) == text


def test_a_milestone_kept_soon_after_a_start_says_that_its_reward_is_of_short_episodes(
    data: DataDir, reader: CatalogReader
) -> None:
    fill(data)
    run = next(run for run in reader.read().runs if len(run.milestones) > 1)
    first, second = run.milestones[:2]
    assert second.meta is not None
    early = dataclasses.replace(second, meta=msgspec.structs.replace(second.meta, reward_short=True))
    alone = msgspec.structs.replace(run, best=best_of([first.meta, early.meta] if first.meta and early.meta else []))
    said = plain(descriptions.group_lines(alone, [first, early], 80)).split("\n")
    assert [("short episodes so far" in line) for line in said if " reward " in line] == [False, True]
