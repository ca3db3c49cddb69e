"""Tree of runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.runs.inventory import read_inventory
from rltui.runs.paths import DataDir
from rltui.tui.browser import tree
from rltui.tui.browser.library import ALL, Library, RunNode
from tests.fakes.saved_runs import make_files, make_meta, place


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def test_branches_stand_below_the_run_that_they_left_and_circles_end(data: DataDir) -> None:
    for name, parent in (("a", "c@1"), ("b", "a@1"), ("c", "b@1"), ("d", "gone@5"), ("e", "d@1")):
        about = msgspec.structs.replace(make_meta(name, 1, 1000), parent=parent)
        place(data.run(name).checkpoint(1000), make_files(about))
    inventories = tuple(read_inventory(data.run(name)) for name in data.run_names())
    library = Library(
        data.root, inventories, tuple(entry for inventory in inventories for entry in inventory.entries), True
    )
    found = {inventory.run: depth for inventory, depth in tree.by_descent(library)}
    assert sorted(found) == ["a", "b", "c", "d", "e"]
    assert (found["d"], found["e"]) == (0, 1)
    rows = tree.rows(library, frozenset({RunNode("run", "d")}), 30)
    assert rows[0].key == ALL
    assert RunNode("checkpoints", "d") not in [row.key for row in rows]
