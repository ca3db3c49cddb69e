"""What the browser is made of, without a screen: names that are meant, columns that fit, changes, trees, hash checks."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from rltui import formatting
from rltui.runs.inventory import MilestoneMark, read_checkpoint_info, read_inventory
from rltui.runs.paths import DataDir
from rltui.tui.browser import table, tree
from rltui.tui.browser.details import lines
from rltui.tui.browser.library import ALL, CheckpointRow, Library, RunNode, checkpoint_rows
from rltui.tui.browser.operations import is_named, last_digits
from rltui.tui.browser.table import Sorting
from rltui.tui.browser.verification import HashChecks, VerificationQueue
from rltui.tui.checks.results import KeyChange, condensed, resolved_changes, saved_changes
from rltui.tui.text import plain
from tests.fakes.saved_runs import make_files, make_meta, make_run, place, save_milestone


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def entry_of(path: Path, kind: str = "milestone") -> CheckpointRow:
    return CheckpointRow(kind, "alpha", path, read_checkpoint_info(path))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("005M", "5 M"), ("001.09568M", "1.09568 M"), ("000.1M", "100 k"), ("000.0256M", "25.6 k"), ("000.000512M", "512"), ("1250M", "1,250 M"), ("012.35M", "12.35 M"),
        ("best one", "best one"), ("M", "M"), ("1.2.3M", "1.2.3M"), ("007x", "007x"),
    ],
)  # fmt: skip
def test_a_milestones_name(label: str, words: str) -> None:
    assert formatting.millions(label) == words


def test_which_words_name_a_state(data: DataDir) -> None:
    paths = make_run(data)
    milestone = entry_of(save_milestone(paths, 1, 12_431_360, "012.43136M"))
    for typed in ("012.43136M", "12.43136 M", "12.43136m", "Phase1-BallTouching/012.43136M", "1360", " 1360 "):
        assert is_named(milestone, typed), typed
    for typed in ("", "M", "12", "136", "0360", "12431360", "y", "*"):
        assert not is_named(milestone, typed), typed
    checkpoint = entry_of(paths.checkpoint(3000), "checkpoint")
    assert (is_named(checkpoint, "3000"), is_named(checkpoint, "checkpoint"), last_digits(checkpoint)) == (
        True,
        False,
        "3000",
    )


def test_every_width_has_columns_and_never_overflows(data: DataDir) -> None:
    entry = entry_of(save_milestone(make_run(data), 1, 123_456_789, "123M"))
    assert entry.info is not None
    mark = MilestoneMark(pinned=True, released=True, note="x" * 300)
    entry = dataclasses.replace(entry, info=dataclasses.replace(entry.info, mark=mark))
    for width in range(16, 220):
        columns = table.fitting(width, {"alpha", "b" * 60})
        assert columns[0] is table.NAME
        head = table.head(columns, Sorting("1"), width)
        drawn = table.row(entry, table.Drawing(columns, {entry.path}, lambda _: "sound", 0.0), width)
        for line in (head, drawn.line):
            assert sum(len(text) for text, _ in line) <= width, width


@pytest.mark.parametrize("key", sorted(set(table.SORTABLE) - {table.NOTE}))
def test_what_the_rows_are_sorted_by_is_shown_as_long_as_there_is_room_for_it_at_all(key: str) -> None:
    for width in range(30, 220):
        columns = table.fitting(width, {"alpha", "beta"}, by=key)
        assert columns[0] is table.NAME and key in [column.key for column in columns], width
        head = "".join(text for text, _ in table.head(columns, Sorting(key, True), width))
        assert "▼" in head and len(head) <= width, width


def test_unknown_figures_come_last_in_either_order(data: DataDir) -> None:
    paths = make_run(data)
    known = entry_of(paths.checkpoint(1000), "checkpoint")
    unknown = CheckpointRow("stray", "alpha", paths.checkpoints / "x")
    for descending in (True, False):
        assert table.sort([unknown, known], Sorting("2", descending)) == [known, unknown]


def test_branches_stand_below_the_run_that_they_left_and_circles_end(data: DataDir) -> None:
    for name, parent in (("a", "c@1"), ("b", "a@1"), ("c", "b@1"), ("d", "gone@5"), ("e", "d@1")):
        about = msgspec.structs.replace(make_meta(name, 1, 1000), parent=parent)
        place(data.run(name).checkpoint(1000), make_files(about))
    inventories = tuple(read_inventory(data.run(name)) for name in data.run_names())
    library = Library(
        data.root, inventories, tuple(entry for inventory in inventories for entry in checkpoint_rows(inventory)), True
    )
    found = {inventory.run: depth for inventory, depth in tree.by_descent(library)}
    assert sorted(found) == ["a", "b", "c", "d", "e"]
    assert (found["d"], found["e"]) == (0, 1)
    rows = tree.rows(library, frozenset({RunNode("run", "d")}), 30)
    assert rows[0].key == ALL
    assert RunNode("checkpoints", "d") not in [row.key for row in rows]


def test_only_what_differs_is_told(tmp_path: Path) -> None:
    left, right = tmp_path / "left.toml", tmp_path / "right.toml"
    left.write_text('a = 1\ndescription = "x"\n[[resets]]\nkind = "kickoff"\n[[resets]]\nkind = "random"\nweight = 1\n')
    right.write_text(
        'a = true\ndescription = "y"\n[[resets]]\nkind = "random"\nweight = 2\n[[resets]]\nkind = "kickoff"\n'
    )
    assert saved_changes(left, right) == [KeyChange("a", "1", "true"), KeyChange("resets.random.weight", "1", "2")]
    assert saved_changes(left, left) == []
    right.write_bytes(b"\xff")
    assert "cannot be compared" in str(saved_changes(left, right))
    assert "cannot be compared" in str(saved_changes(left, tmp_path / "none"))


def test_a_table_of_which_one_side_has_nothing_is_one_change() -> None:
    many = [KeyChange(f"rewards.{name}.weight", "1", None) for name in "abcd"]
    assert condensed([*many, KeyChange("ppo.gamma", None, "0.9")]) == [
        KeyChange("[rewards]", "4 keys", None),
        KeyChange("ppo.gamma", None, "0.9"),
    ]
    mixed = [*many, KeyChange("rewards.e.weight", None, "1")]
    assert condensed(mixed) == mixed


def test_a_child_that_says_nothing_is_told_of() -> None:
    def fails(command: object) -> bytes:
        raise OSError("no such child")

    assert resolved_changes(Path("a"), Path("b"), fails) == "the profiles could not be compared: no such child"
    assert "could not be compared" in str(resolved_changes(Path("a"), Path("b"), lambda command: b"{"))


def test_hashes_are_compared_once_and_again_when_something_changed(data: DataDir) -> None:
    folder = make_run(data).checkpoint(1000)
    read: list[Path] = []

    def damage(path: Path) -> str | None:
        read.append(path)
        return "cut" if len(read) > 1 else None

    checks = HashChecks(damage)
    assert checks.verdict(folder) == ("unchecked", "")
    checks.check(folder)
    checks.check(folder)
    assert (checks.verdict(folder), len(read)) == (("sound", ""), 1)
    (folder / "manifest.sha256").write_bytes(b"x")
    checks.check(folder)
    assert (checks.verdict(folder), len(read)) == (("damaged", "cut"), 2)


def test_what_was_pruned_while_it_was_read_is_gone_and_not_damaged(data: DataDir) -> None:
    paths = make_run(data)
    folder = paths.checkpoint(1000)
    entry = entry_of(folder, "checkpoint")

    def pruned(path: Path) -> str | None:
        shutil.rmtree(path)
        return "no manifest"

    checks = HashChecks(pruned)
    checks.check(folder)
    assert checks.verdict(folder) == ("gone", "")
    text = "\n".join(plain([line]) for line in lines(entry, Library(data.root), checks.verdict(folder), 0.0, 100))
    assert "gone (pruned meanwhile)" in text
    assert "damaged" not in text
    assert "✗" not in text


@pytest.mark.parametrize(("entropy", "is_dead"), [(0.0, True), (0.49, True), (0.51, False), (None, False)])
def test_a_reward_that_does_not_count_is_marked_with_the_reason(
    data: DataDir, entropy: float | None, is_dead: bool
) -> None:
    about = msgspec.structs.replace(make_meta("alpha", 1, 1000), entropy=entropy, mean_reward=-1234.0)
    entry = entry_of(place(data.run("alpha").checkpoint(1000), make_files(about)), "checkpoint")
    for width in (40, 120):
        drawing = table.Drawing(table.fitting(width), (), lambda _: "sound", 0.0)
        row = table.row(entry, drawing, width)
        reward = next(text for text, _ in row.line if formatting.number(-1234.0) in text)
        assert ("▼" in reward) is is_dead
        assert any("▼ " in text and role == "warn" for text, role in row.line) is is_dead
    words = " ".join(plain(lines(entry, Library(data.root), ("sound", ""), 0.0, 70)).split())
    assert ("▼ does not count: entropy" in words and "it hardly explored any more" in words) is is_dead


def test_the_best_by_reward_is_the_best_of_the_healthy(data: DataDir) -> None:
    """A collapsed bot with the highest reward, and short episodes with the next, come behind all whose rewards count."""
    paths = data.run("alpha")
    for steps, reward, entropy, short in (
        (1000, 5.0, 3.0, False), (2000, 9.0, 0.01, False), (3000, 8.0, 3.0, True), (4000, 7.0, 3.0, False), (5000, 6.0, 3.0, False),
    ):  # fmt: skip
        about = msgspec.structs.replace(
            make_meta("alpha", steps // 1000, steps), mean_reward=reward, entropy=entropy, reward_short=short
        )
        place(paths.checkpoint(steps), make_files(about))
    entries = checkpoint_rows(read_inventory(paths))
    assert [entry.timesteps for entry in table.sort(entries, Sorting("2", True))] == [
        4000,
        5000,
        1000,
        2000,
        3000,
    ]
    assert [entry.timesteps for entry in table.sort(entries, Sorting("2"))] == [1000, 5000, 4000, 3000, 2000]
    assert [entry.timesteps for entry in entries if entry.best is not None] == [4000]
    drawing = table.Drawing(table.fitting(80), (), lambda _: "sound", 0.0)
    drawn = {entry.timesteps: plain([table.row(entry, drawing, 80).line]) for entry in entries}
    assert {steps for steps, text in drawn.items() if "★" in text} == {4000}
    assert {steps for steps, text in drawn.items() if "▼" in text} == {2000, 3000}
    best = next(entry for entry in entries if entry.best)
    text = plain(lines(best, Library(data.root), ("sound", ""), 0.0, 70))
    assert "★ the best of 3 healthy ones under the same rewards" in text


def test_what_is_asked_for_while_another_is_read_comes_next(data: DataDir) -> None:
    paths = sorted(make_run(data).checkpoints.iterdir())
    assert len(paths) > 1
    begun, goes_on = threading.Event(), threading.Event()

    def slowly(path: Path) -> str | None:
        begun.set()
        assert goes_on.wait(30)
        return None

    checks = HashChecks(slowly)
    queue = VerificationQueue(checks)
    assert not queue.put([]) and queue.put(paths[:1])
    reader = threading.Thread(target=lambda: list(queue.read(lambda: True)))
    reader.start()
    assert begun.wait(30)
    assert not queue.put(paths)  # while the state under the cursor is being read: the same thread goes on
    goes_on.set()
    reader.join(30)
    assert [checks.verdict(path)[0] for path in paths] == ["sound"] * len(paths)
    assert not queue.busy and queue.put(paths)


def test_nothing_is_read_once_nobody_wants_to_know(data: DataDir) -> None:
    queue = VerificationQueue(HashChecks(lambda path: pytest.fail(f"{path} was read")))
    assert queue.put([make_run(data).checkpoint(1000)])
    assert list(queue.read(lambda: False)) == [] and not queue.busy
