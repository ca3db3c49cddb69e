"""The one registry of what can be done: key bindings, footer, help and palette are all read from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Group = Literal["Training", "Debugging", "Launching", "View", "Program"]
Place = Literal["cockpit", "launcher"]


@dataclass(frozen=True, slots=True)
class Action:
    """name: the screen's method `action_<name>`, arguments included. footer: its rank there; None keeps it out.

    trains: it acts on the training, so it needs a trainer that listens to this viewer.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    footer: int | None = None
    trains: bool = False
    palette: bool = True
    bound: bool = True  # False: Textual binds the key itself


EVERYWHERE = (
    Action("app.help", ("question_mark",), "Help", "This page: the keys, and what has the focus explained", "Program", 5),
    Action("app.command_palette", ("ctrl+p",), "Palette", "Find any of these by name", "Program", 91, palette=False, bound=False),
    Action("app.toggle_theme", ("t",), "Theme", "Light or dark", "View"),
    Action("app.picture", ("ctrl+e",), "Picture", "Save the screen as SVG and as text", "Program"),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave; a running trainer goes on unless you say otherwise", "Program", 99),
)  # fmt: skip

COCKPIT = (
    Action("pause", ("P", "p"), "Pause", "Pause the training, or let it go on", "Training", 1, trains=True),
    Action("checkpoint", ("C", "c"), "Checkpoint", "Save a checkpoint at the end of this iteration", "Training", 2, trains=True),
    Action("milestone", ("M",), "Milestone", "Keep a milestone: a copy that is never removed", "Training", 3, trains=True),
    Action("next_phase", ("N",), "Next phase", "Go on to the campaign's next phase, whatever the bot can do; asks first", "Training", trains=True),
    Action("stop", ("S",), "Stop", "Finish this iteration, save, stop; a second time: save at once, stop", "Training", 4, trains=True),
    Action("flag('debug_actions')", ("A",), "Actions", "debug_actions on or off in all workers: what is chosen, before and after the pipeline", "Debugging", 6, trains=True),
    Action("flag('debug_learning')", ("L",), "Learning", "debug_learning on or off: every figure of each update", "Debugging", 7, trains=True),
    Action("flag('debug_turtled_start')", ("T",), "Turtle", "debug_turtled_start on or off in all workers: new episodes begin on the roof", "Debugging", 8, trains=True),
    Action("flag('global_debug_mode')", ("G",), "Resets", "global_debug_mode on or off in all workers: how episodes begin, and the turtle probe", "Debugging", trains=True),
    Action("flag('debug_checkpoints')", ("K",), "Saving", "debug_checkpoints on or off: what is to be saved, and when", "Debugging", trains=True),
    Action("change", ("colon",), "Change…", "Type a change: learning rate, entropy, a reward's weight, a flag of one worker", "Training", 9, trains=True),
    Action("pane('1')", ("1",), "Metrics", "Show the charts", "View"),
    Action("pane('2')", ("2",), "Rewards", "Show the rewards", "View"),
    Action("pane('3')", ("3",), "Time", "Show where the time goes", "View"),
    Action("pane('4')", ("4",), "Workers", "Show the workers", "View"),
    Action("pane('i')", ("i",), "Run", "Show what is trained: profile, nets, settings, machine", "View"),
    Action("pane('9')", ("9",), "Log", "Show the log", "View"),
    Action("app.focus_next", ("tab",), "Next pane", "Move the focus on; shift+tab moves it back", "View", palette=False, bound=False),
    Action("maximise", ("f",), "Maximise", "The focused pane alone, or all panes again", "View", 10),
    Action("log_level", ("l",), "Log level", "Show more or fewer kinds of log lines", "View"),
    Action("back", ("escape",), "Back", "One level back: all panes, then the launcher", "View", palette=False),
    Action("launcher", ("H",), "Launcher", "Home, to profiles and runs; training goes on", "View", 11),
    *EVERYWHERE,
)  # fmt: skip

LAUNCHER = (
    Action("launch", ("enter",), "Launch", "Do what the right side says: launch, resume, open, branch", "Launching", 1),
    Action("new", ("n",), "New run", "Start a new run of this profile, whatever could be resumed", "Launching", 2),
    Action("resume", ("R",), "Resume", "Go on with the highlighted run from its newest checkpoint", "Launching", 3),
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
    Action("refresh", ("r",), "Refresh", "Read profiles and runs from disk again", "View", 10),
    *EVERYWHERE,
)

PLACES: dict[Place, tuple[Action, ...]] = {"cockpit": COCKPIT, "launcher": LAUNCHER}
_KEY_NAMES = {"question_mark": "?", "colon": ":", "escape": "esc", "up": "↑", "down": "↓"}


def bindings(place: Place) -> list[BindingType]:
    """For a screen's BINDINGS."""
    return [
        Binding(key, action.name, action.label, show=False)
        for action in PLACES[place]
        if action.bound
        for key in action.keys
    ]


def in_footer(place: Place) -> list[Action]:
    """Those that the footer offers, most useful first."""
    shown = [action for action in PLACES[place] if action.footer is not None]
    return sorted(shown, key=lambda action: action.footer or 0)


def key_name(key: str) -> str:
    """As written on the keyboard: ?, esc, ^p."""
    return _KEY_NAMES.get(key, key.replace("ctrl+", "^"))
