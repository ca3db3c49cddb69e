"""README's pictures need no font and nothing else from elsewhere, and the writer puts each cell in its place."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tests.fakes.documents import README, ROOT, TEXTS
from tests.measure.svg import BASE, HEIGHT, MARGIN, WIDTH, Cell, Shot, film, look_of, shape_of, still

SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 1_500_000  # bytes


def row(text: str, look: str = "") -> list[Cell]:
    return [(character, look) for character in text]


def texts(svg: str) -> dict[str, tuple[str | None, str | None]]:
    """Each run of words with its place and width."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}text")
    return {each.text or "": (each.get("x"), each.get("textLength")) for each in found}


def test_readmes_pictures_are_whole_and_small_and_fetch_nothing() -> None:
    names = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXTS[README])
    assert len(names) == 2
    for name in names:
        svg = (ROOT / name).read_text(encoding="utf-8")
        assert ElementTree.fromstring(svg).tag == f"{SVG}svg"
        assert len(svg.encode()) < LARGEST
        assert "url(" not in svg and "@import" not in svg and "<image" not in svg


def test_words_stand_in_their_columns() -> None:
    assert texts(still([row("ab <d>   e →f")])) == {
        "ab <d>": ("0", str(6 * WIDTH)),
        "e": (str(9 * WIDTH), str(WIDTH)),
        "→": (str(11 * WIDTH + WIDTH // 2), None),
        "f": (str(12 * WIDTH), str(WIDTH)),
    }


def test_looks_are_what_was_sent() -> None:
    look = look_of("1;38;2;255;0;16;48;2;1;2;3")
    assert (look.ink, look.paper, look.bold, look.dim) == ("#ff0010", "#010203", True, False)
    assert (look_of("7;38;2;255;0;16").paper, look_of("2;4").dim, look_of("2;4").underlined) == ("#ff0010", True, True)


def test_lines_blocks_and_braille_are_shapes() -> None:
    for character in "─│┌┐└┘├┤┬┴┼━┃┏┓┗┛╸╺╭╮╰╯┊╎▁▅█▌▏▀⣿⠁":
        assert shape_of(character), character
        assert texts(still([row(character)])) == {}
    assert [shape_of(character) for character in "a ●★⠀"] == [()] * 5
    assert [len(shape_of(character)) for character in "⣿⠁"] == [8, 1]
    assert 'd="M2 -13h0m10 0h0"' in still([row("⠁⠁")])
    assert len(shape_of("┊")) == 1  # QUADRUPLE DASH: nothing goes UP
    assert 'd="M0 -5h10h10h10"' in still([row("───")])


def test_a_film_shows_each_frame_once_and_holds_each_row_once() -> None:
    shots = [Shot([row("same"), row(f"no {number}")], seconds, "key") for number, seconds in enumerate((1.0, 2.0, 1.0))]
    svg = film(shots, poster=2)
    page = 4 * WIDTH + 2 * MARGIN
    times = re.findall(r"([\d.]+)%\{transform:translateX\((-?\d+)px\)\}", svg)
    assert times == [("0.000", "0"), ("25.000", str(-page)), ("75.000", str(-2 * page))]
    assert f'id="film" transform="translate({-2 * page} 0)"' in svg
    assert (svg.count(">same<"), svg.count(">no 1<")) == (1, 1)
    assert svg.count(f'y="{HEIGHT + BASE}"/>') == 3
