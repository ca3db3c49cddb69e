"""List of profiles, runs and milestones, under headings that fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal

from rltui import formatting
from rltui.runs.best import reward_with_mark
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.summary import RunSummary
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.text import Line, clean, crop_middle, crop_text, pad, width_of, wrap
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import FilteredList, Row

Kind = Literal["section", "profile", "run", "group", "milestone"]
RUN_STATES = {
    "training": ("▶", "training", "good"),
    "stopped": ("■", "stopped", "idle"),
    "failed": ("✗", "failed", "bad"),
    "unclean": ("!", "unclean", "bad"),
    "empty": ("○", "empty", "idle"),
}
PAUSED = ("‖", "paused", "warn")
USUAL_NAME = 21  # columns of a run's name, `quick-20261128-154538`
WORD, RATE = 9, 10  # columns of what a run does, `training`, and of its speed
AROUND = 14  # columns beside those: of a run's sign and timesteps
NARROWEST = 16  # columns of a run's name beside a whole phase
HEADINGS = ("section", "group")
FIRST_PROFILE = "quick"  # where the cursor starts: the one for a first bot
LEAST_WIDTH = 20  # columns that rows are made for before the list has a size


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
        (MILESTONES, len(catalog.milestones), _milestones(catalog, closed, width), "none yet: M in a run keeps one"),
    ]
    lines: list[Row] = []
    for item, count, content, empty in sections:
        lines += [Row(None, ())] if lines else []
        lines.append(Row(item, _heading(item, count, item in closed)))
        if item not in closed:
            lines += content or [Row(None, (("   ", ""), *row)) for row in wrap(empty, width - 4, "muted")]
    return lines


def filtered(found: Sequence[Row], pattern: Pattern) -> list[Row]:
    """The rows whose text matches, a milestone's with its group's, under their headings, which say how many of how many are
    left; without groups that have none.
    """
    if not pattern.text or pattern.problem:
        return list(found)
    left: list[Row] = []
    group: list[str] = []  # the texts of the group above
    pending: list[Row] = []  # its row, until something of it is found
    for row in found:
        kind = row.key.kind if isinstance(row.key, Item) else "section"
        if kind == "group":
            group, pending = _texts(row), [row]
        elif not matchable(row):
            left.append(row)
        elif pattern.matches(*_texts(row), *(group if kind == "milestone" else ())):
            left += [*pending, row] if kind == "milestone" else [row]
            pending = []
    return [_recounted(left, index) for index in range(len(left))]


def _recounted(left: Sequence[Row], index: int) -> Row:
    """A heading with a count says how many of them are still there."""
    row = left[index]
    key = row.key
    if not isinstance(key, Item) or key.kind not in HEADINGS or not row.line[-1][0].strip().isdigit():
        return row
    ends = HEADINGS if key.kind == "group" else ("section",)
    below = takewhile(lambda other: not (isinstance(other.key, Item) and other.key.kind in ends), left[index + 1 :])
    count, role = row.line[-1]
    return Row(key, (*row.line[:-1], (f"  {sum(map(matchable, below))} of {count.strip()}", role)))


def _texts(row: Row) -> list[str]:
    """What a filter looks through: each part, what stands behind the sign as a whole, a run's or group's name uncropped."""
    parts = [text for text, _ in row.line]
    name = row.key.name if isinstance(row.key, Item) and row.key.kind in ("run", "group") else ""
    return [*(part.strip() for part in parts), "".join(parts[1:]).strip(), *([name] if name else [])]


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
    found = {group for group, states in groups(catalog).items() if any(str(s.path) == item.name for s in states)}
    return {MILESTONES, *found} if item.kind in ("milestone", "group") else set()


def groups(catalog: Catalog) -> dict[Item, list[CheckpointInfo]]:
    """Milestones by run and phase, runs in their order."""
    found: dict[Item, list[CheckpointInfo]] = {}
    for saved in catalog.milestones:
        found.setdefault(Item("group", f"{saved.run}/{saved.phase}"), []).append(saved)
    return found


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


def state_sign(run: RunSummary) -> tuple[str, str, str]:
    """(symbol, word, role) of what it does."""
    return PAUSED if run.paused is not None else RUN_STATES[run.state]


def _run(run: RunSummary, width: int, names: int) -> Line:
    """names: columns of the longest name."""
    symbol, word, role = state_sign(run)
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
    left = width - AROUND - min(names, USUAL_NAME)
    return width >= 40 and left >= WORD, width >= 46 and left >= WORD + RATE


def _milestones(catalog: Catalog, closed: frozenset[Item], width: int) -> list[Row]:
    lines: list[Row] = []
    for item, states in groups(catalog).items():
        is_closed = item in closed
        name = _group_name(states[0].run, states[0].phase, width - len(f"{len(states)}") - 8)
        head: Line = ((f"   {'▸' if is_closed else '▾'} ", "key"), (name, ""), (f"  {len(states)}", "muted"))
        lines.append(Row(item, head))
        if not is_closed:
            lines += [Row(Item("milestone", str(saved.path)), _milestone(saved, width)) for saved in reversed(states)]
    return lines


def _group_name(run: str, phase: str, width: int) -> str:
    """`alpha · Phase1-BallTouching`; where that is too long, the run's name without its middle, then the phase's number."""
    room = width - len(phase) - 3
    if room < min(len(run), NARROWEST):
        phase = phase.partition("-")[0].replace("Phase", "P")
        room = width - len(phase) - 3
    return f"{crop_middle(run, max(room, 4))} · {phase}"


def _milestone(saved: CheckpointInfo, width: int) -> Line:
    meta = saved.meta
    sign = "●" if saved.mark.released else "▲" if saved.mark.pinned else " "
    reward, role = reward_with_mark(saved.best, meta)
    entropy = formatting.number(meta.entropy) if meta else formatting.UNKNOWN
    spans: list[tuple[str, str]] = [
        (f"     {sign} ", "warn"),
        (pad(saved.label, 10 if width >= 28 else 7) + " ", "strong"),
    ]
    spans += [("reward ", "muted")] if width >= 38 else []
    spans.append((f"{reward:>8}", role))
    spans += [("  entropy ", "muted"), (f"{entropy:>5}", "")] if width >= 48 else []
    return tuple(spans)


class CatalogTree(FilteredList):
    """`show` fills it. wanted: what the cursor goes to once it is listed: a profile just written, a run just looked at."""

    def __init__(self) -> None:
        super().__init__(name="tree", classes="pane")
        self.border_title = "What to train"
        self.wanted: Item | None = None
        self._catalog: Catalog | None = None
        self._folded: set[Item] = set()
        self._groups: set[Item] = set()  # that were there before: a new one starts closed unless it is the first

    @property
    def item(self) -> Item | None:
        """What the cursor stands on."""
        return self.key if isinstance(self.key, Item) else None

    def show(self, catalog: Catalog) -> None:
        """Another catalogue, or another size."""
        for index, group in enumerate(groups(catalog)):
            if group not in self._groups and (self._groups or index):
                self._folded.add(group)
            self._groups.add(group)
        self._catalog = catalog
        wanted = self.wanted
        self._folded -= holding(catalog, wanted) if wanted is not None else set()
        self.fill()
        if wanted is not None and any(row.key == wanted for row in rows(catalog, frozenset(), LEAST_WIDTH)):
            self.reveal(wanted)

    def fold(self) -> bool:
        """Open what is closed under the cursor, close what is open; False where it hides nothing, or a filter is on."""
        item = self.item
        if item is None or item.kind not in HEADINGS or self.pattern.text:
            return False
        self._folded ^= {item}
        self.fill()
        return True

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        """Without a filter, what holds the row under the cursor is open."""
        here = goes or self.item
        if self._catalog is not None and not pattern.text and isinstance(here, Item):
            self._folded -= holding(self._catalog, here)
        super().filter_by(pattern, goes)

    def matching(self) -> tuple[Sequence[object], int]:
        """Headings and notes are not counted."""
        if self._catalog is None:
            return (), 0
        every = rows(self._catalog, frozenset(), 40)
        return [row.key for row in self.rows if matchable(row)], sum(matchable(row) for row in every)

    def fill(self, goes: object = None) -> None:
        if self._catalog is None:
            return
        closed = frozenset() if self.pattern.text else frozenset(self._folded)
        found = filtered(rows(self._catalog, closed, max(self.size.width, LEAST_WIDTH)), self.pattern)
        item = self._cursor_in(found)
        if item == self.wanted:
            self.wanted = None
        self.set_rows(found, goes or item)

    def _cursor_in(self, found: Sequence[Row]) -> Item | None:
        """Where the cursor goes among these rows; None where it stays."""
        profiles = [row.key for row in found if isinstance(row.key, Item) and row.key.kind == "profile"]
        if self.wanted is not None and any(row.key == self.wanted for row in found):
            return self.wanted
        if self.pattern.text and self.item is not None and self.item.kind in HEADINGS:  # typed before the rows came
            return first_match(found)
        if self.key is not None:
            return None
        return next((item for item in profiles if Path(item.name).stem == FIRST_PROFILE), (*profiles, PROFILES)[0])
