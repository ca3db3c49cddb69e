"""The one registry of what can be done: key bindings, footer, help and palette are all read from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType
from textual.screen import Screen

Group = Literal["Training", "Debugging", "Launching", "Editing", "Milestones", "View", "Program"]
Place = Literal["cockpit", "launcher", "browser", "form"]
_PLAIN_NAMES = {"pane('5')": "lut"}  # of the action table: as its pane's keys, layouts and the command have it
_KEY_NAMES = {
    "question_mark": "?", "colon": ":", "slash": "/", "escape": "esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "left_square_bracket": "[", "right_square_bracket": "]", "equals_sign": "=", "plus": "+", "minus": "-", "full_stop": ".",
    "comma": ",", "greater_than_sign": ">", "less_than_sign": "<", "exclamation_mark": "!", "underscore": "_", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Action:
    """name: the screen's method `action_<name>`, arguments included; that of the pane where `pane` is given.

    footer: its rank there, 0 the last to be dropped where room is short; None keeps it out. trains: it acts on the
    training, so it needs a trainer that listens to this viewer. pane: the id of the pane that has the key while it is
    focused ("metrics" for MetricsPane), whose BINDINGS are pane_bindings(id). shadows: it takes a key from the screen while
    the pane is focused, on purpose.
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


EVERYWHERE = (
    Action("app.help", ("question_mark",), "Help", "This page: the keys, and what has the focus explained", "Program", 1),
    Action("app.command_palette", ("ctrl+p",), "Palette", "Find any of these by name", "Program", 3, palette=False, bound=False),
    Action("app.toggle_theme", ("t",), "Theme", "Light or dark", "View"),
    Action("app.picture", ("ctrl+e",), "Picture", "Save the screen as SVG and as text, in the run's folder", "Program"),
    Action("app.copy", ("ctrl+y",), "Copy", "Copy the focused pane as text; ctrl+c copies a selection", "Program"),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave; a running trainer goes on unless you say otherwise", "Program", 0),
)  # fmt: skip

