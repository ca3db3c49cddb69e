"""Terminal screens as SVG that is right in every viewer: lines, blocks and braille are shapes, words are placed one by one.

Words name no font that would have to be fetched; where a viewer's monospace is wider or narrower, textLength sets them
right, and where a viewer does not know that, a word ends a little early or late. Moving pictures are a strip of frames that
CSS shows one after the other; rows that come again are there once. Viewers that move nothing show the frame `still`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby

WIDTH, HEIGHT, BASE = 10, 20, 15  # of a cell; the baseline below its top, where a row has its origin
SIZE = 16.6  # a character of most monospace fonts is 0.6 as wide
FONTS = "'DejaVu Sans Mono',ui-monospace,Menlo,Consolas,'Liberation Mono',monospace"
PAGE, INK = "#0e1116", "#d5dce6"
MARGIN = 12
STRIP = 26  # below the screen: what is pressed, and when
DOT = "stroke-width:3;stroke-linecap:round"
DOTS = [(2, 2), (2, 7), (2, 12), (7, 2), (7, 7), (7, 12), (2, 17), (7, 17)]  # of a braille cell, by bit
PLAIN = 0x2190  # arrows and signs begin here
RUN = re.compile(r"[!-\u218f]+(?: [!-\u218f]+)*|\S")

Cell = tuple[str, str]  # a character, "" beside a wide one, and the SGR parameters it was written with
Screen = Sequence[Sequence[Cell]]
Stroke = tuple[str, float, float, str]  # how it is drawn, where in its cell it begins, its path from there


@dataclass(frozen=True)
class Shot:
    """One frame: how long it stands, in seconds, and the words below it."""

    screen: Screen
    seconds: float
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class Look:
    ink: str = INK
    paper: str = PAGE
    bold: bool = False
    dim: bool = False
    underlined: bool = False


@cache
def look_of(parameters: str) -> Look:
    """Of what Textual writes: true colours, bold, dim, underline, reverse."""
    numbers = [int(number) for number in re.findall(r"\d+", parameters)]
    colours = {38: INK, 48: PAGE}
    flags = set()
    while numbers:
        number = numbers.pop(0)
        if number in colours and numbers[:1] == [2]:
            colours[number] = "#{:02x}{:02x}{:02x}".format(*numbers[1:4])
            del numbers[:4]
        else:
            flags.add(number)
    ink, paper = (colours[48], colours[38]) if 7 in flags else (colours[38], colours[48])
    return Look(ink, paper, 1 in flags, 2 in flags, 4 in flags)


def still(screen: Screen) -> str:
    """One screen."""
    drawing = _Drawing()
    body = drawing.screen(screen)
    width, height = len(screen[0]) * WIDTH + 2 * MARGIN, len(screen) * HEIGHT + 2 * MARGIN
    inside = f'<g transform="translate({MARGIN} {MARGIN})">{body}</g>'
    return drawing.document(width, height, inside)


def film(shots: Sequence[Shot], poster: int) -> str:
    """One after the other, again and again. poster: the shot that stands where nothing moves."""
    drawing = _Drawing()
    columns, rows = len(shots[0].screen[0]), len(shots[0].screen)
    width, height = columns * WIDTH + 2 * MARGIN, rows * HEIGHT + 2 * MARGIN + STRIP
    frames, times, whole, now = [], [], sum(shot.seconds for shot in shots), 0.0
    for place, shot in enumerate(shots):
        words = drawing.words(0, shot.left, Look(ink="#f0e442", bold=True))
        words += drawing.words(columns - len(shot.right), shot.right, Look(ink="#98a0ac"))
        body = f'{drawing.screen(shot.screen)}<g transform="translate(0 {rows * HEIGHT + 12 + BASE})">{words}</g>'
        frames.append(f'<g transform="translate({place * width + MARGIN} {MARGIN})">{body}</g>')
        times.append(f"{100 * now / whole:.3f}%{{transform:translateX({-place * width}px)}}")
        now += shot.seconds
    drawing.css += f"@keyframes film{{{''.join(times)}}}#film{{animation:film {whole:.1f}s step-end infinite}}"
    drawing.css += "@media(prefers-reduced-motion){#film{animation:none}}"
    strip = f'<g id="film" transform="translate({-poster * width} 0)">{"".join(frames)}</g>'
    return drawing.document(width, height, strip)


class _Drawing:
    """Rows so far, each there once, and the classes of their looks."""

    def __init__(self) -> None:
        self.css = ""
        self._rows: dict[str, int] = {}
        self._classes: dict[tuple[str, ...], str] = {}

    def document(self, width: int, height: int, body: str) -> str:
        kinds = "".join(f".{name}{{{';'.join(rules)}}}" for rules, name in self._classes.items())
        rows = "\n".join(f'<g id="r{number}">{row}</g>' for row, number in self._rows.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="{FONTS}" font-size="{SIZE}">\n'
            f"<style>{kinds}{self.css}</style>\n<defs>{rows}</defs>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="{PAGE}"/>\n{body}\n</svg>\n'
        )

    def screen(self, screen: Screen) -> str:
        uses = []
        for y, cells in enumerate(screen):
            row = self._row(cells)
            if row:
                number = self._rows.setdefault(row, len(self._rows))
                uses.append(f'<use xlink:href="#r{number}" y="{y * HEIGHT + BASE}"/>')
        return "".join(uses)

    def words(self, x: int, text: str, look: Look) -> str:
        """Runs with at least two blanks between them, and single signs, which fonts often lack, each at its place."""
        rules = [f"fill:{look.ink}", *["font-weight:bold"] * look.bold, *["opacity:.6"] * look.dim]
        kind = self._class(*rules, *["text-decoration:underline"] * look.underlined)
        found = [(x + match.start(), match[0]) for match in RUN.finditer(text)]
        return "".join(
            f'<text class="{kind}" x="{at * WIDTH}" textLength="{len(run) * WIDTH}">{escape(run, quote=False)}</text>'
            if ord(run[0]) < PLAIN
            else f'<text class="{kind}" x="{at * WIDTH + WIDTH // 2}" text-anchor="middle">{run}</text>'
            for at, run in found
        )

    def _row(self, cells: Sequence[Cell]) -> str:
        papers, words, pens, x = [], [], dict[str, _Pen](), 0
        for parameters, group in groupby(cells, key=lambda cell: cell[1]):
            text, look = [character for character, _ in group], look_of(parameters)
            if look.paper != PAGE:
                kind = self._class(f"fill:{look.paper}")
                papers.append(
                    f'<path class="{kind}" d="M{x * WIDTH} {-BASE}h{len(text) * WIDTH}v{HEIGHT}h{-len(text) * WIDTH}z"/>'
                )
            plain = ""
            for at, character in enumerate(text, x):
                strokes = shape_of(character)
                plain += " " if strokes or not character else character
                for style, right, down, path in strokes:
                    colour = f"fill:{look.ink}" if style == "fill" else f"fill:none;stroke:{look.ink};{style}"
                    pens.setdefault(self._class(colour), _Pen()).draw(at * WIDTH + right, down - BASE, path)
            words.append(self.words(x, plain, look))
            x += len(text)
        shapes = (f'<path class="{kind}" d="{pen.path}"/>' for kind, pen in pens.items())
        return "".join([*papers, *shapes, *words])

    def _class(self, *rules: str) -> str:
        return self._classes.setdefault(rules, f"c{len(self._classes)}")


class _Pen:
    """One path of many strokes, written as shortly as can be: strokes that meet are one, near ones are a step apart."""

    def __init__(self) -> None:
        self.path = ""
        self._here: tuple[float, float] | None = None

    def draw(self, x: float, y: float, stroke: str) -> None:
        if self._here is None:
            self.path += f"M{x:g} {y:g}"
        elif self._here != (x, y) or stroke == "h0":
            self.path += min(f"M{x:g} {y:g}", f"m{x - self._here[0]:g} {y - self._here[1]:g}", key=len)
        self.path += stroke
        straight = re.fullmatch(r"([hv])(-?\d+)", stroke)
        along, length = (straight[1], int(straight[2])) if straight else ("", 0)
        self._here = (x + length * (along == "h"), y + length * (along == "v")) if straight else None


@cache
def shape_of(character: str) -> tuple[Stroke, ...]:
    """Of a line, a corner, a block, braille; nothing for what is a word's."""
    code = ord(character) if character else 0
    if 0x2800 < code < 0x2900:
        return tuple((DOT, right, down, "h0") for bit, (right, down) in enumerate(DOTS) if code >> bit & 1)
    if 0x2581 <= code <= 0x2588:
        return (_box(0, HEIGHT - HEIGHT * (code - 0x2580) / 8, WIDTH, HEIGHT * (code - 0x2580) / 8),)
    if 0x2589 <= code <= 0x258F:
        return (_box(0, 0, WIDTH * (0x2590 - code) / 8, HEIGHT),)
    if character in ("▀", "▐"):
        return (_box(0, 0, WIDTH, HEIGHT / 2) if character == "▀" else _box(WIDTH / 2, 0, WIDTH / 2, HEIGHT),)
    name = unicodedata.name(character, "") if code else ""
    return tuple(_lines(name)) if name.startswith("BOX DRAWINGS") and "DIAGONAL" not in name else ()


