"""FieldMap: the field seen from above, laid over cells of a terminal, which are twice as high as wide.

Blue's goal is on the left, orange's on the right; what is on blue's left hand is up.
"""

from __future__ import annotations

from dataclasses import dataclass

from rltui.sim.field import BACK_WALL_Y, CORNER, NET_Y, SIDE_WALL_X
from rltui.view.canvas import Canvas

GOAL_X = 893.0  # half of a goal's width
CORNER_X = CORNER - BACK_WALL_Y  # |x| where the corner wall meets the back wall
CELL = 2.0  # height of a cell in widths


@dataclass(frozen=True)
class Lines:
    """What walls are drawn with."""

    across: str
    down: str
    corners: str  # of a box: top left, top right, bottom left, bottom right
    slopes: str  # rising, falling
    middle: str


UNICODE = Lines("─", "│", "┌┐└┘", "╱╲", "┊")
ASCII = Lines("-", "|", "++++", "/\\", ":")


@dataclass(frozen=True)
class FieldMap:
    """scale: uu a column; row, column: of the cell that shows the middle of the field."""

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

    def draw(self, canvas: Canvas, lines: Lines) -> None:
        """Walls, goals, and the line between the halves."""
        for row in range(self.place(SIDE_WALL_X, 0)[0] + 1, self.place(-SIDE_WALL_X, 0)[0]):
            canvas.put(row, self.column, lines.middle, "line")
        self._draw_walls(canvas, lines)
        for side, style in ((-1, "blue"), (1, "orange")):
            self._draw_goal(canvas, lines, side, style)

    def _draw_walls(self, canvas: Canvas, lines: Lines) -> None:
        for side in (-1, 1):
            row, first = self.place(side * SIDE_WALL_X, SIDE_WALL_X - CORNER)
            last = self.place(0, CORNER - SIDE_WALL_X)[1]
            canvas.put(row, first, lines.across * (last - first + 1), "line")
            self._draw_corners(canvas, lines, side)
            column = self.place(0, side * BACK_WALL_Y)[1]
            top, bottom = self.place(CORNER_X, 0)[0], self.place(-CORNER_X, 0)[0]
            for row in range(top, bottom + 1):
                canvas.put(row, column, lines.down, "line")

    def _draw_corners(self, canvas: Canvas, lines: Lines, side: int) -> None:
        """Where a row's middle meets the corner walls of one side wall."""
        wall, corner = self.place(side * SIDE_WALL_X, 0)[0], self.place(side * CORNER_X, 0)[0]
        for row in range(min(wall, corner) + 1, max(wall, corner)):
            x = (self.row - row) * self.scale * CELL
            for end in (-1, 1):
                column = self.place(0, end * min(CORNER - abs(x), BACK_WALL_Y))[1]
                canvas.put(row, column, lines.slopes[int(side * end > 0)], "line")

    def _draw_goal(self, canvas: Canvas, lines: Lines, side: int, style: str) -> None:
        top, line = self.place(GOAL_X, side * BACK_WALL_Y)
        bottom, back = self.place(-GOAL_X, side * NET_Y)
        left, right = sorted((line, back))
        for row in range(top + 1, bottom):
            canvas.put(row, line, " ")
            canvas.put(row, back, lines.down, style)
        for row, corners in ((top, lines.corners[:2]), (bottom, lines.corners[2:])):
            canvas.put(row, left + 1, lines.across * (right - left - 1), style)
            canvas.put(row, line, lines.down, "line")
            canvas.put(row, back, corners[int(side > 0)], style)
