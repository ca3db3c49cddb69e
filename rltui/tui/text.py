"""Styled lines: crop, pad, wrap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

Span = tuple[str, str]  # text, role; "" is the plain foreground
Line = tuple[Span, ...]
SOLID, HOLLOW = "▌", "▏"  # a list's cursor with the focus and without: a shape, for those who see no background
ENDING = 7  # columns: the time of day at the end of a run's name, `-100732`
INDENT = 2  # columns of what stands under a heading
MARKS = 16  # characters that one column may take: combining marks have no width


def text_line(text: str, role: str = "") -> Line:
    """One span as a line."""
    return ((text, role),)


def width_of(line: Line) -> int:
    """Terminal columns that the line takes."""
    return sum(cell_len(text) for text, _ in line)


def clean(text: str) -> str:
    """The text without control characters, which would move the terminal's cursor; a tab becomes a space."""
    return "".join(char if char.isprintable() else " " for char in text) if not text.isprintable() else text


def crop_text(text: str, width: int) -> str:
    """At most `width` columns, an ellipsis in place of what was cut. However long the text, only what fits is measured."""
    start = text[: width * MARKS]
    if len(start) == len(text) and cell_len(text) <= width:
        return text
    return set_cell_size(start, width - 1).rstrip() + "…" if width > 1 else "…"[:width]


def crop_middle(text: str, width: int) -> str:
    """At most `width` columns of a run's name, an ellipsis in place of its middle: runs of one profile differ at the end."""
    end = min(ENDING, (width - 1) // 2)
    if cell_len(text) <= width or end < 1:
        return crop_text(text, width)
    return f"{set_cell_size(text, width - end - 1)}…{text[-end:]}"


def pad(text: str, width: int, align: str = "<") -> str:
    """Exactly `width` columns; align "<" or ">"."""
    text = crop_text(text, width)
    space = " " * (width - cell_len(text))
    return space + text if align == ">" else text + space


def crop(line: Line, width: int) -> Line:
    """At most `width` columns, an ellipsis where something was cut."""
    if width_of(line) <= width:
        return line
    fitting: list[Span] = []
    left = width
    for text, role in line:
        size = cell_len(text)
        if size >= left:  # what follows does not fit either, so even an exact fit is cut
            fitting.append((crop_text(text + " …", left) if size == left else crop_text(text, left), role))
            return tuple(fitting)
        fitting.append((text, role))
        left -= size
    return tuple(fitting)


def fit(line: Line, width: int) -> Line:
    """Exactly `width` columns: cropped or padded."""
    line = crop(line, width)
    missing = width - width_of(line)
    return (*line, (" " * missing, "")) if missing > 0 else line


def ends(left: Line, right: Line, width: int) -> Line:
    """`left` at the left edge, `right` at the right one; the left gives way."""
    right = crop(right, width)
    room = width - width_of(right)
    return (*fit(left, room), *right)


def split(line: Line, width: int) -> tuple[Line, Line]:
    """Two lines, the first at most `width` columns and ending where a word does if one does."""
    text = "".join(part for part, _ in line)
    fits = len(set_cell_size(text, width).rstrip()) if cell_len(text) > width else len(text)
    at = fits if text[fits : fits + 1] in ("", " ") else text.rfind(" ", 0, fits)
    at = at if at > 0 else max(fits, 1)
    return _part(line, 0, at), _part(line, at + len(text[at:]) - len(text[at:].lstrip()), len(text))


def _part(line: Line, start: int, end: int) -> Line:
    """The characters from `start` to `end` with their roles."""
    spans: list[Span] = []
    at = 0
    for text, role in line:
        piece = text[max(start - at, 0) : max(end - at, 0)]
        spans += [(piece, role)] if piece else []
        at += len(text)
    return tuple(spans)


def beside(blocks: Sequence[Sequence[Line]], widths: Sequence[int], gap: int = 2) -> list[Line]:
    """Blocks of lines side by side, each fitted to its width."""
    height = max((len(block) for block in blocks), default=0)
    lines: list[Line] = []
    for row in range(height):
        spans: list[Span] = []
        for index, (block, width) in enumerate(zip(blocks, widths, strict=True)):
            spans += [(" " * gap, "")] if index else []
            spans += fit(block[row] if row < len(block) else (), width)
        lines.append(tuple(spans))
    return lines


def wrap(text: str, width: int, role: str = "") -> list[Line]:
    """Words wrapped to `width` columns; a longer word is cut into pieces. Line breaks and indents of the text are kept."""
    lines: list[Line] = []
    for paragraph in text.split("\n"):
        words = clean(paragraph)
        indent = min(len(words) - len(words.lstrip()), max(width - 8, 0)) if words.strip() else 0
        rows = _wrap_words(words.split(), max(width - indent, 1))
        lines += [text_line(" " * indent + row, role) for row in rows] or [()]
    return lines


def _wrap_words(words: Iterable[str], width: int) -> list[str]:
    rows: list[str] = []
    row = ""
    for word in words:
        joined = f"{row} {word}" if row else word
        if cell_len(joined) <= width:
            row = joined
            continue
        rows += [row] if row else []
        *pieces, row = [word] if cell_len(word) <= width else [piece for piece in chop_cells(word, width) if piece]
        rows += pieces
    return [*rows, row] if row else rows


def indented(lines: Sequence[Line]) -> list[Line]:
    """Without the empty ones."""
    return [((" " * INDENT, ""), *line) for line in lines if line]


def named_lines(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    """Names in a column, the words of each wrapped beside it. rows: (name, words, role of the words)."""
    size = min(max((len(name) for name, _, _ in rows), default=0), max(width // 2, 12)) + 2
    found: list[Line] = []
    for name, words, role in rows:
        label = pad(crop_text(name, size - 2), size)
        for index, row in enumerate(wrap(words, max(width - size, 10), role)):
            found.append(((" " * size if index else label, "muted"), *row))
    return found


def plain(lines: Iterable[Line]) -> str:
    """The text alone, trailing blanks stripped: for tests, copying and plain output."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