def _lines(name: str) -> Iterator[Stroke]:
    """Of `BOX DRAWINGS HEAVY DOWN AND RIGHT` and the like: an arm from the middle for each side that it names."""
    style = f"stroke-width:{3 if 'HEAVY' in name else 1.5}" + ";stroke-dasharray:3 2" * ("DASH" in name)
    x, y = WIDTH // 2, HEIGHT // 2
    sides = re.findall(r"\b(UP|DOWN|LEFT|RIGHT|VERTICAL|HORIZONTAL)\b", name)
    if "ARC" in name:
        down, right = 1 if "DOWN" in sides else -1, 1 if "RIGHT" in sides else -1
        yield style, x, y + down * y, f"v{-down * (y - x)}q0 {-down * x} {right * x} {-down * x}"
        return
    arms = {"UP": f"v{-y}", "DOWN": f"v{y}", "LEFT": f"h{-x}", "RIGHT": f"h{x}"}
    for side in sides:
        match side:
            case "VERTICAL":
                yield style, x, 0, f"v{HEIGHT}"
            case "HORIZONTAL":
                yield style, 0, y, f"h{WIDTH}"
            case _:
                yield style, x, y, arms[side]


def _box(x: float, y: float, width: float, height: float) -> Stroke:
    return "fill", x, y, f"h{width:g}v{height:g}h{-width:g}z"
