"""The launcher's tree as text: its rows at every width, in training, folded and filtered."""

from __future__ import annotations

from rltui import formatting
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.tui.launcher import details
from rltui.tui.launcher.catalog import Catalog, CatalogReader
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.tree import MILESTONES, PROFILES, RUNS, Item, filtered, groups, matchable, rows
from rltui.tui.text import plain, text_line, width_of
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import Row
from tests.fakes import data_folder

NOW = 1_764_250_000.0

LONG = (
    "quick-20261128-154538",
    "quick-20261128-154539",
    "a-very-long-name-of-a-run-that-somebody-typed-20261128-154540",
)
ALPHA, BETA = Item("group", "alpha/Phase1"), Item("group", "beta/Phase1")
ROWS = [
    Row(PROFILES, text_line("▾ Profiles")),
    Row(Item("profile", "quick.toml"), text_line("✓ quick")),
    Row(None, ()),
    Row(RUNS, text_line("▾ Runs")),
    Row(Item("run", "alpha"), text_line("■ alpha")),
    Row(MILESTONES, text_line("▾ Milestones")),
    Row(ALPHA, text_line("▾ alpha · Phase1")),
    Row(Item("milestone", "a10"), text_line("10 M reward 3.2")),
    Row(Item("milestone", "a5"), text_line("5 M reward 1.2")),
    Row(BETA, text_line("▾ beta · Phase1")),
    Row(Item("milestone", "b5"), text_line("5 M reward 7.0")),
]


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


def test_a_full_tree_open_and_closed(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    catalog = data_folder.all_checked(reader)
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
    assert list(groups(catalog)) == [Item("group", "alpha/Phase1-BallTouching"), beta]
    closed = tree(catalog, closed=frozenset({PROFILES, RUNS, MILESTONES}))
    assert closed == " ▸ Profiles  3\n\n ▸ Runs  2\n\n ▸ Milestones  3"


def test_long_names_push_no_figures_out(data: DataDir, reader: CatalogReader) -> None:
    """Shortened in their middle, told apart by their ends, the figures in columns of their own at every width."""
    for name in LONG:
        data_folder.make_stopped(data, name, iterations=560, time=NOW - 180)
    catalog = reader.read()
    for width in range(24, 120):
        found = [(row.key.kind, row.line) for row in rows(catalog, frozenset(), width) if isinstance(row.key, Item)]
        assert all(width_of(line) <= width for _, line in found)
        runs = [plain([line]) for kind, line in found if kind == "run"]
        assert len(set(runs)) == len(LONG), width
        assert len({text.index("11.5 M") for text in runs}) == 1, width
        names = [plain([line]) for kind, line in found if kind == "group"]
        assert len(set(names)) == len(LONG), width
        assert all("P1" in name or "Phase1-BallTouching" in name for name in names), width
    for name in LONG:  # the highlighted one has its whole name on the right side
        text = plain(details.lines(Item("run", name), catalog, PlanContext(NOW), 46))
        assert name in details.heading(Item("run", name)) + text
        assert (name in text.replace("\n", "")) is (len(name) > 44)


def test_a_run_in_training_comes_first_with_its_speed_and_rows_fit_their_list(
    data: DataDir, reader: CatalogReader
) -> None:
    data_folder.make_two(data, NOW)
    with RunLock(data.run("beta")):
        catalog = data_folder.all_checked(reader)
        assert [run.name for run in catalog.runs] == ["beta", "alpha"]
        row = next(line for line in tree(catalog, 50).split("\n") if "beta" in line)
        assert "▶ beta" in row
        assert "training" in row
        speed = catalog.runs[0].speed
        assert speed is not None and row.endswith(f" {formatting.rate(speed.steps_per_second)}")
    for width in (31, 36, 40, 46, 60):
        assert max(width_of(row.line) for row in rows(catalog, frozenset(), width)) <= width, width


def names(text: str) -> list[str]:
    return [row.key.name for row in filtered(ROWS, Pattern(text)) if isinstance(row.key, Item)]


def test_a_filter_leaves_headings_and_finds_milestones_by_their_run() -> None:
    assert names("alpha") == ["Profiles", "Runs", "alpha", "Milestones", "alpha/Phase1", "a10", "a5"]
    assert names("!alpha") == ["Profiles", "quick.toml", "Runs", "Milestones", "beta/Phase1", "b5"]
    assert names("7.0") == ["Profiles", "Runs", "Milestones", "beta/Phase1", "b5"]
    assert names("5 M") == ["Profiles", "Runs", "Milestones", "alpha/Phase1", "a5", "beta/Phase1", "b5"]
    assert names("zzz") == ["Profiles", "Runs", "Milestones"]
    assert filtered(ROWS, Pattern("")) == ROWS


def test_headings_count_what_a_filter_leaves(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    every = rows(data_folder.all_checked(reader), frozenset(), 60)
    for text, expected in (
        (
            "",
            [
                "Profiles  3",
                "Runs  2",
                "Milestones  3",
                "alpha · Phase1-BallTouching  2",
                "beta · Phase1-BallTouching  1",
            ],
        ),
        ("beta", ["Profiles  0 of 3", "Runs  1 of 2", "Milestones  1 of 3", "beta · Phase1-BallTouching  1 of 1"]),
        ("!beta", ["Profiles  3 of 3", "Runs  1 of 2", "Milestones  2 of 3", "alpha · Phase1-BallTouching  2 of 2"]),
    ):
        found = [row for row in filtered(every, Pattern(text)) if isinstance(row.key, Item) and not matchable(row)]
        assert [plain([row.line]).strip(" ▾") for row in found] == expected, text
