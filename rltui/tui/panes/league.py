"""Pane on the league: the ladder with error bars, who beat whom, the rating over timesteps, the pool of frozen opponents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, cast, get_args

from textual.binding import BindingType
from textual.message import Message

from rltui import formatting
from rltui.errors import RltuiError
from rltui.events.records import PoolReported
from rltui.runs.near_clones import like_words
from rltui.tui.actions import pane_bindings
from rltui.tui.background import Newest
from rltui.tui.dependencies import Program
from rltui.tui.league_reader import League, LeagueReader
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, Span, clean, crop, crop_middle, pad, wrap
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.chart import ChartData, Look, chart
from rltui.tui.widgets.list_view import ScrollableLines

if TYPE_CHECKING:
    from rltui.league.ladder import Ladder, LadderRow

Shown = Literal["ladder", "head to head", "over time", "pool"]
VIEWS: tuple[Shown, ...] = get_args(Shown)
RANK, ELO, ERROR, GAMES, RESULTS, AGAINST, NEXT = 4, 7, 6, 7, 13, 13, 32  # columns
LONGEST_NAME, SHORTEST_NAME, BAR, LEAST_BAR = 30, 12, 44, 9
ROOMY = 110  # columns from which all is said of a player
CELL, POOL, SCORE = 11, 9, 12  # columns of a pair's games, of a figure of the pool, of the bot's score there
FIGURES = 2 * POOL + 2 + SCORE
CHART = 6  # rows below which there is none


class LeaguePane(Pane, ScrollableLines):
    """Read here, while it is on screen, from the log of all games."""

    NUMBER = "#"
    SLOT = "table"
    ROOMY_SLOT = "side"
    NAME = "League"
    SHORT = "League"
    WANTS = 14
    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("league")
    EMPTY = (
        "No games of this run yet. <browser> lists its milestones: <evaluate> there lets one play another, or a scripted "
        "player. By themselves milestones play with [evaluation] games = 20 in the profile; in a shell: rltui eval my-run chaser"
    )
    HELP = (
        "Ratings of this run's bots and those that come with rltui by all games in data/games.csv, on the Elo scale: the scripted "
        "player rule stands at 1500, 400 more are ten wins to one loss. ± and the bar are the 95 % interval, which "
        "holds the truth 19 times out of 20; –: no games lead to rule. ≈: whether it is better than the next one is not "
        "decided; where there is room, by how many more games it would be. Head to head: wins and half the draws of the "
        "row's bot against the column's, and of how many games. Pool: the opponents of self-play, how often each is drawn, "
        "and this bot's score in the newest 100 episodes of training against it, most of which a goal ends: no whole games, "
        "as the ladder's. <evaluate> in the browser (<browser>) plays more."
    )

    class LeagueRead(Message):
        """A newer league waits in the inbox."""

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.league: League | None = None
        self.shown: Shown = "ladder"
        self._reader: LeagueReader | None = None
        self._inbox: Newest[League] = Newest()

    def on_show(self) -> None:
        if self._reader is not None:
            self._reader.start(self._deliver)

    def on_hide(self) -> None:
        if self._reader is not None:
            self._reader.stop()

    def on_unmount(self) -> None:
        self.on_hide()

    def _deliver(self, league: League) -> None:
        """From the reader's thread: one message, however many leagues come before it is handled."""
        if self._inbox.put(league):
            self.post_message(self.LeagueRead())

    def on_league_pane_league_read(self) -> None:
        self.league = self._inbox.take() or self.league
        if self.view is not None:
            self.show(self.view)

    def action_view(self, step: int) -> None:
        if self.view is None or self.has_nothing(self.view):
            raise RltuiError("no games of this run yet: there is nothing else to show")
        self.shown = VIEWS[(VIEWS.index(self.shown) + step) % len(VIEWS)]
        self.first = 0
        self.redraw()

    def has_nothing(self, view: View) -> bool:
        return self._unplayed and view.snapshot.pool is None

    @property
    def _unplayed(self) -> bool:
        """Whether it is known that the run has no games."""
        return self.league is not None and self.league.ladder is not None and not self.league.ladder.rows

    def empty(self, view: View) -> str:
        """Of a run whose milestones play by themselves: what is pending."""
        header, now = view.snapshot.header, view.snapshot.evaluation
        if header is None or not header.evaluation_games:
            return self.EMPTY
        if view.snapshot.ended:
            pending = "The training has ended before one had played; the next start lets the newest play."
        else:
            pending = (
                f"Now: {now.words}." if now is not None and now.words else "The next milestone is the first to play."
            )
        games = header.evaluation_games
        return (
            f"No games of this run yet. Each milestone is to play {games} against rule, chaser and the one before it. "
            f"{pending} To play what is missing, in a shell: rltui ladder {view.snapshot.run} --games {games}"
        )

    def depends(self, view: View) -> object:
        if self._reader is None and self.is_attached:  # the run is known from here on
            self._reader = LeagueReader(cast(Program, self.app).data, view.snapshot.run)
            self._reader.start(self._deliver)
        snapshot = view.snapshot
        return self.league, snapshot.pool, view.charts, snapshot.evaluation, snapshot.ended

    def subtitle(self, view: View) -> str:
        if self.league is None or self.league.ladder is None or self.has_nothing(view):
            return ""
        return " · ".join(f"[bold]{name}[/]" if name == self.shown else f"[$muted]{name}[/]" for name in VIEWS)

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        league = self.league
        if self.shown == "pool":
            head, *lines = pool_lines(view.snapshot.pool, width)
            return [head, *self.window(lines, max(height - 1, 0))][:height]
        if self._unplayed:
            return wrap(self.with_keys(self.empty(view)), width, "muted")[:height]
        if league is None:
            return wrap("reading data/games.csv …", width, "muted")[:height]
        if league.ladder is None:
            why = self.in_words(league.problem) if league.problem is not None else formatting.UNKNOWN
            return wrap(f"✗ The league cannot be rated: {why}", width, "bad")[:height]
        if self.shown == "over time" and height < CHART:
            return wrap(self.with_keys("<maximise> shows it alone: the chart needs more rows"), width, "muted")[:height]
        if self.shown == "over time":
            return over_time(league.ladder, view, width, height)
        head, *lines = (head_to_head if self.shown == "head to head" else ladder_lines)(league.ladder, width)
        return [head, *self.window(lines, max(height - 1, 0))][:height]


