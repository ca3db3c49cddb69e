"""Dialog to fork a saved state: its own profile first, which always fits, then all others with what does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from rltui.profile.changes import KeyChange
from rltui.profile.locate import STATE_FILE, ProfileFile, list_profiles
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir
from rltui.tui.background import if_mounted
from rltui.tui.browser.compare import change_lines
from rltui.tui.checks.results import ProfileCheck, ProfileChecker, resolved_changes
from rltui.tui.launcher.catalog import ProfileEntry, read_profile
from rltui.tui.launcher.plan import Plan, enter_lines, plan_fork, saved_profile
from rltui.tui.text import Line, clean, text_line, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.list_view import ListView, Row, TextView

SHORT: Mapping[str, str] = {"observation": "obs", "action table": "table", "policy": "policy", "critic": "critic"}
PATIENCE = 0.15  # seconds that the cursor rests before bytes are read for it


def profiles_for(data: DataDir, entry: CheckpointInfo) -> dict[Path, ProfileEntry]:
    """By path, in the order in which they are offered: what it was trained with first. Each is named as a start is told of it."""
    own, name = saved_profile(data.run(entry.run), entry.path), entry.meta.profile if entry.meta else ""
    found = {own: read_profile(ProfileFile(str(own), own, False))} if own.is_file() else {}
    others = sorted(list_profiles(), key=lambda listed: bool(found) or listed.name != name)
    return found | {listed.path: read_profile(listed) for listed in others}


def without_twins(profiles: Mapping[Path, ProfileEntry]) -> dict[Path, ProfileEntry]:
    """None that says the same as the first, which is the state's own; until both are checked none is left out."""
    first = next(iter(profiles.values()), None)
    own = first.summary.hash if first is not None and first.summary is not None else ""
    return {
        path: profile
        for path, profile in profiles.items()
        if profile is first or not own or profile.summary is None or profile.summary.hash != own
    }


def shown_name(profile: ProfileEntry, entry: CheckpointInfo) -> str:
    """The state's own goes by the name that it was trained by, not by its file's."""
    own, meta = profile.name == str(profile.path), entry.meta
    return f"{meta.profile or 'profile'}, its own" if own and meta is not None else profile.name


def misfits(profile: ProfileEntry, meta: Meta | None) -> list[str] | None:
    """Each part that differs, as `action table: expected …, found …`; None while it is not known, or cannot be."""
    wanted = profile.check.signature if profile.check is not None else None
    return wanted.differences(meta.signature) if wanted is not None and meta is not None else None


def row(profile: ProfileEntry, entry: CheckpointInfo) -> Line:
    """Whether it fits, its name, and what does not: the first part, for the others mostly follow from it."""
    name, different = clean(shown_name(profile, entry)), misfits(profile, entry.meta)
    if profile.check is None:
        return ((" ◌ ", "muted"), (name, "muted"))
    if different == [] and profile.check.valid:
        return ((" ✓ ", "good"), (name, ""))
    part = SHORT.get(different[0].partition(":")[0], "") if different else "not valid"
    return ((" ✗ ", "bad"), (name, "muted"), (f"  {part}", "faint"))


@dataclass(frozen=True)
class Fork:
    """What is known of forking with one profile; None while it is being worked out."""

    plan: Plan | None = None
    changes: list[KeyChange] | str | None = None


def fork_lines(profile: ProfileEntry | None, fork: Fork, width: int) -> list[Line]:
    """What forking with the highlighted profile would do."""
    if profile is None:
        return wrap("There is no profile: rltui profile new writes one.", width, "muted")
    found = [*wrap(profile.description or "no description", width, "muted"), (), *enter_lines(fork.plan, width)]
    if not isinstance(fork.plan, LaunchPlan):
        return found
    if fork.changes is None:
        return [*found, (), text_line("comparing the profiles …", "muted")]
    return [*found, (), text_line("What changes", "title"), *change_lines(fork.changes, width)]


class ForkScreen(Dialog[LaunchPlan | None]):
    """Dismissed with what is to be launched, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", "Fork")]

    def __init__(
        self, data: DataDir, entry: CheckpointInfo, checker: ProfileChecker, clock: Callable[[], float]
    ) -> None:
        super().__init__(f"Fork {entry.title} with which profile?", "enter starts the run · esc cancels", "full")
        self._data, self._entry, self._checker, self._clock = data, entry, checker, clock
        self._profiles = profiles_for(data, entry)
        self._forks: dict[Path, Fork] = {}
        self._list, self._text = ListView(name="fork-profiles"), TextView("fork-words")

    def body(self) -> ComposeResult:
        with Horizontal():
            yield self._list
            yield self._text

    def on_mount(self) -> None:
        self._list.focus()
        self._show()
        self._check()

    @work(thread=True, exit_on_error=False)
    def _check(self) -> None:
        """The first before the others: the cursor stands on it."""
        paths = list(self._profiles)
        for some in filter(None, (paths[:1], paths[1:])):
            self.call_later(self.checked, self._checker.check(some))

    @if_mounted
    def checked(self, verdicts: Mapping[Path, ProfileCheck]) -> None:
        self._profiles |= {path: replace(self._profiles[path], check=check) for path, check in verdicts.items()}
        self._show()
        self.rested()

    def _show(self) -> None:
        shown = without_twins(self._profiles)
        self._list.set_rows([Row(path, row(profile, self._entry)) for path, profile in shown.items()])
        self._explain()

    def _explain(self) -> None:
        path = self._path
        self._text.show(partial(fork_lines, self._profiles.get(path), self._forks.get(path, Fork())))

    @property
    def _path(self) -> Path:
        """Of the highlighted profile."""
        return self._list.key if isinstance(self._list.key, Path) else Path()

    def on_list_view_highlighted(self) -> None:
        self._text.first = 0
        self._explain()
        self.set_timer(PATIENCE, self.rested)

    def on_list_view_chosen(self) -> None:
        self.action_take()

    @if_mounted
    def rested(self) -> None:
        """Plan, where that has not been asked for."""
        profile = self._profiles.get(self._path)
        if profile is not None and profile.check is not None and profile.path not in self._forks:
            self._forks[profile.path] = Fork()
            self._plan(profile)

    @work(thread=True, exit_on_error=False)
    def _plan(self, profile: ProfileEntry) -> None:
        """First whether it can be done, then what changes."""
        plan = plan_fork(self._data, self._entry.path, profile, self._clock())
        self.call_later(self.planned, profile.path, Fork(plan))
        if isinstance(plan, LaunchPlan):
            changes = resolved_changes(self._entry.path / STATE_FILE, profile.path, self._checker.run)
            self.call_later(self.planned, profile.path, Fork(plan, changes))

    @if_mounted
    def planned(self, path: Path, fork: Fork) -> None:
        self._forks[path] = fork
        self._explain()

    def action_take(self) -> None:
        plan = self._forks.get(self._path, Fork()).plan
        if isinstance(plan, LaunchPlan):
            self.dismiss(plan)
        else:
            self.notify("A moment" if plan is None else "The right side says why not", severity="warning")
