"""Tree of profiles, runs, milestones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rltui import formatting
from rltui.runs.best import is_best, reward_with_mark
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.summary import RunSummary
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.text import Line, clean, crop_middle, crop_text, pad, width_of, wrap
from rltui.tui.widgets.filter_bar import FilterLine, Pattern
from rltui.tui.widgets.list_view import ListView, Row

if TYPE_CHECKING:
    from rltui.tui.launcher.screen import Editing, LauncherScreen


Kind = Literal["section", "profile", "run", "group", "milestone"]
RUN_STATES = {
    "training": ("▶", "training", "good"),
    "stopped": ("■", "stopped", "idle"),
    "failed": ("✗", "failed", "bad"),
    "unclean": ("!", "unclean", "bad"),
    "empty": ("○", "empty", "idle"),
}
PAUSED = ("‖", "paused", "warn")
USUAL = 21  # columns of a run's name, `quick-20261128-154538`
WORD, RATE = 9, 10  # columns of what a run does, `training`, and of its speed
AROUND = 14  # columns beside those: of a run's sign and timesteps
NARROWEST = 16  # columns of a run's name beside a whole phase
HEADINGS = ("section", "group")


@dataclass(frozen=True, slots=True)
class Item:
    """What a row stands for. name: section title, profile or milestone path, run name, or `run/phase` of a group."""

    kind: Kind
    name: str


PROFILES, RUNS, MILESTONES = (Item("section", name) for name in ("Profiles", "Runs", "Milestones"))


def profile_at(catalog: Catalog | None, item: Item | None) -> ProfileEntry | None:
    """The profile that a row stands for; None for any other row."""
    if catalog is None or item is None or item.kind != "profile":
        return None
    return catalog.profile(Path(item.name))


def rows(catalog: Catalog, closed: frozenset[Item], width: int) -> list[Row]:
    """All rows for a list of `width` columns; what is closed hides what lies under it."""
    profiles = [Row(Item("profile", str(entry.path)), _profile(entry, width)) for entry in catalog.profiles]
    names = max((len(run.name) for run in catalog.runs), default=0)
    runs = [Row(Item("run", run.name), _run(run, width, names)) for run in catalog.runs]
    sections: list[tuple[Item, int, Sequence[Row], str]] = [
        (PROFILES, len(profiles), profiles, "none found: rltui profile new writes one"),
        (RUNS, len(runs), runs, catalog.problem or "none yet: enter on a profile starts one"),
        (MILESTONES, catalog.milestones, _milestones(catalog, closed, width), "none yet: M in a run keeps one"),
    ]
    lines: list[Row] = []
    for item, count, content, empty in sections:
        lines += [Row(None, ())] if lines else []
        lines.append(Row(item, _heading(item, count, item in closed)))
        if item not in closed:
            lines += content or [Row(None, (("   ", ""), *row)) for row in wrap(empty, width - 4, "muted")]
    return lines


def filtered(found: Sequence[Row], pattern: Pattern) -> list[Row]:
    """The rows whose text matches, a milestone's with its group's, under their headings; without groups that have none."""
    if not pattern.text or pattern.problem:
        return list(found)
    kept: list[Row] = []
    group, pending = "", []  # the text of the group above, and its row until something of it is found
    for row in found:
        kind = row.key.kind if isinstance(row.key, Item) else "section"
        if kind == "group":
            group, pending = _text(row), [row]
        elif not matchable(row):
            kept.append(row)
        elif pattern.matches(_text(row), group if kind == "milestone" else ""):
            kept += [*pending, row] if kind == "milestone" else [row]
            pending = []
    return kept


def _text(row: Row) -> str:
    return "".join(text for text, _ in row.line)


def matchable(row: Row) -> bool:
    """Whether it is something that a filter looks for; headings and notes are none."""
    return isinstance(row.key, Item) and row.key.kind not in HEADINGS


def first_match(found: Sequence[Row]) -> Item | None:
    """The first row that is no heading."""
    return next((row.key for row in found if isinstance(row.key, Item) and matchable(row)), None)


def holding(catalog: Catalog, item: Item) -> set[Item]:
    """The headings that have to be open for this row to be seen."""
    if item.kind == "profile":
        return {PROFILES}
    if item.kind == "run":
        return {RUNS}
    found = {group for group, _, states in groups(catalog) if any(str(state.path) == item.name for state in states)}
    return {MILESTONES, *found} if item.kind in ("milestone", "group") else set()


def groups(catalog: Catalog) -> list[tuple[Item, RunSummary, list[CheckpointInfo]]]:
    """Milestones by run and phase, runs in their order."""
    found: dict[Item, tuple[Item, RunSummary, list[CheckpointInfo]]] = {}
    for run in catalog.runs:
        for saved in run.milestones:
            item = Item("group", f"{run.name}/{phase_of(saved)}")
            found.setdefault(item, (item, run, []))[2].append(saved)
    return list(found.values())


def phase_of(saved: CheckpointInfo) -> str:
    """`Phase1-BallTouching` of `milestone Phase1-BallTouching/005M`."""
    return saved.milestone.partition("/")[0]


def label_of(saved: CheckpointInfo) -> str:
    """`5 M` of `milestone Phase1-BallTouching/005M`."""
    return formatting.millions(saved.path.name)


def _heading(item: Item, count: int, is_closed: bool) -> Line:
    return ((f" {'▸' if is_closed else '▾'} ", "key"), (item.name, "title"), (f"  {count}" if count else "", "muted"))


def _profile(entry: ProfileEntry, width: int) -> Line:
    name = clean(entry.name)
    if entry.check is None:
        return (("   ◌ ", "muted"), (name, ""))
    if entry.check.valid:
        return (("   ✓ ", "good"), (name, ""))
    problem = entry.check.errors[0] if entry.check.errors else None
    line = f"line {problem.line}: " if problem and problem.line else ""
    words = f"{line}{problem.key or problem.message}" if problem else "not valid"
    head: Line = (("   ✗ ", "bad"), (crop_text(name, max(width - 18, 12)), ""))
    return (*head, (f"  {crop_text(clean(words), max(width - width_of(head) - 3, 4))}", "bad"))


def state_words(run: RunSummary) -> tuple[str, str, str]:
    """(symbol, word, role) of what it does."""
    return PAUSED if run.paused is not None else RUN_STATES[run.state]


def _run(run: RunSummary, width: int, names: int) -> Line:
    """names: columns of the longest name."""
    symbol, word, role = state_words(run)
    with_word, with_rate = _has_room(width, names)
    room = max(width - AROUND - WORD * with_word - RATE * with_rate, 8)
    spans: list[tuple[str, str]] = [(f"   {symbol} ", role), (pad(crop_middle(run.name, room), room), "")]
    if with_word:
        spans.append((f" {word:<{WORD - 1}}", role))
    spans.append((f"{formatting.short(run.timesteps):>8}", ""))
    if with_rate:
        trains = run.state == "training" and run.paused is None
        rate = formatting.rate(run.speed.steps_per_second if run.speed else None) if trains else ""
        spans.append((f"{rate:>{RATE}}", "muted"))
    return tuple(spans)


def _has_room(width: int, names: int) -> tuple[bool, bool]:
    """For what a run does in a word, and for its speed: names come first, as far as they tell runs apart."""
    left = width - AROUND - min(names, USUAL)
    return width >= 40 and left >= WORD, width >= 46 and left >= WORD + RATE


def _milestones(catalog: Catalog, closed: frozenset[Item], width: int) -> list[Row]:
    lines: list[Row] = []
    for item, run, states in groups(catalog):
        is_closed = item in closed
        name = _group_name(run.name, phase_of(states[0]), width - len(f"{len(states)}") - 8)
        head: Line = ((f"   {'▸' if is_closed else '▾'} ", "key"), (name, ""), (f"  {len(states)}", "muted"))
        lines.append(Row(item, head))
        if not is_closed:
            lines += [
                Row(Item("milestone", str(saved.path)), _milestone(run, saved, width)) for saved in reversed(states)
            ]
    return lines


def _group_name(run: str, phase: str, width: int) -> str:
    """`alpha · Phase1-BallTouching`; where that is too long, the run's name without its middle, then the phase's number."""
    room = width - len(phase) - 3
    if room < min(len(run), NARROWEST):
        phase = phase.partition("-")[0].replace("Phase", "P")
        room = width - len(phase) - 3
    return f"{crop_middle(run, max(room, 4))} · {phase}"


def _milestone(run: RunSummary, saved: CheckpointInfo, width: int) -> Line:
    meta = saved.meta
    sign = "●" if saved.mark.released else "▲" if saved.mark.pinned else " "
    reward, role = reward_with_mark(is_best(run.best, meta), meta)
    entropy = formatting.number(meta.entropy) if meta else formatting.UNKNOWN
    spans: list[tuple[str, str]] = [
        (f"     {sign} ", "warn"),
        (pad(label_of(saved), 10 if width >= 28 else 7) + " ", "strong"),
    ]
    spans += [("reward ", "muted")] if width >= 38 else []
    spans.append((f"{reward:>8}", role))
    spans += [("  entropy ", "muted"), (f"{entropy:>5}", "")] if width >= 48 else []
    return tuple(spans)


FIRST_PROFILE = "quick"  # where the cursor starts: the one for a first bot


class Branches:
    """Which of the rows are there. pattern: what they must match, whatever is folded."""

    def __init__(self) -> None:
        self.pattern = Pattern()
        self._folded: set[Item] = set()
        self._grouped: set[Item] = set()  # groups seen: a new one starts closed unless it is the first

    @property
    def filtered(self) -> bool:
        return bool(self.pattern.text)

    def found(self, catalog: Catalog, shown: Sequence[Row]) -> tuple[list[object], int]:
        """(keys of those that match, how many there are)."""
        every = rows(catalog, frozenset(), 40)
        return [row.key for row in shown if matchable(row)], sum(matchable(row) for row in every)

    def open_to(self, catalog: Catalog, item: object) -> None:
        """Whatever hides this row."""
        if isinstance(item, Item):
            self._folded -= holding(catalog, item)

    def close_new(self, catalog: Catalog) -> None:
        """Groups of milestones that have come."""
        for index, (item, _, _) in enumerate(groups(catalog)):
            if item not in self._grouped and (self._grouped or index):
                self._folded.add(item)
            self._grouped.add(item)

    def fold(self, item: Item) -> None:
        """Open what is closed, close what is open; what is filtered is all open."""
        self._folded ^= {item} if not self.filtered else set()

    def rows(self, catalog: Catalog, width: int) -> list[Row]:
        closed = frozenset() if self.filtered else frozenset(self._folded)
        return filtered(rows(catalog, closed, width), self.pattern)

    def cursor(self, found: Sequence[Row], here: object, wanted: Path | None) -> Item | None:
        """Where it goes; None for where it is. wanted: a profile that was just written."""
        profiles = [row.key for row in found if isinstance(row.key, Item) and row.key.kind == "profile"]
        new = Item("profile", str(wanted)) if wanted else None
        if new is not None and new in profiles:
            return new
        if self.filtered and isinstance(here, Item) and here.kind in HEADINGS:  # typed before the list was there
            return first_match(found)
        if here is not None:
            return None
        return next((item for item in profiles if Path(item.name).stem == FIRST_PROFILE), (*profiles, PROFILES)[0])


LEAST_LIST_WIDTH = 20  # columns that rows are made for before the list has a size


class ShownTree:
    """Of the launcher's screen. The filter line asks it for what is left."""

    def __init__(self, screen: LauncherScreen, editing: Editing) -> None:
        self._screen, self._editing = screen, editing
        self._branches = Branches()

    @property
    def list(self) -> ListView:
        return self._screen.query_one("#tree", ListView)

    @property
    def item(self) -> Item | None:
        """What the cursor stands on; None where the list has gone, as a timer may find it when the program ends."""
        tree = next(iter(self._screen.query("#tree").results(ListView)), None)
        return tree.key if tree is not None and isinstance(tree.key, Item) else None

    def renewed(self, catalog: Catalog) -> None:
        """Another catalogue is there."""
        self._branches.close_new(catalog)

    def show(self) -> None:
        """The list again. The cursor goes to a profile that was just written."""
        catalog = self._screen.catalog
        if catalog is None:
            return
        found = self._branches.rows(catalog, max(self.list.size.width, LEAST_LIST_WIDTH))
        goes = self._branches.cursor(found, self.list.key, self._editing.wanted)
        if goes is not None and goes.name == str(self._editing.wanted):
            self._editing.wanted = None
        self.list.set_rows(found, goes)
        self._screen.query_one(FilterLine).tell()

    def fold(self) -> None:
        """Open what is closed under the cursor, close what is open."""
        item = self.item
        if item is not None and item.kind in HEADINGS:
            self._branches.fold(item)
            self.show()

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """What is left of the list."""
        catalog = self._screen.catalog
        if catalog is not None and not pattern.text:
            self._branches.open_to(catalog, goes or self.item)
        self._branches.pattern = pattern
        self.show()
        self.list.set_rows(self.list.rows, goes)

    def found(self) -> tuple[Sequence[object], int]:
        """What the filter leaves, of how many."""
        catalog = self._screen.catalog
        return self._branches.found(catalog, self.list.rows) if catalog is not None else ((), 0)