def name_of(row: LadderRow) -> str:
    """A bot of the run by its timesteps: all that are shown are of one run."""
    return row.rating.player if row.of_run is None else f"at {formatting.count(row.of_run.timesteps)}"


def _short_name(row: LadderRow) -> str:
    return row.rating.player if row.of_run is None else formatting.short(row.of_run.timesteps)


def names_of(ladder: Ladder) -> list[str]:
    """One for each row, with the weights' hash where two are of the same timesteps."""
    names = [name_of(row) for row in ladder.rows]
    return [
        f"{name} #{row.of_run.digest[:4]}" if row.of_run is not None and names.count(name) > 1 else name
        for name, row in zip(names, ladder.rows, strict=True)
    ]


def ladder_lines(ladder: Ladder, width: int) -> list[Line]:
    """The head; a player a line, the best first; then what is missing."""
    names = names_of(ladder)
    roomy = width >= ROOMY
    fixed = RANK + 1 + ELO + ERROR + GAMES + RESULTS + (AGAINST + NEXT if roomy else 0)
    longest = min(max(map(len, names)) + 1, LONGEST_NAME)
    size = max(min(longest, width - fixed - LEAST_BAR - 2), SHORTEST_NAME)
    bar = min(width - fixed - size - 2, BAR)
    rated = [row.rating for row in ladder.rows if row.rating.connected]
    low, high = min(rating.low for rating in rated), max(rating.high for rating in rated)  # the anchor is one
    scale = (low, max(high, low + 1))
    ends = f"{low:,.0f}", f"{high:,.0f}"
    axis = ends[0] + ends[1].rjust(bar - len(ends[0])) if bar >= LEAST_BAR and high > low else " " * max(bar, 0)
    words = pad("", RANK + 1) + pad("player", size) + pad("Elo", ELO, ">") + pad("±", ERROR, ">")
    words += f"  {axis}" if bar > 0 else ""
    words += pad("games", GAMES, ">") + pad("W/D/L", RESULTS, ">")
    words += pad("against rule", AGAINST, ">") + "  than the next" if roomy else ""
    lines: list[Line] = [crop(((words, "muted"),), width)]
    for row, name in zip(ladder.rows, names, strict=True):
        spans = [*_row(row, name, size, bar, scale), *(_details(row) if roomy else ())]
        lines.append(crop(tuple(spans), width))
    if not roomy and any(_is_undecided(row) for row in ladder.rows):
        lines += wrap("≈ whether it is better than the next one is not decided", width, "muted")
    clones = [(name, row.near_words) for row, name in zip(ladder.rows, names, strict=True) if row.near]
    return [*lines, *_near_clones(clones, width), *_missing(ladder, width)]


