"""The one registry of what can be done: key bindings, footer, help and palette are all read from here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from textual.binding import Binding, BindingType
from textual.screen import Screen

Group = Literal["Training", "Launching", "Editing", "Milestones", "View", "Program"]
Place = Literal["cockpit", "launcher", "browser", "form"]
NO_KEY = "^p"  # what the palette alone has is called by the palette's
_PLAIN_NAMES = {"pane('5')": "lut"}  # of the action table: as its pane's keys, layouts and the command have it
_KEY_NAMES = {
    "question_mark": "?", "colon": ":", "slash": "/", "escape": "esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "left_square_bracket": "[", "right_square_bracket": "]", "equals_sign": "=", "plus": "+", "minus": "-", "full_stop": ".",
    "comma": ",", "greater_than_sign": ">", "less_than_sign": "<", "exclamation_mark": "!", "underscore": "_", "number_sign": "#", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Action:
    """name: the screen's method `action_<name>`, arguments included; that of the pane where `pane` is given.

    keys: one key, one act, on every screen and pane; without any the palette has it, and ui.toml may give it one. help: for
    help, tables and palette; empty where it needs no row, for it does as one that has.
    footer: its rank there, 0 the last to be dropped where room is short; None keeps it out. daily: help lists it first,
    as what is in the footer. trains: it acts on the training, so it needs a trainer that listens to this viewer. pane: the
    id of the pane that has the key while it is focused ("metrics" for MetricsPane), whose BINDINGS are pane_bindings(id).
    shadows: it takes a key from the screen while the pane is focused, on purpose. row: actions of the same row stand in one
    row of help and tables, with this text. was: keys of an earlier version, which it has again where ui.toml gives the
    present ones away.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    footer: int | None = None
    trains: bool = False
    palette: bool = True
    bound: bool = True  # False: Textual, or the widget itself, binds the key
    pane: str = ""
    shadows: bool = False
    daily: bool = False
    row: str = ""
    was: tuple[str, ...] | None = None


_FLAGS = "All debug flags; or at once A actions, L learning, T turtled starts, G resets, K saving"
_PANES = "The pane with this key in its title"
_FOCUS = "Next pane; with shift the one before"
_HEIGHT = "Higher or lower pane"

EVERYWHERE = (
    Action("app.help", ("question_mark",), "Help", "Keys, and what has the focus explained", "Program", 1),
    Action("app.command_palette", ("ctrl+p", "f2"), "Palette", "Find any command", "Program", 3, palette=False, bound=False),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave; a trainer goes on unless you stop it", "Program", 0),
    Action("app.toggle_theme", (), "Theme", "Light or dark", "View"),
    Action("app.picture", ("ctrl+e", "f4"), "Picture", "Save the screen as SVG and text", "Program", was=()),
    Action("app.copy", ("ctrl+y",), "Copy", "Copy the focused pane; ctrl+c copies a selection", "Program"),
)  # fmt: skip

