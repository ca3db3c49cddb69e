"""Dialog to fork a saved state: its own profile first, which always fits, then all others with what does not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message

from rltui.profile.locate import STATE_FILE, ProfileFile, list_profiles
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir
from rltui.tui.background import if_mounted
from rltui.tui.browser.compare import change_lines
from rltui.tui.checks.results import KeyChange, ProfileChecker, resolved_changes
from rltui.tui.launcher.catalog import ProfileEntry, read_profile
from rltui.tui.launcher.plan import Plan, Refusal, enter_lines, plan_fork, saved_profile
from rltui.tui.text import Line, clean, text_line, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.list_view import ListView, Row, TextView

SHORT: Mapping[str, str] = {"observation": "obs", "action table": "table", "policy": "policy", "critic": "critic"}
PATIENCE = 0.15  # seconds that the cursor rests before bytes are read for it


def profiles_for(data: DataDir, entry: CheckpointInfo) -> dict[Path, ProfileEntry]:
    """By path, in the order in which they are offered; each is named as a start is told of it."""
    own = saved_profile(data.run(entry.run), entry.path)
    found = {own: read_profile(ProfileFile(str(own), own, False))} if own.is_file() else {}
    return found | {listed.path: read_profile(listed) for listed in list_profiles()}


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
    """What is known of forking with one profile. changes: None while the child has not answered."""

    plan: Plan
    changes: list[KeyChange] | str | None = None


def fork_lines(profile: ProfileEntry | None, fork: Fork | None, width: int) -> list[Line]:
    """What forking with the highlighted profile would do."""
    if profile is None:
        return wrap("There is no profile: rltui profile new writes one.", width, "muted")
    found = [*wrap(profile.description or "no description", width, "muted"), ()]
    if fork is None:
        return [*found, text_line("being looked at …", "muted")]
    found += enter_lines(fork.plan, width)
    if isinstance(fork.plan, Refusal):
        return found
    if fork.changes is None:
        return [*found, (), text_line("comparing the profiles …", "muted")]
    title = text_line("What changes, from the state's own profile", "title")
    return [*found, (), title, *change_lines(fork.changes, width)]


class ForkScreen(Dialog[LaunchPlan | None]):
    """Dismissed with what is to be launched, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", "Fork")]

    class Profiles(Message):
        """All profiles have been checked."""

        def __init__(self, profiles: Sequence[ProfileEntry]) -> None:
            super().__init__()
            self.profiles = profiles

    class Worked(Message):
        """What forking with the profile would do."""

        def __init__(self, path: Path, fork: Fork) -> None:
            super().__init__()
            self.path, self.fork = path, fork

    def __init__(
        self, data: DataDir, entry: CheckpointInfo, checker: ProfileChecker, clock: Callable[[], float]
    ) -> None:
        super().__init__(f"Fork {entry.title} with which profile?", "enter starts the run · esc cancels", "full")
        self._data, self._entry, self._checker, self._clock = data, entry, checker, clock
        self._profiles: dict[Path, ProfileEntry] = {}
        self._forks: dict[Path, Fork] = {}
        self._asked: set[Path] = set()

    def body(self) -> ComposeResult:
        with Horizontal():
            yield ListView(name="fork-profiles")
            yield TextView("fork-words")

    def on_mount(self) -> None:
        self._show(profiles_for(self._data, self._entry))
        self.query_one("#fork-profiles", ListView).focus()
        self._check()

    @work(thread=True, exit_on_error=False)
    def _check(self) -> None:
        verdicts = self._checker.check(list(self._profiles))
        self.post_message(
            self.Profiles([dataclasses.replace(p, check=verdicts[p.path]) for p in self._profiles.values()])
        )

    @if_mounted
    def on_fork_screen_profiles(self, message: Profiles) -> None:
        self._show({profile.path: profile for profile in message.profiles})
        self._rested()

    def _show(self, profiles: dict[Path, ProfileEntry]) -> None:
        self._profiles = profiles
        rows = [Row(path, row(profile, self._entry)) for path, profile in profiles.items()]
        self.query_one("#fork-profiles", ListView).set_rows(rows)
        self._show_details()

    def _show_details(self) -> None:
        path = self.path
        profile, fork = (self._profiles.get(path), self._forks.get(path)) if path else (None, None)
        self.query_one(TextView).show(partial(fork_lines, profile, fork))

    @property
    def path(self) -> Path | None:
        """Of the highlighted profile."""
        key = self.query_one("#fork-profiles", ListView).key
        return key if isinstance(key, Path) else None

    def on_list_view_highlighted(self) -> None:
        self.query_one(TextView).first = 0
        self._show_details()
        self.set_timer(PATIENCE, self._rested)

    def on_list_view_chosen(self) -> None:
        self.action_take()

    @if_mounted
    def _rested(self) -> None:
        path = self.path
        profile = self._profiles.get(path) if path else None
        if path is not None and profile is not None and profile.check is not None and path not in self._asked:
            self._asked.add(path)
            self._plan(path, profile)

    @work(thread=True, exit_on_error=False)
    def _plan(self, path: Path, profile: ProfileEntry) -> None:
        """First whether it can be done, then what changes."""
        plan = plan_fork(self._data, self._entry.path, profile, self._clock())
        self.post_message(self.Worked(path, Fork(plan)))
        if isinstance(plan, LaunchPlan):
            changes = resolved_changes(self._entry.path / STATE_FILE, path, self._checker.run)
            self.post_message(self.Worked(path, Fork(plan, changes)))

    @if_mounted
    def on_fork_screen_worked(self, message: Worked) -> None:
        self._forks[message.path] = message.fork
        self._show_details()

    def action_take(self) -> None:
        fork = self._forks.get(self.path) if self.path else None
        if fork is None:
            self.notify("It is being looked at: a moment", severity="warning")
        elif isinstance(fork.plan, LaunchPlan):
            self.dismiss(fork.plan)
        else:
            self.notify("This profile cannot be trained from it: the right side says why", severity="warning")
