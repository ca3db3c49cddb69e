"""What help says of each screen: the page that `?` opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from rltui.tui.place import place_of
from rltui.tui.screens.help import HelpScreen

if TYPE_CHECKING:
    from rltui.tui.screens.cockpit import CockpitScreen

HELP_COCKPIT = (
    "One run, live or from disk. The lines at the top say what the trainer does, how far it is and whether it learns; the "
    "panes below have digits. Everything shown was written to the run's journal by the trainer, so it is all still there when "
    "you come back. Capital letters act on the training (p and c do as P and C), other lower-case ones only on the view. The "
    "last line has the keys that act after the word act, or debug, those that only look after view."
)
HELP_LAUNCHER = (
    "Profiles say what a bot shall learn, runs are bots in training, milestones are kept copies of them. Move with the arrow "
    "keys; the right side says in words what enter will do, from where and why, before it happens. A trainer that you "
    "launch goes on when this window closes."
)
HELP_BROWSER = (
    ("", "Every saved state of every bot. The tree chooses what the table shows; branches and forks stand below the run that they left."),
    ("signs", "○ its hashes have not been compared yet, ✓ every byte is right, ✗ damaged, ! a stray that rltui leaves alone, × in the trash; ▲ pinned, ● released, ■ marked for the comparison"),
    ("milestone", "a copy that is kept until you delete it"),
    ("checkpoint", "the newest states of a run; older ones are pruned as newer ones come, but for the best by reward"),
    ("comparison", "= after space on a row: figures are those that the two states were saved with, each with the episodes that its reward is a mean over; w shows all timesteps, or those near which both curves are"),
    ("rating", "from games between milestones; – while none have been played"),
    ("safety", "Nothing here changes a saved state: marks stand beside it, a deletion can be undone, and nothing starts from zero."),
)  # fmt: skip


def help_on(screen: Screen[object]) -> HelpScreen | None:
    """Of the cockpit, the pane that has the focus. None where a screen has no help, or one of its own."""
    place = place_of(screen)
    if place == "cockpit":
        pane = cast("CockpitScreen", screen).focused_pane()
        if pane is None:
            return HelpScreen("cockpit", "Cockpit", [("", HELP_COCKPIT)])
        return HelpScreen("cockpit", pane.NAME, pane.explained(), pane.pane_id())
    if place == "launcher":
        return HelpScreen("launcher", "Launcher", [("", HELP_LAUNCHER)])
    if place == "browser":
        return HelpScreen("browser", "Milestones and checkpoints", HELP_BROWSER)
    return None