COCKPIT = (
    Action("pause", ("P", "p"), "Pause", "Pause the training, or let it go on", "Training", 5, trains=True),
    Action("checkpoint", ("C", "c"), "Checkpoint", "Save a checkpoint at the end of this iteration", "Training", 6, trains=True),
    Action("milestone", ("M",), "Milestone", "Keep a milestone: a copy that is never pruned", "Training", 8, trains=True),
    Action("next_phase", ("N",), "Next phase", "Go on to the campaign's next phase, whatever the bot can do; asks first", "Training", trains=True),
    Action("take_control", ("O",), "Take control", "Take control from another viewer, at once; that one is told, and may take it back", "Training", trains=True),
    Action("stop", ("S",), "Stop", "Finish this iteration, save, stop; a second time: save at once, stop", "Training", 7, trains=True),
    Action("flag('debug_actions')", ("A",), "Actions", "debug_actions on or off in all workers: what is chosen, before and after the pipeline", "Debugging", 22, trains=True),
    Action("flag('debug_learning')", ("L",), "Learning", "debug_learning on or off: every figure of each update", "Debugging", 23, trains=True),
    Action("flag('debug_turtled_start')", ("T",), "Turtle", "debug_turtled_start on or off in all workers: new episodes begin on the roof", "Debugging", 24, trains=True),
    Action("flag('global_debug_mode')", ("G",), "Resets", "global_debug_mode on or off in all workers: how episodes begin, and the turtle probe", "Debugging", trains=True),
    Action("flag('debug_checkpoints')", ("K",), "Saving", "debug_checkpoints on or off: what is to be saved, and when", "Debugging", trains=True),
    Action("render", ("V",), "Render", "The viewer on or off: the newest weights play in real time, in the pane Arena and in RocketSimVis", "Training", 13, trains=True),
    Action("flags", ("D",), "Debug flags…", "All debug flags as the trainer has them; switch them for all workers or for one", "Debugging", 12),
    Action("change", ("colon",), "Change…", "Type a change: learning rate, entropy coefficient, a reward's weight, a flag of one worker", "Training", 2, trains=True),
    Action("pane('1')", ("1",), "Metrics", "Show the charts", "View"),
    Action("pane('2')", ("2",), "Rewards", "Show the rewards", "View"),
    Action("pane('3')", ("3",), "Time", "Show where the time goes", "View"),
    Action("pane('4')", ("4",), "Workers", "Show the workers", "View"),
    Action("pane('5')", ("5",), "Table", "Show the action table: what is found about it, what is chosen from it", "View"),
    Action("pane('6')", ("6",), "Turtle", "Show turtle recovery: how often, how many, how fast", "View"),
    Action("pane('u')", ("u",), "Curriculum", "Show phases and stages: how far the next one is, what it changes", "View"),
    Action("pane('m')", ("m",), "Machine", "Show the machine: CPU, memory, disk, GPU, each process, this screen's cost", "View"),
    Action("pane('8')", ("8",), "Arena", "Show the arena: the newest weights at play, from above", "View"),
    Action("pane('v')", ("v",), "Reward trace", "Show what one car of that match is paid, step by step", "View"),
    Action("pane('i')", ("i",), "Run", "Show what is trained: profile, nets, settings, machine", "View"),
    Action("pane('9')", ("9",), "Log", "Show the log", "View"),
    Action("pane('a')", ("a",), "Audit", "Show who asked for what, and what became of it", "View"),
    Action("next_pane(1)", ("tab",), "Next pane", "Move the focus on, or show the next pane where there is room for one", "View", palette=False),
    Action("next_pane(-1)", ("shift+tab",), "Pane before", "Move the focus back", "View", palette=False),
    Action("maximise", ("f",), "Maximise", "The focused pane alone, or all panes again", "View", 11),
    Action("grow(1)", ("greater_than_sign",), "Taller", "More rows for the focused pane", "View"),
    Action("grow(-1)", ("less_than_sign",), "Lower", "Fewer rows for the focused pane", "View"),
    Action("reset_layout", ("0",), "Reset panes", "Every pane's place and size as at first", "View"),
    Action("app.save_layout", (), "Save layout", "Write the panes' places and heights and the theme to ui.toml, for next time", "View"),
    Action("freeze", ("z",), "Freeze", "The panes stand still until pressed again; training and its state do not", "View"),
    Action("log_level", ("l",), "Log level", "Show more or fewer kinds of log lines", "View"),
    Action("back", ("escape",), "Back", "Close the innermost: a line, a filter, frozen, maximised. It never leaves: Launcher and Quit do", "View", palette=False),
    Action("no_filter", ("slash",), "Filter", "Filter charts, rewards, workers, action table and audit, search the log; another pane says that it has none, and what is typed does nothing", "View", palette=False),
    Action("browser", ("b",), "Browser", "Milestones and checkpoints: compare, fork, keep, pin, export, delete", "View", 16),
    Action("compare", ("equals_sign",), "Compare", "Another run's curves beside these: shows Metrics and the list of runs; esc there ends it", "View"),
    Action("launcher", ("H",), "Launcher", "Home, to profiles and runs; training goes on", "View", 15),
    *EVERYWHERE,
)  # fmt: skip

