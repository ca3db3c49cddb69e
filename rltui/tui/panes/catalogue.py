"""The cockpit's panes, in the order in which their titles name them."""

from __future__ import annotations

from rltui.tui.panes.arena import ArenaPane
from rltui.tui.panes.audit import AuditPane
from rltui.tui.panes.curriculum import CurriculumPane
from rltui.tui.panes.facts import FactsPane
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.lut import LutPane
from rltui.tui.panes.machine import MachinePane
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.panes.pane import Pane
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.panes.time import TimePane
from rltui.tui.panes.trace import TracePane
from rltui.tui.panes.turtle import TurtlePane
from rltui.tui.panes.workers import WorkersPane

PANES: tuple[type[Pane], ...] = (
    MetricsPane,
    RewardsPane,
    TimePane,
    WorkersPane,
    LutPane,
    TurtlePane,
    ArenaPane,
    TracePane,
    CurriculumPane,
    MachinePane,
    FactsPane,
    LogPane,
    AuditPane,
)