COCKPIT = (
    Action("pause", ("P", "p"), "Pause", "Pause, or go on", "Training", 6, trains=True),
    Action("checkpoint", ("C", "c"), "Checkpoint", "Save a checkpoint after this iteration", "Training", 8, trains=True),
    Action("milestone", ("M",), "Milestone", "Keep a milestone: never pruned", "Training", 11, trains=True),
    Action("stop", ("S",), "Stop", "Finish, save, stop; again: at once", "Training", 5, trains=True),
    Action("render", ("V",), "Watch", "The newest weights at play, on or off", "Training", 7, trains=True),
    Action("change", ("colon",), "Change…", "Type a change: lr 1e-4, reward touch 2", "Training", 2, trains=True),
    Action("flags", ("D",), "Debug", "All debug flags, for all workers or one", "Training", 9, trains=True, row=_FLAGS),
    Action("flag('debug_actions')", ("A",), "Flag: actions", "Choices, before and after the pipeline", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_learning')", ("L",), "Flag: learning", "Every figure of each update", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_turtled_start')", ("T",), "Flag: turtled starts", "New episodes begin on the roof", "Training", trains=True, row=_FLAGS),
    Action("flag('global_debug_mode')", ("G",), "Flag: resets", "How episodes begin; the turtle probe", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_checkpoints')", ("K",), "Flag: saving", "What is saved and pruned, and why", "Training", trains=True, row=_FLAGS),
    Action("next_phase", ("N",), "Next phase", "Next phase of the campaign; asks first", "Training", trains=True),
    Action("resume", ("R",), "Resume", "Go on with a run that has ended", "Training", 17),
    Action("take_control", ("O",), "Take control", "Take control from another viewer", "Training", trains=True),
    Action("pane('1')", ("1",), "Metrics", "Show the charts", "View", daily=True, row=_PANES),
    Action("pane('2')", ("2",), "Rewards", "Show the rewards", "View", row=_PANES),
    Action("pane('3')", ("3",), "Time", "Show where the time goes", "View", row=_PANES),
    Action("pane('4')", ("4",), "Workers", "Show the workers", "View", row=_PANES),
    Action("pane('5')", ("5",), "Table", "Show the action table: what is found about it, what is chosen from it", "View", row=_PANES),
    Action("pane('6')", ("6",), "Turtle", "Show turtle recovery: how often, how many, how fast", "View", row=_PANES),
    Action("pane('7')", ("7",), "Curriculum", "Show phases and stages: how far the next one is, what it changes", "View", row=_PANES, was=("u",)),
    Action("pane('8')", ("8",), "Arena", "Show the arena: the newest weights at play, from above", "View", row=_PANES),
    Action("pane('9')", ("9",), "Log", "Show the log", "View", row=_PANES),
    Action("pane('0')", ("0",), "Reward trace", "Show what one car of that match is paid, step by step", "View", row=_PANES, was=("v",)),
    Action("pane('#')", ("number_sign",), "League", "Show the league: who is better, by games played", "View", row=_PANES),
    Action("pane('i')", ("i",), "Run", "Show what is trained: profile, nets, settings, machine", "View", row=_PANES),
    Action("pane('m')", ("m",), "Machine", "Show the machine: CPU, memory, disk, GPU, each process, this screen's cost", "View", row=_PANES),
    Action("pane('a')", ("a",), "Audit", "Show who asked for what, and what became of it", "View", row=_PANES),
    Action("next_pane(1)", ("tab",), "Next pane", "Next pane", "View", palette=False, daily=True, row=_FOCUS),
    Action("next_pane(-1)", ("shift+tab",), "Pane before", "", "View", palette=False),
    Action("maximise", ("f",), "Maximise", "This pane alone, or all", "View", 13),
    Action("filter", ("slash",), "Filter", "Filter the focused pane; esc clears", "View", 4, daily=True),
    Action("back", ("escape",), "Back", "Close a line, a filter, a lone pane", "View", palette=False, daily=True),
    Action("browser", ("b",), "Browser", "Checkpoints and milestones", "View", 16),
    Action("launcher", ("H",), "Launcher", "Profiles and runs; training goes on", "View", 15),
    Action("compare", ("equals_sign",), "Compare", "Compare with another run", "View"),
    Action("freeze", ("z",), "Freeze", "Freeze the panes; training goes on", "View"),
    Action("log_level", ("l",), "Log level", "More or fewer kinds of log lines", "View"),
    Action("grow(1)", ("greater_than_sign",), "Taller", "More rows for this pane", "View", row=_HEIGHT),
    Action("grow(-1)", ("less_than_sign",), "Lower", "Fewer rows for this pane", "View", row=_HEIGHT),
    Action("reset_layout", (), "Reset panes", "Panes as at first", "View"),
    Action("app.save_layout", (), "Save layout", "Keep this layout and theme in ui.toml", "View"),
    *EVERYWHERE,
)  # fmt: skip

LAUNCHER = (
    Action("launch", ("enter",), "Launch", "Launch, resume, open or branch, as the right side says", "Launching", 2),
    Action("new", ("n",), "New run", "New run of this profile", "Launching", 5),
    Action("resume", ("R",), "Resume", "Resume this run; of a profile its run, or branch off from another's", "Launching", 6),
    Action("edit", ("e",), "Edit", "Edit the profile", "Launching", 7),
    Action("force", (), "Force", "Launch in spite of failing checks", "Launching"),
    Action("compare", ("equals_sign",), "Compare", "Compare with another profile", "View", 9),
    Action("browser", ("b",), "Browser", "Checkpoints and milestones", "View", 8),
    Action("filter", ("slash",), "Filter", "Filter the list; esc clears", "View", 4),
    Action("refresh", ("r",), "Refresh", "Read the disk again", "View", 10),
    Action("measure", ("d",), "Measure", "Measure the speed here", "View"),
    Action("back", ("escape",), "Back", "Clear the filter, give up comparing", "View", palette=False, daily=True),
    Action("move", ("up", "down"), "Move", "Move; so do j k, PgUp PgDn, Home End", "View", palette=False, bound=False),
    Action("fold", ("space",), "Fold", "Open or close a branch", "View", palette=False),
    Action("app.focus_next", ("tab",), "Other side", "The other side, to scroll it", "View", palette=False, bound=False),
    *EVERYWHERE,
)  # fmt: skip

BROWSER = (
    Action("open", ("enter",), "Open", "To the table; from a row to its run", "View", daily=True),
    Action("resume", ("R",), "Resume", "Resume from this state; asks first", "Launching", 6),
    Action("fork", ("n",), "Fork", "New run from it, under another profile", "Launching", 8, was=("F",)),
    Action("watch", ("V",), "Watch", "Watch it play; q comes back", "Launching", 5, was=("w",)),
    Action("evaluate", ("E",), "Games", "Games against another bot, for the ratings; again: end them", "Launching", 7),
    Action("keep", ("M",), "Keep", "Keep this checkpoint as a milestone", "Milestones", 12),
    Action("marks", ("e",), "Edit", "Note, pin (▲) or release (●)", "Milestones", 11, was=()),
    Action("pin", (), "Pin", "Pin, or unpin", "Milestones"),
    Action("promote", (), "Promote", "Release, or take that back", "Milestones"),
    Action("note", (), "Note", "Write a note", "Milestones"),
    Action("export", ("x",), "Export", "Export a copy", "Milestones", 14),
    Action("delete", ("X", "delete"), "Delete", "Move it to the trash; empty that there", "Milestones", 15, was=("D",)),
    Action("undo", ("u",), "Undo", "Undo a deletion or keeping; restore from the trash", "Milestones", 16),
    Action("compare", ("equals_sign",), "Compare", "Compare two; there [ ] choose the metric", "View", 10),
    Action("mark", ("space",), "Select", "Select for a comparison (■); fold a run", "View", 9),
    Action("filter", ("slash",), "Filter", "Filter the table; esc clears", "View", 4),
    Action("column", ("1-9",), "Sort", "Sort by this column; again: reversed", "View", palette=False, bound=False),
    Action("verify", ("v",), "Verify", "Compare every byte with its hash", "View"),
    Action("refresh", ("r",), "Refresh", "Read the disk again", "View"),
    Action("app.focus_next", ("tab",), "Other side", "Tree, table or details", "View", palette=False, bound=False),
    Action("back", ("escape",), "Back", "Clear the filter; then back", "Program", 0, palette=False),
    Action("leave", ("q", "ctrl+q"), "Back", "Back to where it was opened from", "Program"),
    *(action for action in EVERYWHERE if action.name != "leave"),
)  # fmt: skip

FORM = (
    Action("edit", ("enter",), "Change", "Change the value; fold a section", "Editing", 3),
    Action("accept", ("Y",), "Take", "Take the name or value that was probably meant", "Editing", 10),
    Action("save", ("s", "ctrl+o"), "Save", "See the difference, and save", "Editing", 2),
    Action("undo", ("u",), "Undo", "Undo", "Editing", 5),
    Action("redo", ("U",), "Redo", "Redo", "Editing", was=("r",)),
    Action("add", ("n",), "New", "New element: reward, reset, terminal", "Editing", 8, was=("a",)),
    Action("remove", ("X", "delete"), "Delete", "Delete: the default holds", "Editing", 9, was=("x",)),
    Action("toggle_view", ("tab",), "TOML", "The file as TOML, and back", "View", 6),
    Action("filter", ("slash",), "Filter", "Filter by name or explanation; esc clears", "View", 4),
    Action("next_mistake", ("right_square_bracket",), "Mistake", "Next mistake", "View", 7, was=("e",)),
    Action("fold", ("space",), "Fold", "Fold", "View", palette=False),
    Action("show_help", ("question_mark",), "Help", "Keys, and the form explained", "Program", 1),
    Action("back", ("escape",), "Back", "Back; asks about changes", "Program", 0),
    Action("leave", ("q", "ctrl+q"), "Back", "Back; asks about changes", "Program"),
)  # fmt: skip

_CHARTS = "Select a chart"
_CURSOR = "Cursor over all charts; with shift by ten columns"
_ZOOM = "Zoom in or out"
_OTHER_RUN = "Compare with the run before or after"
_CAR = "Car before or after"
_VIEW = "Ladder, head to head, rating over time, pool"

# Keys of the one focused pane (in footer and palette only then), in the order in which the pane's help names them. What works
# everywhere in the cockpit belongs in COCKPIT, its method in CockpitScreen.
PANE_KEYS: tuple[Action, ...] = (
    Action("open", ("enter",), "Open", "The whole entry, with its trace", "View", 10, pane="log"),
    Action("sort", ("o",), "Order", "Order: number, slowest, restarts, largest", "View", 12, pane="workers"),
    Action("trace", ("enter",), "Traceback", "Why it failed: its traceback", "View", 10, pane="workers"),
    Action("sort", ("o",), "Order", "Most chosen first, or by row", "View", 10, pane="lut"),
    Action("choose", ("e",), "Charts", "Choose the charts", "View", 10, pane="metrics"),
    Action("enlarge", ("enter",), "Enlarge", "This chart alone, or all", "View", 12, pane="metrics"),
    Action("explain", ("h",), "Explain", "What the metric means, what to try", "View", 14, pane="metrics"),
    Action("select(-1)", ("up", "k"), "Chart before", "Chart before", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("select(1)", ("down", "j"), "Next chart", "Next chart", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("page(-1)", ("pageup",), "Page up", "", "View", pane="metrics", palette=False),
    Action("page(1)", ("pagedown",), "Page down", "", "View", pane="metrics", palette=False),
    Action("select(-999)", ("home",), "First chart", "", "View", pane="metrics", palette=False),
    Action("select(999)", ("end",), "Last chart", "", "View", pane="metrics", palette=False),
    Action("move_cursor(-1)", ("left",), "Cursor left", "Cursor left", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("move_cursor(1)", ("right",), "Cursor right", "Cursor right", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("move_cursor(-10)", ("shift+left",), "Cursor far left", "", "View", pane="metrics", palette=False),
    Action("move_cursor(10)", ("shift+right",), "Cursor far right", "", "View", pane="metrics", palette=False),
    Action("log_there", ("g",), "Log there", "The log at the cursor", "View", pane="metrics", was=("d",)),
    Action("zoom(1)", ("plus",), "Zoom in", "Half as many timesteps", "View", pane="metrics", row=_ZOOM),
    Action("zoom(-1)", ("minus",), "Zoom out", "Twice as many timesteps", "View", pane="metrics", row=_ZOOM),
    Action("whole", ("w",), "Whole run", "All timesteps", "View", pane="metrics"),
    Action("log_axis", ("y",), "Log axis", "Logarithmic axis, or linear", "View", pane="metrics"),
    Action("smooth", ("t",), "Smooth", "Mean of 10, 50, 200 iterations, or none", "View", pane="metrics", was=("s",)),
    Action("guides", (), "Guides", "Lines at ticks and usual range", "View", pane="metrics"),
    Action("columns", (), "Columns", "Columns of charts", "View", pane="metrics"),
    Action("rows", (), "Rows", "Rows of charts", "View", pane="metrics"),
    Action("compare", ("equals_sign",), "Compare", "", "View", pane="metrics", palette=False, shadows=True),
    Action("other_run(-1)", ("left_square_bracket",), "Previous run", "Run before", "View", pane="metrics", row=_OTHER_RUN),
    Action("other_run(1)", ("right_square_bracket",), "Next run", "Next run", "View", pane="metrics", row=_OTHER_RUN),
    Action("sort", ("o",), "Order", "Order: largest, profile, most changed, name", "View", 12, pane="rewards"),
    Action("curve", ("enter",), "Curve", "Its curve alone, or all", "View", 10, pane="rewards"),
    Action("car(-1)", ("left_square_bracket",), "Car before", "Car before", "View", pane="trace", row=_CAR),
    Action("car(1)", ("right_square_bracket",), "Next car", "Next car", "View", 10, pane="trace", row=_CAR),
    Action("view(-1)", ("left_square_bracket",), "View before", "View before", "View", pane="league", row=_VIEW),
    Action("view(1)", ("right_square_bracket",), "Next view", "Next view", "View", 10, pane="league", row=_VIEW),
)  # fmt: skip

# Names that ui.toml may have from earlier versions, whose actions are gone.
RETIRED = frozenset({
    "metrics.cursor", "metrics.earlier", "metrics.later", "trace.hold", "next_value", "value_before", "reset", "next_found",
    "found_before", "search", "no_filter", "log.search", "log.next_hit", "log.earlier_hit", "log.only_hits", "log.worker", "log.flag",
    "log.clear", "workers.filter", "workers.clear", "lut.filter", "lut.clear", "metrics.filter", "rewards.filter", "rewards.clear",
    "audit.filter", "audit.clear",
})  # fmt: skip

PLACES: dict[Place, tuple[Action, ...]] = {"cockpit": COCKPIT, "launcher": LAUNCHER, "browser": BROWSER, "form": FORM}


def plain_name(action: Action) -> str:
    """As ui.toml calls it: pause, debug_actions, metrics, log.open."""
    if action.name in _PLAIN_NAMES:
        return _PLAIN_NAMES[action.name]
    name, _, argument = action.name.removeprefix("app.").partition("(")
    argument = argument.strip("()'\"")
    if argument:
        name = (
            argument
            if len(argument) > 2 and argument.isidentifier()
            else re.sub(r"[^a-z0-9]+", "_", action.label.lower()).strip("_")
        )
    return f"{action.pane}.{name}" if action.pane else name


def bindings(place: Place) -> list[BindingType]:
    """For a screen's BINDINGS."""
    return _bindings(place, PLACES[place])


def pane_actions(pane: str) -> tuple[Action, ...]:
    """The keys that the pane of this id ("metrics") has while it is focused; empty for most."""
    return tuple(action for action in PANE_KEYS if action.pane == pane)


def pane_bindings(pane: str) -> list[BindingType]:
    """For a pane's BINDINGS: `action_<name>` is a method of the pane."""
    return _bindings(pane, pane_actions(pane))


def _bindings(owner: str, actions: tuple[Action, ...]) -> list[BindingType]:
    """An action without a key has one that no keyboard sends: ui.toml can only replace a key."""
    return [
        Binding(key, action.name, action.label, show=False, id=f"{owner}.{action.name}")
        for action in actions
        if action.bound
        for key in action.keys or (f"<{plain_name(action)}>",)
    ]


class KeyRow(NamedTuple):
    """One row of help and tables."""

    actions: tuple[Action, ...]
    help: str

    @property
    def keys(self) -> str:
        """As written on the keyboard, 1 to 9 as one; the palette's where there is none."""
        names = " ".join(dict.fromkeys(key_name(key) for action in self.actions for key in action.keys))
        return names.replace("1 2 3 4 5 6 7 8 9", "1–9") or NO_KEY

    @property
    def has_key(self) -> bool:
        return any(action.keys for action in self.actions)

    @property
    def is_daily(self) -> bool:
        return any(action.daily or action.footer is not None for action in self.actions)


def key_rows(actions: Iterable[Action]) -> list[KeyRow]:
    """Those of every day first, what has no key last."""
    rows: dict[str, list[Action]] = {}
    for action in actions:
        if action.help:
            rows.setdefault(action.row or action.name, []).append(action)
    found = [KeyRow(tuple(row), row[0].row or row[0].help) for row in rows.values()]
    return sorted(found, key=lambda row: (not row.is_daily, not row.has_key))


def in_footer(place: Place) -> list[Action]:
    """Those that the footer offers where there is room, in the order in which they stand."""
    return [action for action in PLACES[place] if action.footer is not None]


def pane_footer(pane: str) -> list[Action]:
    """What it offers too while this pane has the focus."""
    return [action for action in pane_actions(pane) if action.footer is not None]


def key_name(key: str) -> str:
    """As written on the keyboard: ?, esc, ^p."""
    return _KEY_NAMES.get(key, key.replace("ctrl+", "^"))


def place_of(screen: Screen[object]) -> Place | None:
    """By the class's PLACE, so that nobody has to import a screen to know it."""
    found: Place | None = getattr(screen, "PLACE", None)
    return found
