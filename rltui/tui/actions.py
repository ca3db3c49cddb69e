"""The one registry of what can be done: key bindings, footer, help and palette are all read from here.

The keys that a pane has while it is focused are in pane_keys.py, one row each; they are part of the registry.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType

from rltui.tui.action import Action, Group, Place
from rltui.tui.browser_keys import BROWSER_KEYS
from rltui.tui.form_keys import FORM
from rltui.tui.pane_keys import PANE_KEYS

__all__ = ["COCKPIT", "EVERYWHERE", "LAUNCHER", "PLACES", "Action", "Group", "Place", "bindings", "in_footer", "key_name", "pane_actions", "pane_bindings", "pane_footer"]  # fmt: skip

EVERYWHERE = (
    Action("app.help", ("question_mark",), "Help", "This page: the keys, and what has the focus explained", "Program", 1),
    Action("app.command_palette", ("ctrl+p",), "Palette", "Find any of these by name", "Program", 3, palette=False, bound=False),
    Action("app.toggle_theme", ("t",), "Theme", "Light or dark", "View"),
    Action("app.picture", ("ctrl+e",), "Picture", "Save the screen as SVG and as text, in the run's folder", "Program"),
    Action("app.copy", ("ctrl+y",), "Copy", "Copy the focused pane as text; pressed again, save it as a file. ctrl+c copies a selection", "Program"),
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
    Action(
        "edit", ("e",), "Edit", "The profile's form: every key with its meaning, checked as you type", "Launching", 7
    ),
    Action(
        "compare",
        ("equals_sign",),
        "Compare",
        "Where this profile differs from another one that you then go to",
        "View",
        9,
    ),
    Action(
        "force", ("F",), "Force", "Launch it also where its checks fail; says first what is passed over", "Launching"
    ),
    Action(
        "filter", ("slash",), "Filter", "Show only what matches a regular expression; ! inverts; esc clears", "View", 4
    ),
    Action("back", ("escape",), "Back", "Clear the filter, or give up comparing", "View", palette=False),
    Action("move", ("up", "down"), "Move", "Move the cursor; j and k do too", "View", palette=False, bound=False),
    Action(
        "app.focus_next",
        ("tab",),
        "Other side",
        "Between the list and the right side, to scroll it",
        "View",
        palette=False,
        bound=False,
    ),
    Action("fold", ("space",), "Fold", "Open or close a branch of the tree", "View", palette=False),
    Action(
        "browser", ("b",), "Browser", "Milestones and checkpoints: compare, fork, keep, pin, export, delete", "View", 8
    ),
    Action("refresh", ("r",), "Refresh", "Read all from disk again, and check the profile anew", "View", 10),
    *EVERYWHERE,
)

BROWSER = (*BROWSER_KEYS, *EVERYWHERE)

PLACES: dict[Place, tuple[Action, ...]] = {"cockpit": COCKPIT, "launcher": LAUNCHER, "browser": BROWSER, "form": FORM}
_KEY_NAMES = {
    "question_mark": "?", "colon": ":", "slash": "/", "escape": "esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "left_square_bracket": "[", "right_square_bracket": "]", "equals_sign": "=", "plus": "+", "minus": "-", "full_stop": ".",
    "comma": ",", "greater_than_sign": ">", "less_than_sign": "<", "exclamation_mark": "!", "underscore": "_", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip


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