def _rank(row: LadderRow) -> str:
    return (formatting.UNKNOWN if row.rank is None else str(row.rank)).rjust(RANK - 1)


def _is_undecided(row: LadderRow) -> bool:
    return row.than_next is not None and row.than_next.outcome == "not decided"


def _row(row: LadderRow, name: str, size: int, bar: int, scale: tuple[float, float]) -> Iterator[Span]:
    rating, record = row.rating, row.rating.record
    yield _rank(row), "muted"
    yield "≈ " if _is_undecided(row) else "  ", "warn"
    role = "strong" if row.of_run is not None else ""
    yield pad(crop_middle(clean(name), size - 1), size), role if rating.connected else "faint"
    yield (f"{rating.elo:,.0f}" if rating.connected else formatting.UNKNOWN).rjust(ELO), role
    yield (f"{rating.margin:,.0f}" if rating.connected and rating.error else formatting.UNKNOWN).rjust(ERROR), "muted"
    if bar > 0:
        yield " " * (2 if rating.connected else 2 + bar), ""
    if bar > 0 and rating.connected:
        yield from error_bar((rating.low, rating.elo, rating.high), scale, bar, "series-1" if row.of_run else "muted")
    yield f"{record.games:>{GAMES},}", ""
    yield pad(f"{record.wins}/{record.draws}/{record.losses}", RESULTS, ">"), "muted"


def _details(row: LadderRow) -> Iterator[Span]:
    there, decision = row.against_anchor, row.than_next
    words = f"{formatting.percent(there.score)} of {there.games:,}" if there.games else formatting.UNKNOWN
    yield pad(words, AGAINST, ">"), "muted"
    told = "" if decision is None else "not decided: alike" if decision.more is None else decision.words
    yield f"  {told}", "muted"


def error_bar(figures: tuple[float, float, float], scale: tuple[float, float], width: int, role: str) -> list[Span]:
    """`  ├──●──┤  `, exactly `width` columns. figures: lower end, value, upper end."""
    low, value, high = (round((figure - scale[0]) / (scale[1] - scale[0]) * (width - 1)) for figure in figures)
    cells = [" "] * width
    cells[low : high + 1] = "─" * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    cells[value] = "●"
    return [("".join(cells), role)]


