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
    "comma": ",", "greater_than_sign": ">", "less_than_sign": "<", "exclamation_mark": "!", "underscore": "_", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Action:
    """name: the screen's method `action_<name>`, arguments included; that of the pane where `pane` is given.

    keys: one key, one act, on every screen and pane; without any the palette has it, and ui.toml may give it one.
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


_FLAGS = "All debug flags with what each does, to switch them for all workers or one; or one at once: A actions, L learning, T turtled starts, G resets, K saving"
_PANES = "Show a pane: the key stands before its name"
_FOCUS = "The next pane, or the one before"
_HEIGHT = "More rows for the focused pane, or fewer"

EVERYWHERE = (
    Action("app.help", ("question_mark",), "Help", "This page: the keys, and what has the focus explained", "Program", 1),
    Action("app.command_palette", ("ctrl+p",), "Palette", "Find any command by its name", "Program", 3, palette=False, bound=False),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave; a running trainer goes on unless you say otherwise", "Program", 0),
    Action("app.toggle_theme", (), "Theme", "Light or dark", "View"),
    Action("app.picture", ("ctrl+e",), "Picture", "Save the screen as SVG and as text, in the run's folder", "Program"),
    Action("app.copy", ("ctrl+y",), "Copy", "Copy the focused pane as text; ctrl+c copies a selection", "Program"),
)  # fmt: skip

COCKPIT = (
    Action("pause", ("P", "p"), "Pause", "Pause the training, or let it go on", "Training", 5, trains=True),
    Action("checkpoint", ("C", "c"), "Checkpoint", "Save a checkpoint at the end of this iteration", "Training", 7, trains=True),
    Action("milestone", ("M",), "Milestone", "Keep a milestone: a copy that is never pruned", "Training", 11, trains=True),
    Action("stop", ("S",), "Stop", "Finish this iteration, save, stop; a second time: save at once, stop", "Training", 8, trains=True),
    Action("render", ("V",), "Watch", "The newest weights play in real time, in the pane Arena and in RocketSimVis; again: they stop", "Training", 6, trains=True),
    Action("change", ("colon",), "Change…", "Type a change: learning rate, entropy coefficient, a reward's weight, a flag of one worker", "Training", 2, trains=True),
    Action("flags", ("D",), "Debug flags", "All debug flags, to switch them for all workers or one", "Training", 12, row=_FLAGS),
    Action("flag('debug_actions')", ("A",), "Flag: actions", "debug_actions on or off in all workers: what is chosen, before and after the pipeline", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_learning')", ("L",), "Flag: learning", "debug_learning on or off: every figure of each update", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_turtled_start')", ("T",), "Flag: turtled starts", "debug_turtled_start on or off in all workers: new episodes begin on the roof", "Training", trains=True, row=_FLAGS),
    Action("flag('global_debug_mode')", ("G",), "Flag: resets", "global_debug_mode on or off in all workers: how episodes begin, and the turtle probe", "Training", trains=True, row=_FLAGS),
    Action("flag('debug_checkpoints')", ("K",), "Flag: saving", "debug_checkpoints on or off: what is to be saved, and when", "Training", trains=True, row=_FLAGS),
    Action("next_phase", ("N",), "Next phase", "Go on to the campaign's next phase, whatever the bot can do; asks first", "Training", trains=True),
    Action("take_control", ("O",), "Take control", "Take control from another viewer, at once; that one is told, and may take it back", "Training", trains=True),
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
    Action("pane('i')", ("i",), "Run", "Show what is trained: profile, nets, settings, machine", "View", row=_PANES),
    Action("pane('m')", ("m",), "Machine", "Show the machine: CPU, memory, disk, GPU, each process, this screen's cost", "View", row=_PANES),
    Action("pane('a')", ("a",), "Audit", "Show who asked for what, and what became of it", "View", row=_PANES),
    Action("next_pane(1)", ("tab",), "Next pane", "Move the focus on, or show the next pane where there is room for one", "View", palette=False, daily=True, row=_FOCUS),
    Action("next_pane(-1)", ("shift+tab",), "Pane before", "Move the focus back", "View", palette=False, row=_FOCUS),
    Action("maximise", ("f",), "Maximise", "The focused pane alone, or all panes again", "View", 13),
    Action("filter", ("slash",), "Filter", "Only what matches a regular expression: charts, rewards, workers, action table, audit, log; ! inverts; esc clears", "View", 4, daily=True),
    Action("back", ("escape",), "Back", "Close the innermost: a line, a filter, frozen, maximised. It never leaves: Launcher and Quit do", "View", palette=False, daily=True),
    Action("browser", ("b",), "Browser", "Milestones and checkpoints: compare, fork, keep, mark, export, delete", "View", 16),
    Action("launcher", ("H",), "Launcher", "Home, to profiles and runs; training goes on", "View", 15),
    Action("compare", ("equals_sign",), "Compare", "Another run's curves beside these: shows Metrics and the list of runs; esc there ends it", "View"),
    Action("freeze", ("z",), "Freeze", "The panes stand still until pressed again; training and its state do not", "View"),
    Action("log_level", ("l",), "Log level", "Show more or fewer kinds of log lines", "View"),
    Action("grow(1)", ("greater_than_sign",), "Taller", "More rows for the focused pane", "View", row=_HEIGHT),
    Action("grow(-1)", ("less_than_sign",), "Lower", "Fewer rows for the focused pane", "View", row=_HEIGHT),
    Action("reset_layout", (), "Reset panes", "Every pane's place and size as at first", "View"),
    Action("app.save_layout", (), "Save layout", "Write the panes' places and heights and the theme to ui.toml, for next time", "View"),
    *EVERYWHERE,
)  # fmt: skip

LAUNCHER = (
    Action("launch", ("enter",), "Launch", "Do what the right side says: launch, resume, open, branch; asks first where checks fail", "Launching", 2),
    Action("new", ("n",), "New run", "Start a new run of this profile, whatever could be resumed", "Launching", 5),
    Action("resume", ("R",), "Resume", "Go on with the highlighted run from its newest checkpoint", "Launching", 6),
    Action("edit", ("e",), "Edit", "The profile's form: every key with its meaning, checked as you type", "Launching", 7),
    Action("force", (), "Force", "Launch it also where its checks fail; says first what is passed over", "Launching"),
    Action("compare", ("equals_sign",), "Compare", "Where this profile differs from another one that you then go to", "View", 9),
    Action("browser", ("b",), "Browser", "Milestones and checkpoints: compare, fork, keep, mark, export, delete", "View", 8),
    Action("filter", ("slash",), "Filter", "Show only what matches a regular expression; ! inverts; esc clears", "View", 4),
    Action("refresh", ("r",), "Refresh", "Read all from disk again, and check the profile anew", "View", 10),
    Action("measure", ("d",), "Measure", "Measure how fast this profile trains here; the checks run again too", "View"),
    Action("back", ("escape",), "Back", "Clear the filter, or give up comparing", "View", palette=False, daily=True),
    Action("move", ("up", "down"), "Move", "Move the cursor; j and k, PgUp and PgDn, Home and End do too", "View", palette=False, bound=False),
    Action("fold", ("space",), "Fold", "Open or close a branch of the tree", "View", palette=False),
    Action("app.focus_next", ("tab",), "Other side", "Between the list and the right side, to scroll it", "View", palette=False, bound=False),
    *EVERYWHERE,
)  # fmt: skip

BROWSER = (
    Action("open", ("enter",), "Open", "To the table, or from a row of it to its run's charts", "View", daily=True),
    Action("resume", ("R",), "Resume", "Train on from the highlighted state; says what it will do, and asks, before it does", "Launching", 6),
    Action("fork", ("n",), "Fork", "A new run of another profile from the highlighted state; asks which, and whether it fits", "Launching", 8, was=("F",)),
    Action("watch", ("V",), "Watch", "Watch the bot play on this terminal; q there comes back", "Launching", 9, was=("w",)),
    Action("keep", ("M",), "Keep", "Keep the checkpoint as a milestone: a copy that is never pruned; u takes it back", "Milestones", 10),
    Action("marks", ("e",), "Edit", "Pin the milestone (▲), promote it to a release (●), write its note; what is pinned or released cannot be deleted", "Milestones", 11, was=()),
    Action("pin", (), "Pin", "Pin the milestone, or unpin it", "Milestones"),
    Action("promote", (), "Promote", "Promote the milestone to a release, or take that back", "Milestones"),
    Action("note", (), "Note", "Write a note to the milestone", "Milestones"),
    Action("export", ("x",), "Export", "Copy it out of the data folder, each byte checked; never over anything", "Milestones", 14),
    Action("delete", ("X", "delete"), "Delete", "Move it to the trash; asks for its name. On the trash: empty it", "Milestones", 15, was=("D",)),
    Action("undo", ("u",), "Undo", "Take back the newest deletion or keeping, for 30 s; on a row of the trash: put that row back", "Milestones", 16),
    Action("compare", ("equals_sign",), "Compare", "Two marked states side by side, or the marked one and the highlighted; there [ ] choose the metric of two runs", "View", 5),
    Action("mark", ("space",), "Mark", "Mark a row (■) for the comparison; in the tree: open or close a run", "View", 7),
    Action("filter", ("slash",), "Filter", "Show only what matches a regular expression; ! inverts; esc clears", "View", 4),
    Action("column", ("1-9",), "Sort", "Sort by the column with this digit; again turns the order round", "View", palette=False, bound=False),
    Action("verify", ("v",), "Verify", "Read every byte of all that the table shows, and compare hashes", "View"),
    Action("refresh", ("r",), "Refresh", "Read everything from disk again", "View"),
    Action("app.focus_next", ("tab",), "Other side", "Between tree, table and details", "View", palette=False, bound=False),
    Action("back", ("escape",), "Back", "Clear the filter; then back to where you came from", "Program", 2, palette=False),
    *EVERYWHERE,
)  # fmt: skip

FORM = (
    Action("edit", ("enter",), "Change", "Type another value, or choose one from a list; a section opens or closes", "Editing", 3),
    Action("save", ("s", "ctrl+o"), "Save", "Show what will be written, then write it; a shipped profile becomes a copy of your own", "Editing", 2),
    Action("undo", ("u",), "Undo", "Take the last change back", "Editing", 5),
    Action("redo", ("U",), "Redo", "Do again what undo took back", "Editing", was=("r",)),
    Action("add", ("n",), "New", "Add a reward, a reset, a terminal to the list that the cursor is in", "Editing", 8, was=("a",)),
    Action("remove", ("X", "delete"), "Delete", "Take the key or the element out of the file: its default holds", "Editing", 9, was=("x",)),
    Action("toggle_view", ("tab",), "TOML", "The text as it will be written, to edit it freely; and back to the form", "View", 6),
    Action("filter", ("slash",), "Filter", "Only the fields with this in their name or their explanation; ! inverts; esc clears", "View", 4),
    Action("next_mistake", ("right_square_bracket",), "Mistake", "To the next mistake", "View", 7, was=("e",)),
    Action("fold", ("space",), "Fold", "Open or close a section or an element", "View", palette=False),
    Action("show_help", ("question_mark",), "Help", "This page: the keys, and what the form does", "Program", 1),
    Action("back", ("escape",), "Back", "Leave the line, the filter, the text, then the form; asks when there are changes", "Program", 0),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave the form; asks when there are changes", "Program"),
)  # fmt: skip

_CHARTS = "Select a chart; with more of them than room it scrolls"
_CURSOR = "Read all charts at one moment; with shift ten columns further. esc takes the cursor away"
_ZOOM = "Half as many timesteps, around the cursor or up to the newest; or twice as many"
_OTHER_RUN = "Compare with the run before or after in the list"
_CAR = "The rewards of the car before or after"

# Keys of the one focused pane (in footer and palette only then), in the order in which the pane's help names them. What works
# everywhere in the cockpit belongs in COCKPIT, its method in CockpitScreen.
PANE_KEYS: tuple[Action, ...] = (
    Action("open", ("enter",), "Open", "The entry under the cursor, whole, with its trace", "View", 9, pane="log"),
    Action("sort", ("o",), "Order", "By number, slowest, most restarts or largest first", "View", 10, pane="workers"),
    Action("trace", ("enter",), "Traceback", "Why the worker under the cursor failed: its whole traceback", "View", 9, pane="workers"),
    Action("sort", ("o",), "Order", "Rows most chosen first, or as the table has them", "View", 9, pane="lut"),
    Action("choose", ("e",), "Edit", "The list of all metrics: space marks which ones are charted", "View", 9, pane="metrics"),
    Action("enlarge", ("enter",), "Enlarge", "The selected chart alone, or all again; a double click too", "View", 10, pane="metrics"),
    Action("explain", ("h",), "Explain", "What the selected metric means, its usual range, what to try", "View", 14, pane="metrics"),
    Action("select(-1)", ("up", "k"), "Chart before", "The chart before", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("select(1)", ("down", "j"), "Next chart", "The next chart", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("page(-1)", ("pageup",), "Page up", "A page of charts up", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("page(1)", ("pagedown",), "Page down", "A page of charts down", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("select(-999)", ("home",), "First chart", "The first chart", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("select(999)", ("end",), "Last chart", "The last chart", "View", pane="metrics", palette=False, row=_CHARTS),
    Action("move_cursor(-1)", ("left",), "Cursor left", "The cursor to the left", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("move_cursor(1)", ("right",), "Cursor right", "The cursor to the right", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("move_cursor(-10)", ("shift+left",), "Cursor far left", "The cursor ten columns to the left", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("move_cursor(10)", ("shift+right",), "Cursor far right", "The cursor ten columns to the right", "View", pane="metrics", palette=False, row=_CURSOR),
    Action("log_there", ("g",), "Log there", "The log at the cursor's moment", "View", pane="metrics", was=("d",)),
    Action("zoom(1)", ("plus",), "Zoom in", "Half as many timesteps, around the cursor or up to the newest", "View", pane="metrics", row=_ZOOM),
    Action("zoom(-1)", ("minus",), "Zoom out", "Twice as many timesteps", "View", pane="metrics", row=_ZOOM),
    Action("whole", ("w",), "Whole run", "All timesteps again", "View", pane="metrics"),
    Action("log_axis", ("y",), "Log axis", "A logarithmic axis, or a linear one again", "View", pane="metrics"),
    Action("smooth", ("t",), "Smooth", "Moving average over 10, 50, 200 iterations, or none; the raw line stays behind it", "View", pane="metrics", was=("s",)),
    Action("guides", (), "Guides", "Lines across at the ticks and at the ends of the usual range", "View", pane="metrics"),
    Action("columns", (), "Columns", "One column of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("rows", (), "Rows", "One row of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("compare", ("equals_sign",), "Compare", "Choose another run, whose curves are drawn beside these; esc ends it", "View", pane="metrics", palette=False, shadows=True),
    Action("other_run(-1)", ("left_square_bracket",), "Previous run", "Compare with the run before in the list", "View", pane="metrics", row=_OTHER_RUN),
    Action("other_run(1)", ("right_square_bracket",), "Next run", "Compare with the next run in the list", "View", pane="metrics", row=_OTHER_RUN),
    Action("sort", ("o",), "Order", "Largest first, as in the profile, most changed first, by name", "View", 10, pane="rewards"),
    Action("curve", ("enter",), "Curve", "The selected reward's curve alone, or all rewards again; a double click too", "View", 9, pane="rewards"),
    Action("car(-1)", ("left_square_bracket",), "Car before", "The rewards of the car before", "View", pane="trace", row=_CAR),
    Action("car(1)", ("right_square_bracket",), "Next car", "The rewards of the next car", "View", 9, pane="trace", row=_CAR),
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
        """As written on the keyboard, 1 to 9 as one; those of the palette alone as the palette's."""
        names = " ".join(dict.fromkeys(key_name(key) for action in self.actions for key in action.keys))
        return names.replace("1 2 3 4 5 6 7 8 9", "1–9") or NO_KEY

    @property
    def is_daily(self) -> bool:
        return any(action.daily or action.footer is not None for action in self.actions)


def key_rows(actions: Iterable[Action]) -> list[KeyRow]:
    """Those of every day first, what has no key last; without what a pane takes from the screen to do the same."""
    rows: dict[str, list[Action]] = {}
    for action in actions:
        if action.palette or not action.shadows:
            rows.setdefault(action.row or action.name, []).append(action)
    found = [KeyRow(tuple(row), row[0].row or row[0].help) for row in rows.values()]
    return sorted(found, key=lambda row: (not row.is_daily, row.keys == NO_KEY))


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
