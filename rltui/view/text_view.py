"""A match as text: score, the field from above, heights beside it, and a line for each car.

Pure: the same moment and size give the same text. Needs neither NumPy nor the simulator, so that any process can draw.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from rltui.events.match_frames import CarFrame, MatchFrame
from rltui.field import (
    BACK_WALL_Y,
    BIG_PADS,
    CEILING_Z,
    CORNER,
    GOAL_POST_X,
    NET_Y,
    PAD_POSITIONS,
    SIDE_WALL_X,
    TICKS_PER_SECOND,
)

Run = tuple[str, str]  # text, style
STYLES: Mapping[str, str] = {  # style → colours of the terminal (SGR)
    "blue": "1;38;5;39",
    "orange": "1;38;5;208",
    "ball": "1;97",
    "trail": "38;5;245",
    "pad": "38;5;228",
    "line": "38;5;240",
    "dim": "38;5;245",
    "goal": "1;7",
}
NARROW = {"N", "Na", "H", "A"}  # east_asian_width of what takes one column
CORNER_X = CORNER - BACK_WALL_Y  # |x| where the corner wall meets the back wall
CELL = 2.0  # height of a cell in widths
LEAST_WIDTH, LEAST_HEIGHT = 40, 10  # below, only the words are shown
GAUGE = 7  # columns of the heights
FLOOR_Z = 60.0  # uu: wheels below it are on the floor
HIGH, HIGHER = 250.0, 800.0  # uu: from where on the ball looks smaller
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # dots of a cell, by row and column
TEAMS = ("blue", "orange")


class CellCanvas:
    """width × height cells, empty at first. What lies outside is not drawn."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._chars = [[" "] * self.width for _ in range(self.height)]
        self._styles = [[""] * self.width for _ in range(self.height)]

    def copy(self) -> CellCanvas:
        """Cells of its own."""
        other = CellCanvas(0, 0)
        other.width, other.height = self.width, self.height
        other._chars, other._styles = [row[:] for row in self._chars], [row[:] for row in self._styles]
        return other

    def put(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write from there to the right; each character takes one column."""
        if not 0 <= row < self.height:
            return
        chars, styles = self._chars[row], self._styles[row]
        for at, char in enumerate(text, column):
            if 0 <= at < self.width:
                chars[at], styles[at] = char, style

    def is_empty(self, row: int, column: int) -> bool:
        inside = 0 <= row < self.height and 0 <= column < self.width
        return inside and self._chars[row][column] == " "

    def runs(self) -> list[list[Run]]:
        """Each line as runs of one style; their texts are `width` characters together."""
        return [_runs(chars, styles) for chars, styles in zip(self._chars, self._styles, strict=True)]

    def lines(self, colour: bool) -> list[str]:
        """`height` lines of `width` columns; colour: with escape sequences, each line ending plain."""
        return [
            "".join(
                f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and style and text.strip() else text
                for text, style in line
            )
            for line in self.runs()
        ]


def _runs(chars: Sequence[str], styles: Sequence[str]) -> list[Run]:
    found, at = list[Run](), 0
    for style, alike in groupby(styles):
        end = at + len(list(alike))
        found.append(("".join(chars[at:end]), style))
        at = end
    return found


def one_column_each(text: str, ascii_only: bool) -> str:
    """The text with a question mark for each character that does not take exactly one column, or is not ASCII."""
    return "".join(
        char if char.isprintable() and _is_narrow(char) and (char.isascii() or not ascii_only) else "?" for char in text
    )


def _is_narrow(char: str) -> bool:
    return unicodedata.east_asian_width(char) in NARROW and not unicodedata.combining(char)


@dataclass(frozen=True)
class WallLines:
    """What walls are drawn with."""

    across: str
    down: str
    corners: str  # of a box: top left, top right, bottom left, bottom right
    slopes: str  # rising, falling
    middle: str


UNICODE_LINES = WallLines("─", "│", "┌┐└┘", "╱╲", "┊")
ASCII_LINES = WallLines("-", "|", "++++", "/\\", ":")


@dataclass(frozen=True)
class FieldMap:
    """The field seen from above over cells of a terminal: blue's goal left, orange's right, blue's left hand up.

    scale: uu a column; row, column: of the cell that shows the middle of the field.
    """

    scale: float
    row: int
    column: int

    @classmethod
    def fitted(cls, top: int, left: int, height: int, width: int) -> FieldMap:
        """As large as these cells allow."""
        rows, columns = (height - 1) // 2, (width - 1) // 2  # to each side of the middle
        scale = max(NET_Y / max(1, columns), SIDE_WALL_X / (CELL * max(1, rows)))
        return cls(scale, top + rows, left + columns)

    def place(self, x: float, y: float) -> tuple[int, int]:
        """Row and column."""
        return self.row - round(x / (self.scale * CELL)), self.column + round(y / self.scale)

    def dot(self, x: float, y: float) -> tuple[int, int]:
        """Row and column in quarters and halves of a cell, as Braille has dots."""
        row = self.row + 0.5 - x / (self.scale * CELL)
        column = self.column + 0.5 + y / self.scale
        return int(row * 4), int(column * 2)

    def draw(self, canvas: CellCanvas, lines: WallLines) -> None:
        """Walls, goals, and the line between the halves."""
        for row in range(self.place(SIDE_WALL_X, 0)[0] + 1, self.place(-SIDE_WALL_X, 0)[0]):
            canvas.put(row, self.column, lines.middle, "line")
        self._draw_walls(canvas, lines)
        for side, style in ((-1, "blue"), (1, "orange")):
            self._draw_goal(canvas, lines, side, style)

    def _draw_walls(self, canvas: CellCanvas, lines: WallLines) -> None:
        for side in (-1, 1):
            row, first = self.place(side * SIDE_WALL_X, SIDE_WALL_X - CORNER)
            last = self.place(0, CORNER - SIDE_WALL_X)[1]
            canvas.put(row, first, lines.across * (last - first + 1), "line")
            self._draw_corners(canvas, lines, side)
            column = self.place(0, side * BACK_WALL_Y)[1]
            top, bottom = self.place(CORNER_X, 0)[0], self.place(-CORNER_X, 0)[0]
            for row in range(top, bottom + 1):
                canvas.put(row, column, lines.down, "line")

    def _draw_corners(self, canvas: CellCanvas, lines: WallLines, side: int) -> None:
        """Where a row's middle meets the corner walls of one side wall."""
        wall, corner = self.place(side * SIDE_WALL_X, 0)[0], self.place(side * CORNER_X, 0)[0]
        for row in range(min(wall, corner) + 1, max(wall, corner)):
            x = (self.row - row) * self.scale * CELL
            for end in (-1, 1):
                column = self.place(0, end * min(CORNER - abs(x), BACK_WALL_Y))[1]
                canvas.put(row, column, lines.slopes[int(side * end > 0)], "line")

    def _draw_goal(self, canvas: CellCanvas, lines: WallLines, side: int, style: str) -> None:
        top, line = self.place(GOAL_POST_X, side * BACK_WALL_Y)
        bottom, back = self.place(-GOAL_POST_X, side * NET_Y)
        left, right = sorted((line, back))
        for row in range(top + 1, bottom):
            canvas.put(row, line, " ")
            canvas.put(row, back, lines.down, style)
        for row, corners in ((top, lines.corners[:2]), (bottom, lines.corners[2:])):
            canvas.put(row, left + 1, lines.across * (right - left - 1), style)
            canvas.put(row, line, lines.down, "line")
            canvas.put(row, back, corners[int(side > 0)], style)


@dataclass(frozen=True)
class Glyphs:
    """headings: eight from the right, counterclockwise. ball: low, high, higher. big: available, taken."""

    lines: WallLines
    headings: str
    ball: str
    small: str
    big: str
    bar: str  # full, empty
    wreck: str
    dot: str  # of the trail; empty: Braille


UNICODE = Glyphs(UNICODE_LINES, "→↗↑↖←↙↓↘", "●◉○", "·", "◆◇", "█░", "✗", "")
ASCII = Glyphs(ASCII_LINES, ">>^<<<v>", "@Oo", ",", "+-", "#.", "x", ".")


def draw(moment: MatchFrame, width: int, height: int, ascii_only: bool = False, colour: bool = False) -> list[str]:
    """`height` lines of `width` columns. colour: with escape sequences."""
    return _draw_canvas(moment, width, height, ascii_only).lines(colour)


def runs(
    moment: MatchFrame, width: int, height: int, ascii_only: bool = False, braille: bool = True
) -> list[list[Run]]:
    """The same as runs of text and the name of their style (STYLES). braille: whether the font has it."""
    return _draw_canvas(moment, width, height, ascii_only, braille).runs()


def _draw_canvas(moment: MatchFrame, width: int, height: int, ascii_only: bool, braille: bool = True) -> CellCanvas:
    glyphs = ASCII if ascii_only else UNICODE if braille else replace(UNICODE, dot="•")
    teams = [[car for car in moment.cars if car.team == team] for team in (0, 1)]
    below = max(map(len, teams), default=0)
    field_height = height - 1 - below
    if field_height < LEAST_HEIGHT <= height - 1:  # the field is worth more than the cars' lines
        field_height = height - 1
    if width >= LEAST_WIDTH and field_height >= LEAST_HEIGHT:
        field = FieldMap.fitted(1, 0, field_height, width - GAUGE)
        canvas = _empty_field(width, height, field_height, glyphs).copy()
        _draw_field(canvas, field, moment, glyphs)
        _draw_heights(canvas, moment, glyphs, field_height)
    else:
        canvas, field_height = CellCanvas(width, height), 0
    _draw_header(canvas, moment, ascii_only)
    for cars in teams:
        for index, car in enumerate(cars):
            _draw_car_line(canvas, 1 + field_height + index, car, _label(cars, index), glyphs)
    return canvas


@lru_cache(8)
def _empty_field(width: int, height: int, field_height: int, glyphs: Glyphs) -> CellCanvas:
    """What is the same in all pictures of a size: lines and the scale of heights. To be copied."""
    canvas = CellCanvas(width, height)
    FieldMap.fitted(1, 0, field_height, width - GAUGE).draw(canvas, glyphs.lines)
    for row in range(1, field_height + 1):
        canvas.put(row, width - GAUGE + 1, glyphs.lines.down, "line")
    return canvas


def _draw_header(canvas: CellCanvas, moment: MatchFrame, ascii_only: bool) -> None:
    """Score in the middle, time on the right, a goal on the left."""
    blue, orange = (one_column_each(name, ascii_only) for name in moment.names)
    score = f" {moment.score[0]} : {moment.score[1]} "
    clock = clock_text(moment.tick)
    room = max(0, (canvas.width - len(score)) // 2 - 8)
    blue, orange = blue[-room:] if room else "", orange[:room]
    middle = (canvas.width - len(score)) // 2
    canvas.put(0, middle - len(blue), blue, "blue")
    canvas.put(0, middle, score, "ball")
    canvas.put(0, middle + len(score), orange, "orange")
    canvas.put(0, canvas.width - len(clock), clock, "dim")
    if moment.goal:
        canvas.put(0, 0, " GOAL ", "goal")


def clock_text(tick: int) -> str:
    """Time played, as 1:05 or 1:02:03."""
    seconds = tick // TICKS_PER_SECOND
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _draw_field(canvas: CellCanvas, field: FieldMap, moment: MatchFrame, glyphs: Glyphs) -> None:
    for index, (timer, (x, y, _)) in enumerate(zip(moment.pad_timers, PAD_POSITIONS, strict=False)):
        if index in BIG_PADS:
            canvas.put(*field.place(x, y), glyphs.big[int(timer > 0)], "pad")
        elif timer <= 0:
            canvas.put(*field.place(x, y), glyphs.small, "pad")
    _draw_trail(canvas, field, moment, glyphs)
    for team in (0, 1):
        cars = [car for car in moment.cars if car.team == team]
        for index, car in enumerate(cars):
            _draw_car(canvas, field, car, _label(cars, index), glyphs)
    x, y, z = moment.ball_position
    canvas.put(*field.place(x, y), _ball(z, glyphs), "ball")


def _draw_trail(canvas: CellCanvas, field: FieldMap, moment: MatchFrame, glyphs: Glyphs) -> None:
    """Where nothing else is: the trail hides nothing."""
    if glyphs.dot:
        for x, y, _ in moment.trail:
            if canvas.is_empty(*field.place(x, y)):
                canvas.put(*field.place(x, y), glyphs.dot, "trail")
        return
    cells: dict[tuple[int, int], int] = {}
    for x, y, _ in moment.trail:
        row, column = field.dot(x, y)
        cell = row // 4, column // 2
        cells[cell] = cells.get(cell, 0) | BRAILLE[row % 4][column % 2]
    for cell, dots in cells.items():
        if canvas.is_empty(*cell):
            canvas.put(*cell, chr(0x2800 + dots), "trail")


def _draw_car(canvas: CellCanvas, field: FieldMap, car: CarFrame, label: str, glyphs: Glyphs) -> None:
    row, column = field.place(car.position[0], car.position[1])
    label = label if car.position[2] < HIGH else label.lower()
    at = column + 1 if column + len(label) < canvas.width - GAUGE else column - len(label)
    canvas.put(row, at, label, TEAMS[car.team])
    canvas.put(row, column, glyphs.wreck if car.demolished else _heading(car, glyphs), TEAMS[car.team])


def _heading(car: CarFrame, glyphs: Glyphs) -> str:
    """On the screen +y is to the right and +x up."""
    angle = math.atan2(car.forward[0], car.forward[1])
    return glyphs.headings[round(angle / (math.pi / 4)) % 8]


def _label(cars: Sequence[CarFrame], index: int) -> str:
    """B and O, with a number where a team has more than one car."""
    return "BO"[cars[index].team] + (str(index + 1) if len(cars) > 1 else "")


def _ball(z: float, glyphs: Glyphs) -> str:
    return glyphs.ball[(z >= HIGH) + (z >= HIGHER)]


def _draw_heights(canvas: CellCanvas, moment: MatchFrame, glyphs: Glyphs, height: int) -> None:
    """From the floor to the ceiling, beside the field: cars by their letter, the ball in front of them."""
    left = canvas.width - GAUGE + 1

    def row_of(z: float) -> int:
        return height - round(min(max(z, 0.0), CEILING_Z) / CEILING_Z * (height - 1))

    for team, column in ((0, left + 2), (1, left + 3)):
        for car in moment.cars:
            if car.team == team and not car.demolished:
                canvas.put(row_of(car.position[2]), column, "BO"[team], TEAMS[team])
    z = moment.ball_position[2]
    canvas.put(row_of(z), left + 1, _ball(z, glyphs), "ball")


def _draw_car_line(canvas: CellCanvas, row: int, car: CarFrame, label: str, glyphs: Glyphs) -> None:
    """Blue on the left half, orange on the right one."""
    half = canvas.width // 2
    left = half * car.team
    cells = max(5, min(20, half - (44 if half >= 50 else 34)))
    full = round(car.boost / 100 * cells)
    bar = glyphs.bar[0] * full + glyphs.bar[1] * (cells - full)
    canvas.put(row, left, f"{label:<2} ", TEAMS[car.team])
    canvas.put(row, left + 3, bar[: max(0, half - 3)], TEAMS[car.team])
    canvas.put(row, left + 3 + cells, _figures(car, half - 3 - cells - (car.team == 0)), "dim")


def _figures(car: CarFrame, room: int) -> str:
    """What has room of the car's figures, speed given up first; none is cut in its middle."""
    words = [f" {car.boost:3.0f}", f" {_where(car):<7}", f" z {car.position[2]:4.0f}", f" touches {car.touches}"]
    speed = f" {math.hypot(*car.velocity):4.0f} uu/s"
    if len("".join(words) + speed) <= room:
        words.insert(3, speed)
    while words and len("".join(words)) > room:
        words.pop()
    return "".join(words)


def _where(car: CarFrame) -> str:
    z = car.position[2]
    if car.demolished:
        return "wreck"
    if car.on_ground:
        return "ground" if z < FLOOR_Z else "wall" if z < CEILING_Z - FLOOR_Z else "ceiling"
    return "roof" if car.body_down else "air"