def _near_clones(clones: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """A line each. clones: the name, and like whom it is."""
    for name, like in clones:
        yield from wrap(f"near-clone: {clean(name)} is {clean(like)}", width, "muted")


def _missing(ladder: Ladder, width: int) -> Iterator[Line]:
    """What the table lacks, and what is wrong with the log."""
    if ladder.missing:
        have = "has" if ladder.milestones == 1 else "have"
        words = f"{len(ladder.missing)} of {formatting.plural(ladder.milestones, 'milestone')} {have} no games"
        yield from wrap(words, width, "muted")
    for notice in ladder.notices:
        yield from wrap(clean(notice), width, "warn")


def head_to_head(ladder: Ladder, width: int) -> list[Line]:
    """The head, then a line a player: how it did against those with the most games, as many as there is room for."""
    names = names_of(ladder)
    size = min(max(map(len, names)) + 1, LONGEST_NAME, max(width // 3, SHORTEST_NAME))
    columns = _opponents(ladder.rows, max((width - RANK - 1 - size) // CELL, 1))
    left_out = len(ladder.rows) - len(columns)
    heads = "".join(pad(f"{_rank(row).strip()} {_short_name(row)}", CELL - 1, ">") + " " for row in columns)
    lines: list[Line] = [crop(((pad("", RANK + 1) + pad("against", size) + heads, "muted"),), width)]
    for row, name in zip(ladder.rows, names, strict=True):
        cells = [span for other in columns for span in _cell(ladder, row, other)]
        role = "strong" if row.of_run is not None else ""
        start: Line = ((f"{_rank(row)}  ", "muted"), (pad(crop_middle(clean(name), size - 1), size), role))
        lines.append(crop((*start, *cells), width))
    if left_out:
        lines += wrap(f"{formatting.plural(left_out, 'column')} with the fewest games left out", width, "muted")
    return lines


def _opponents(rows: Sequence[LadderRow], most: int) -> list[LadderRow]:
    kept = sorted(rows, key=lambda row: -row.rating.record.games)[:most]
    return [row for row in rows if row in kept]


def _cell(ladder: Ladder, row: LadderRow, other: LadderRow) -> Iterator[Span]:
    """`75 % 40 `: its score, and the games."""
    if row is other:
        yield pad("·", CELL - 1, ">") + " ", "faint"
        return
    record = ladder.ratings.between(row.rating.player, other.rating.player)
    if not record.games:
        yield pad(formatting.UNKNOWN, CELL - 1, ">") + " ", "faint"
        return
    games = formatting.short(record.games).replace(" ", "")
    yield pad(formatting.percent(record.score), CELL - 2 - len(games), ">"), "strong"
    yield f" {games} ", "muted"


def over_time(ladder: Ladder, view: View, width: int, height: int) -> list[Line]:
    """The run's bots by their timesteps, each with its interval."""
    rated = [row for row in ladder.rows if row.rating.connected]
    found = sorted((row.of_run.timesteps, row.rating) for row in rated if row.of_run is not None)
    data = ChartData(
        f"Elo of {formatting.plural(len(found), 'bot')}, with 95 % intervals; {ladder.anchor} at 1500",
        "",
        "series-1",
        [steps for steps, _ in found],
        [rating.elo for _, rating in found],
        usual=(1500.0, None),
        errors=[rating.margin for _, rating in found],
        figure=f"at {formatting.short(found[-1][0])}: {formatting.elo(found[-1][1].elo, found[-1][1].margin)}"
        if found
        else "",
    )
    return chart(data, width, height, view.charts, Look(guides=True))


def pool_lines(pool: PoolReported | None, width: int) -> list[Line]:
    """The head, then an opponent a line, the likeliest first."""
    if pool is None:
        return wrap(
            "No self-play: [selfplay] enabled = true in the profile has the bot play earlier states too.",
            width,
            "muted",
        )
    if not pool.opponents:
        return wrap("Nobody in the pool yet: each milestone joins it.", width, "muted")
    longest = max(len(each.name) for each in pool.opponents) + 1
    size = max(min(longest, LONGEST_NAME, width - FIGURES), SHORTEST_NAME)
    bar = max(min(width - size - FIGURES, BAR), 0)
    most = max(each.share for each in pool.opponents) or 1.0
    words = (
        pad("opponent", size)
        + pad("drawn", POOL, ">")
        + " " * (bar + 2)
        + pad("bot's score", SCORE, ">")
        + pad("episodes", POOL, ">")
    )
    lines: list[Line] = [crop(((words, "muted"),), width)]
    for each in pool.opponents:
        spans: list[Span] = [
            (pad(crop_middle(clean(each.name), size - 1), size), ""),
            (pad(formatting.percent(each.share), POOL, ">") + "  ", ""),
            *(filled_bar(each.share / most, bar, "series-1") if bar else ()),
            (pad(formatting.percent(each.score), SCORE, ">"), "strong"),
            (pad(formatting.count(each.games), POOL, ">"), "muted"),
        ]
        lines.append(crop(tuple(spans), width))
    return [*lines, *_near_clones(((each.name, like_words(*each.near)) for each in pool.opponents if each.near), width)]