LAUNCHER = (
    Action("launch", ("enter",), "Launch", "Do what the right side says: launch, resume, open, branch", "Launching", 2),
    Action("new", ("n",), "New run", "Start a new run of this profile, whatever could be resumed", "Launching", 5),
    Action("resume", ("R",), "Resume", "Go on with the highlighted run from its newest checkpoint", "Launching", 6),
    Action("edit", ("e",), "Edit", "The profile's form: every key with its meaning, checked as you type", "Launching", 7),
    Action("compare", ("equals_sign",), "Compare", "Where this profile differs from another one that you then go to", "View", 9),
    Action("force", ("F",), "Force", "Launch it also where its checks fail; says first what is passed over", "Launching"),
    Action("filter", ("slash",), "Filter", "Show only what matches a regular expression; ! inverts; esc clears", "View", 4),
    Action("back", ("escape",), "Back", "Clear the filter, or give up comparing", "View", palette=False),
    Action("move", ("up", "down"), "Move", "Move the cursor; j and k do too", "View", palette=False, bound=False),
    Action("app.focus_next", ("tab",), "Other side", "Between the list and the right side, to scroll it", "View", palette=False, bound=False),
    Action("fold", ("space",), "Fold", "Open or close a branch of the tree", "View", palette=False),
    Action("browser", ("b",), "Browser", "Milestones and checkpoints: compare, fork, keep, pin, export, delete", "View", 8),
    Action("refresh", ("r",), "Refresh", "Read all from disk again, and check the profile anew", "View", 10),
    Action("measure", ("m",), "Measure", "Measure how fast this profile trains here; the checks run again too", "View"),
    *EVERYWHERE,
)  # fmt: skip

BROWSER = (
    Action("resume", ("R",), "Resume", "Train on from the highlighted state; says what it will do, and asks, before it does", "Launching", 6),
    Action("fork", ("F",), "Fork", "A new run of another profile from the highlighted state; asks which, and whether it fits", "Launching", 8),
    Action("watch", ("w",), "Watch", "Watch the bot play on this terminal; q there comes back", "Launching", 9),
    Action("open", ("enter",), "Open", "To the table, or from a row of it to its run's charts", "View"),
    Action("compare", ("equals_sign",), "Compare", "Two marked states side by side, or the marked one and the highlighted; there [ ] choose the metric of two runs", "View", 5),
    Action("mark", ("space",), "Mark", "Mark a row for the comparison; in the tree: open or close a run", "View", 7),
    Action("keep", ("M",), "Keep", "Keep the checkpoint as a milestone: a copy that is never pruned; u takes it back", "Milestones", 10),
    Action("filter", ("slash",), "Filter", "Show only what a regular expression is found in; ! before it turns it round", "View", 4),
    Action("sort", ("1-9",), "Sort", "Sort by the column with this digit; again turns the order round", "View", palette=False, bound=False),
    Action("verify", ("v",), "Verify", "Read every byte of all that the table shows, and compare hashes", "View"),
    Action("pin", ("p",), "Pin", "Pin the milestone, or unpin it: a pinned one (▲) cannot be deleted", "Milestones", 11),
    Action("note", ("n",), "Note", "Write a note to the milestone", "Milestones", 12),
    Action("promote", ("P",), "Promote", "Promote the milestone to a release (●), or take that back; a release cannot be deleted", "Milestones", 13),
    Action("export", ("x",), "Export", "Copy it out of the data folder, each byte checked; never over anything", "Milestones", 14),
    Action("delete", ("D",), "Delete", "Move it to the trash; asks for its name. On the trash: empty it", "Milestones", 15),
    Action("undo", ("u",), "Undo", "Take back the newest deletion or keeping, for 30 s; on a row of the trash: put that row back", "Milestones", 16),
    Action("app.focus_next", ("tab",), "Other side", "Between tree, table and details", "View", palette=False, bound=False),
    Action("refresh", ("r",), "Refresh", "Read everything from disk again", "View"),
    Action("back", ("escape",), "Back", "Clear the filter; then back to where you came from", "Program", 2, palette=False),
    *EVERYWHERE,
)  # fmt: skip

