"""rltui watch."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import Subparsers, add_data_dir, add_json, at_least, between, named_or_newest_run
from rltui.cli.playing import OTHER_PLAYERS, add_profile, converter
from rltui.errors import RltuiError
from rltui.safe_io import path_of, say

if TYPE_CHECKING:
    from rltui.events.match_frames import MatchFrame
    from rltui.supervise.guardian import Lifeline
    from rltui.view.live_match import Watch
    from rltui.view.output import Notice, Output
    from rltui.view.outputs import LinkSwitch
    from rltui.view.recording import Recorder


WHO = f"a run (its newest checkpoint, then newer ones as they come), {OTHER_PLAYERS}"
EXAMPLES = """\
examples:
  rltui watch                                    the newest run against itself
  rltui watch starter rule                       the bot that comes with rltui against a scripted player
  rltui watch my-run chaser --rocketsimvis       also in RocketSimVis
  rltui watch my-run my-run/005M                 against its former self
  rltui watch my-run --seconds 60 --speed 20 --record match.npz
  rltui watch --replay match.npz
"""
KEYS = "q quit, space pause, v RocketSimVis"


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "watch",
        help="watch bots play each other in real time",
        description="Play A (blue) against B (orange) in real time, here and in RocketSimVis. " + KEYS + ".",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("a", metavar="A", nargs="?", help=f"{WHO} (default: the newest run)")
    add("b", metavar="B", nargs="?", help="the same (default: A)")
    add_profile(parser)
    add(
        "--team-size",
        "--size",
        metavar="N",
        type=int,
        choices=(1, 2, 3),
        help="cars per team (default: as A was trained)",
    )
    add("--deterministic", action="store_true", help="always the most probable action")
    add("--seed", metavar="S", type=at_least(0), default=0, help="seed of kickoffs and draws (default 0)")
    add(
        "--seconds",
        metavar="S",
        type=between(0.0, 1e9),
        help="end after S seconds of play (default: never)",
    )
    add(
        "--speed",
        metavar="X",
        type=between(0.1, 1000.0),
        default=1.0,
        help="X times real time (default 1)",
    )
    add(
        "--rate",
        metavar="HZ",
        type=int,
        choices=(30, 40, 60),
        default=30,
        help="pictures per second (default 30)",
    )
    add(
        "--record",
        metavar="FILE.npz",
        help="record to this file, for --replay and the reset `replay`",
    )
    add("--replay", metavar="FILE.npz", help="play a recording instead of a match")
    add("--rocketsimvis", action="store_true", help="send to RocketSimVis from the start")
    add(
        "--host",
        metavar="HOST",
        default="127.0.0.1",
        help="where RocketSimVis runs (default 127.0.0.1)",
    )
    add("--port", metavar="PORT", type=_port, default=9273, help="UDP port of RocketSimVis (default 9273)")
    add("--rlviser", action="store_true", help="show in RLViser (needs the package rlviser-py)")
    add("--plain", action="store_true", help="plain lines even on a terminal")
    add("--ascii", action="store_true", help="draw in ASCII")
    add_json(parser)
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """Until the end, a key or a signal; then what came of it is printed.

    A guardian restores the terminal after any end; a recording is better without, for it would be given little time.
    """
    from rltui.supervise.guardian import Lifeline, guarded

    if _paints(args) and args.record is None:
        return guarded(lambda lifeline: _watch(args, lifeline))
    return _watch(args, Lifeline())


def _watch(args: argparse.Namespace, lifeline: Lifeline) -> int:
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    from rltui.view.output import ThinnedOutput

    notices: list[str] = []
    paints = _paints(args)

    def notice(text: str) -> None:
        notices.append(text)
        if not paints:
            say(f"rltui: {text}", sys.stderr)

    moments = _moments(args, notice)
    link, recorder = _link(args, notice), _recorder(args, notice)
    outputs: list[Output] = [ThinnedOutput(output, _ticks(args)) for output in (link, *_viewers(args, notice))]
    outputs += [recorder] if recorder else []
    last = _show(args, moments, outputs, Status(link, notices, lifeline))
    for text in notices if paints else ():
        say(f"rltui: {text}", sys.stderr)
    _report(args, last, link, recorder)
    return 0


def _moments(args: argparse.Namespace, notice: Notice) -> Iterable[MatchFrame]:
    """Of a match, or of a recording."""
    from rltui.view.recording import Recording

    if args.replay is not None:
        if args.a is not None or args.record is not None:
            raise RltuiError("--replay takes neither players nor --record", "leave them out", exit_code=2)
        return Recording(path_of(args.replay)).moments(_ticks(args), args.seconds)
    from rltui.league.sources import source
    from rltui.runs.paths import data_dir
    from rltui.view.live_match import LiveMatch, MatchOptions

    data = data_dir(args.data_dir)
    a = args.a if args.a is not None else named_or_newest_run(data, None).name
    # a recording has its moments whatever the speed
    ticks = _ticks(args) if args.record is None else min(_ticks(args), 120 // args.rate)
    made = MatchOptions(args.team_size, ticks, args.seconds, args.seed, args.deterministic)
    blue, orange = (source(name, data, converter(args.profile)) for name in (a, args.b if args.b is not None else a))
    return LiveMatch(blue, orange, made, notice).moments()


def _ticks(args: argparse.Namespace) -> int:
    """Between two moments that are shown."""
    ticks: int = max(1, round(120 * args.speed / args.rate))
    return ticks


def _link(args: argparse.Namespace, notice: Notice) -> LinkSwitch:
    from rltui.view.outputs import LinkSwitch
    from rltui.view.rocketsimvis import RocketSimVis

    return LinkSwitch(lambda: RocketSimVis(args.host, args.port, notice), args.rocketsimvis)


def _recorder(args: argparse.Namespace, notice: Notice) -> Recorder | None:
    from rltui.view.recording import Recorder

    return Recorder(path_of(args.record), notice) if args.record is not None else None


def _viewers(args: argparse.Namespace, notice: Notice) -> list[Output]:
    if not args.rlviser:
        return []
    from rltui.view.rlviser import RlViser

    return [RlViser(args.rate, notice)]


def _paints(args: argparse.Namespace) -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not (args.plain or args.json)


@dataclass(frozen=True)
class Status:
    """What is told beside the picture."""

    link: LinkSwitch
    notices: list[str]
    lifeline: Lifeline

    def line(self, paused: bool) -> str:
        """What is wrong first: a narrow terminal shows the beginning."""
        link, troubled = self.link.words(), self.link.troubled
        news = next((text for text in reversed(self.notices) if not text.startswith("RocketSimVis")), "")
        parts = ["paused" if paused else "", link if troubled else "", news, KEYS, "" if troubled else link]
        return "  ".join(part for part in parts if part)


def _show(
    args: argparse.Namespace, moments: Iterable[MatchFrame], outputs: list[Output], status: Status
) -> MatchFrame | None:
    """The last moment shown. Whatever happens, the terminal is given back and the recording written."""
    from rltui.supervise.signals import stopping_by_signal
    from rltui.supervise.terminal import open_keyboard
    from rltui.view.live_match import Pacer, Watch

    with ExitStack() as stack:
        keyboard = open_keyboard(status.lifeline.guardian)
        watch = Watch(Pacer(args.speed), keyboard.pressed, status.link.toggle)
        stack.enter_context(stopping_by_signal(watch.stop))
        for output in outputs:
            stack.callback(output.close)
        if _paints(args):
            stack.callback(status.lifeline.left)
            status.lifeline.entered()
            stack.enter_context(keyboard)
        screen = _screen(args, watch, status)
        stack.callback(screen.close)
        watch.run(moments, [*outputs, screen])
    return watch.last


def _screen(args: argparse.Namespace, watch: Watch, status: Status) -> Output:
    """The picture, or plain lines."""
    from rltui.view.terminal import PlainLines, TerminalPicture, terminal_size

    if args.json:
        return PlainLines(lambda text: None)
    if not _paints(args):
        return PlainLines(lambda text: say(text))
    from rltui.tui.ascii import needs_ascii

    picture = TerminalPicture(
        sys.stdout,
        terminal_size(sys.stdout),
        args.ascii or needs_ascii(os.environ),
        colour="NO_COLOR" not in os.environ,
        gone=watch.stop,
    )
    picture.status = lambda: status.line(watch.paused)
    return picture


def _report(args: argparse.Namespace, last: MatchFrame | None, link: LinkSwitch, recorder: Recorder | None) -> None:
    """What was played, sent and recorded."""
    from rltui.view.terminal import summary

    if last is None:
        return
    state = link.state
    if args.json:
        touches = [sum(car.touches for car in last.cars if car.team == team) for team in (0, 1)]
        report: dict[str, Any] = {"names": last.names, "score": last.score, "touches": touches}
        report |= {"seconds": last.tick / 120, "packets": state.packets, "error": state.error}
        report |= {"recorded": args.record, "moments": recorder.moments if recorder else 0}
        print(json.dumps(report))
        return
    say(f"{summary(last)}  at the end")
    if state.address:
        say(f"RocketSimVis {state.address}: {state.packets:,} packets" + (f"; {state.error}" if state.error else ""))
    if recorder is not None:
        say(f"recorded {args.record}: {recorder.moments:,} moments")


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"a port from 1 to 65535, found {text!r}")
    return number


_port.__name__ = "port"