FORM = (
    Action("edit", ("enter",), "Change", "Type another value; a choice is made from a list; a section opens or closes", "Editing", 3),
    Action("add", ("a",), "Add", "Add a reward, a reset, a terminal to the list that the cursor is in", "Editing", 8),
    Action("remove", ("x", "delete"), "Take out", "Take the key or the element out of the file: its default holds", "Editing", 9),
    Action("undo", ("u",), "Undo", "Take the last change back", "Editing", 5),
    Action("redo", ("r",), "Redo", "Do again what undo took back", "Editing"),
    Action("toggle_view", ("tab",), "TOML", "The text as it will be written, to edit it freely; and back to the form", "View", 6),
    Action("save", ("s", "ctrl+o"), "Save", "Show what will be written, then write it; a shipped profile becomes a copy of your own", "Editing", 2),
    Action("fold", ("space",), "Fold", "Open or close a section or an element", "View", palette=False),
    Action("next_mistake", ("e",), "Mistake", "To the next mistake", "View", 7),
    Action("search", ("slash",), "Search", "Only the fields with this in their name or their explanation; ! inverts; esc clears", "View", 4),
    Action("next_found(1)", ("n",), "Next found", "To the next field that the search found", "View"),
    Action("next_found(-1)", ("N",), "Found before", "To the one before", "View"),
    Action("show_help", ("question_mark",), "Help", "This page: the keys, and what the form does", "Program", 1),
    Action("back", ("escape",), "Back", "Leave the line, the search, the text, then the form; asks when there are changes", "Program", 0),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave the form; asks when there are changes", "Program"),
)  # fmt: skip

# Keys of the one focused pane (in footer and palette only then), in the order in which the pane's help names them. What works
# everywhere in the cockpit belongs in COCKPIT, its method in CockpitScreen.
PANE_KEYS: tuple[Action, ...] = (
    Action("search", ("slash",), "Search", "A regular expression, ! inverts; hits are marked and counted while you type", "View", 4, pane="log", shadows=True),
    Action("next_hit", ("n",), "Next hit", "The next entry that the search finds", "View", pane="log"),
    Action("earlier_hit", ("e",), "Earlier hit", "The one before; after typing a search, enter goes to the newest", "View", pane="log"),
    Action("only_hits", ("x",), "Hits only", "Show nothing but what the search finds, or all again", "View", pane="log"),
    Action("worker", ("w",), "Worker", "Only what concerns the next worker; after the last, all again", "View", 14, pane="log"),
    Action("flag", ("d",), "Flag", "Only what the next debug flag says; after the last, all again", "View", pane="log"),
    Action("open", ("enter",), "Open", "The entry under the cursor, whole, with its trace", "View", 9, pane="log"),
    Action("clear", ("escape",), "Clear", "No search, no worker, no flag", "View", pane="log", palette=False, shadows=True),
    Action("filter", ("slash",), "Filter", "Only the workers whose number, state, flags or last event match a regular expression; ! inverts", "View", 4, pane="workers", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all workers again", "View", pane="workers", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "By number, slowest, most restarts or largest first", "View", 10, pane="workers"),
    Action("trace", ("enter",), "Traceback", "Why the worker under the cursor failed: its whole traceback", "View", 9, pane="workers"),
    Action("filter", ("slash",), "Filter", "Only the rows whose number or controls match a regular expression (never: those never chosen); ! inverts", "View", 4, pane="lut", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all rows again", "View", pane="lut", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "Rows most chosen first, or as the table has them", "View", 9, pane="lut"),
    Action("filter", ("slash",), "Filter", "Chart all metrics whose name matches a regular expression; ! inverts; esc clears it", "View", 4, pane="metrics", shadows=True),
    Action("choose", ("e", "space"), "Choose", "The list of all metrics: space marks which ones are charted", "View", 9, pane="metrics"),
    Action("select(-1)", ("up", "k"), "Chart before", "The chart before; it scrolls where there are more charts than room", "View", pane="metrics", palette=False),
    Action("select(1)", ("down", "j"), "Next chart", "The next chart; PgUp, PgDn a page of them", "View", pane="metrics", palette=False),
    Action("page(-1)", ("pageup",), "Page up", "A page of charts up", "View", pane="metrics", palette=False),
    Action("page(1)", ("pagedown",), "Page down", "A page of charts down", "View", pane="metrics", palette=False),
    Action("enlarge", ("enter",), "Enlarge", "The selected chart alone, or all again; a double click too", "View", 10, pane="metrics"),
    Action("explain", ("h",), "Explain", "What the selected metric means, its usual range, what to try", "View", 14, pane="metrics"),
    Action("cursor", ("x",), "Cursor", "Read all charts at one moment; a click or drag on a chart does too", "View", 17, pane="metrics"),
    Action("move_cursor(-1)", ("left",), "Cursor left", "The cursor to the left", "View", pane="metrics", palette=False),
    Action("move_cursor(1)", ("right",), "Cursor right", "The cursor to the right; with shift ten columns", "View", pane="metrics", palette=False),
    Action("move_cursor(-10)", ("shift+left",), "Cursor far left", "The cursor ten columns to the left", "View", pane="metrics", palette=False),
    Action("move_cursor(10)", ("shift+right",), "Cursor far right", "The cursor ten columns to the right", "View", pane="metrics", palette=False),
    Action("log_there", ("d",), "Log there", "The log at the cursor's moment", "View", pane="metrics"),
    Action("zoom(1)", ("plus",), "Zoom in", "Half as many timesteps, around the cursor or up to the newest", "View", pane="metrics"),
    Action("zoom(-1)", ("minus",), "Zoom out", "Twice as many timesteps", "View", pane="metrics"),
    Action("pan(-1)", ("comma",), "Earlier", "While zoomed: a quarter of the view earlier", "View", pane="metrics", palette=False),
    Action("pan(1)", ("full_stop",), "Later", "While zoomed: a quarter of the view later", "View", pane="metrics", palette=False),
    Action("whole", ("w",), "Whole run", "All timesteps again", "View", pane="metrics"),
    Action("log_axis", ("y",), "Log axis", "A logarithmic axis, or a linear one again", "View", pane="metrics"),
    Action("smooth", ("s",), "Smooth", "Moving average over 10, 50, 200 iterations, or none; the raw line stays behind it", "View", pane="metrics"),
    Action("guides", ("g",), "Guides", "Lines across at the ticks and at the ends of the usual range", "View", pane="metrics"),
    Action("columns", ("o",), "Columns", "One column of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("rows", ("r",), "Rows", "One row of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("compare", ("equals_sign",), "Compare", "Choose another run, whose curves are drawn beside these; esc ends it", "View", pane="metrics", palette=False, shadows=True),
    Action("other_run(-1)", ("left_square_bracket",), "Previous run", "Compare with the run before in the list", "View", pane="metrics"),
    Action("other_run(1)", ("right_square_bracket",), "Next run", "Compare with the next run in the list", "View", pane="metrics"),
    Action("filter", ("slash",), "Filter", "Only the rewards whose name matches a regular expression; ! inverts", "View", 4, pane="rewards", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all rewards again", "View", pane="rewards", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "Largest first, as in the profile, most changed first, by name", "View", 10, pane="rewards"),
    Action("curve", ("enter",), "Curve", "The selected reward's curve alone, or all rewards again; a double click too", "View", 9, pane="rewards"),
    Action("filter", ("slash",), "Filter", "Only the entries whose time, name, outcome or words match a regular expression; ! inverts", "View", 4, pane="audit", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all entries again", "View", pane="audit", palette=False, shadows=True),
    Action("car(-1)", ("left_square_bracket",), "Car before", "The rewards of the car before", "View", pane="trace"),
    Action("car(1)", ("right_square_bracket",), "Next car", "The rewards of the next car", "View", 9, pane="trace"),
    Action("hold", ("space",), "Hold", "The rows stand still, to be read and scrolled; again: they follow", "View", 4, pane="trace"),
)  # fmt: skip

PLACES: dict[Place, tuple[Action, ...]] = {"cockpit": COCKPIT, "launcher": LAUNCHER, "browser": BROWSER, "form": FORM}


def plain_name(action: Action) -> str:
    """As ui.toml calls it: pause, debug_actions, metrics, log.filter."""
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
    return [
        Binding(key, action.name, action.label, show=False, id=f"{owner}.{action.name}")
        for action in actions
        if action.bound
        for key in action.keys
    ]


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
