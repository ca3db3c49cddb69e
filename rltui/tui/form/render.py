"""Rows, details and title of the form as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rltui import formatting
from rltui.profile.source import show_key
from rltui.profile.toml_text import default_words
from rltui.tui.checks.results import ProfileProblem
from rltui.tui.checks.schema import KeyReference, Reference, Registered
from rltui.tui.form.fields import TOP, FormRow, raw_value
from rltui.tui.form.session import TextState
from rltui.tui.text import Line, clean, crop, crop_text, ends, pad, text_line, width_of, wrap

LABEL = 26  # columns, indent included
SHOWS_PROBLEMS = 100  # columns of the list, from which on a row says what is wrong
MOST_PROBLEMS = 12


def row_line(row: FormRow, state: TextState, width: int) -> Line:
    """One row; its first column is left for the cursor."""
    if row.kind == "section":
        return _section_line(row, state, width)
    indent = " " * (1 + 2 * row.depth)
    if row.kind == "add":
        return ((indent, ""), ("+ ", "key"), (row.label, "muted"))
    sign = "▾ " if row.path in state.is_open else "▸ "
    head = f"{indent}{sign if row.kind == 'element' else ''}{row.label}"
    problems = state.problems(row)
    mark: Line = (("✗ ", state.bad),) if problems else (("● ", "warn"),) if state.changed(row.path) else (("  ", ""),)
    role = state.bad if problems else "title" if row.kind == "group" else ""
    value, value_role = _value(row)
    value_cell = (crop_text(value, max(width - LABEL - 6, 8)), value_role)
    line: Line = ((pad(clean(head), LABEL), role), (" ", ""), *mark, value_cell)
    unit = _unit(row.entry.unit if row.entry else "", value)
    line = (*line, (f" {unit}", "faint")) if unit else line
    return (*line, ("  ", ""), (problems[0].message, state.bad)) if problems and width >= SHOWS_PROBLEMS else line


def _unit(unit: str, value: str) -> str:
    """`1 tick`, but `8 ticks` and `1 s`."""
    is_plural = len(unit) > 2 and unit.isalpha() and unit.endswith("s")
    return unit[:-1] if value == "1" and is_plural else unit


def _section_line(row: FormRow, state: TextState, width: int) -> Line:
    problems = state.problems(row)
    opened = row.path in state.is_open
    line: Line = ((f" {'▾' if opened else '▸'} ", "key"), (row.label, "title"))
    if problems:
        line = (*line, (f"  ✗ {len(problems)}", state.bad))
    elif not opened and row.path != (TOP,) and state.changed(row.path):
        line = (*line, ("  ●", "warn"))
    return (*line, (f"  {crop_text(row.doc, max(width - len(row.label) - 10, 0))}", "faint")) if not opened else line


def _value(row: FormRow) -> tuple[str, str]:
    """As written, else the default, dimmed."""
    if row.kind == "element":
        return clean(row.summary), "" if row.component == "reward" else "muted"
    if row.kind == "group":
        return "", ""
    if row.written is not None:
        return clean(" ".join(row.written.split())), "strong"
    return (default_words(row.entry.default) if row.entry and row.entry.default else formatting.UNKNOWN), "faint"


def details(row: FormRow | None, state: TextState, reference: Reference, width: int) -> list[Line]:
    """What the focused row means, what it may be, what it was."""
    if row is None:
        return []
    key = row.label if row.kind == "section" else show_key(row.path)
    lines: list[Line] = [*wrap(key, width, "title")]
    for problem in state.problems(row):
        lines += wrap(f"✗ {problem}", width, state.bad)
    lines += wrap(row.doc, width) if row.doc else []
    lines += [(), *_facts(row, state, width)]
    known = reference.component(row.component, _name(row))
    if known is not None and row.kind != "add":
        lines += [(), *component_lines(known, width, with_doc=row.kind == "field")]
    return lines


def _name(row: FormRow) -> str:
    if row.kind == "element":
        return row.label
    return row.shown_text.strip('"')


def _facts(row: FormRow, state: TextState, width: int) -> list[Line]:
    entry, was = row.entry, raw_value(state.saved, row.path)
    facts: list[tuple[str, str]] = []
    if entry is not None and row.kind == "field":
        facts += [("takes", ", ".join(filter(None, (entry.type, entry.range, entry.unit))))]
        facts += [("default", default_words(entry.default))] if entry.default else []
    if row.kind in ("field", "element") and state.changed(row.path):
        facts += [("in the file", f"{was if was is not None else 'not written'}")]
    lines: list[Line] = []
    for name, text in facts:
        rows = wrap(text, max(width - 13, 8))
        lines += [((f"{name if not index else '':<13}", "muted"), *line) for index, line in enumerate(rows)]
    return lines


def component_lines(known: Registered, width: int, *, with_doc: bool = True) -> list[Line]:
    """What a registered component does, and its parameters."""
    about = known.category + (", costs" if known.sign == -1 else "")
    lines: list[Line] = [((known.name, "strong"), (f"  {about}" if about else "", "muted"))]
    lines += wrap(known.doc, width) if with_doc else []
    for entry in known.parameters:
        default = f" = {entry.default}" if entry.default else ""
        lines.append((("  ", ""), (crop_text(f"{entry.key}{default}", width - 2), "key")))
        lines += [(("    ", ""), *row) for row in wrap(_sentence(entry), width - 4, "muted")]
    return lines


def _sentence(entry: KeyReference) -> str:
    limits = ", ".join(filter(None, (entry.range, entry.unit)))
    return f"{entry.doc} ({limits})" if limits else entry.doc


def verdict_lines(state: TextState, width: int, above: Sequence[ProfileProblem] = ()) -> list[Line]:
    """All mistakes, or that there are none, then what is odd. above: shown already."""
    if state.now.problem:
        return [*wrap(f"✗ not TOML: {state.now.problem}", width, "bad")]
    lines: list[Line] = [text_line("◌ being checked …", "muted")] if state.checking or state.check is None else []
    if state.check is None:
        return lines
    if state.check.valid:
        lines += [] if state.checking else [text_line("✓ valid", "good")]
    elif state.errors:
        lines += [text_line(f"✗ {formatting.plural(len(state.errors), 'mistake')}", state.bad)]
        for problem in [each for each in state.errors if each not in above][:MOST_PROBLEMS]:
            lines += wrap(f"✗ {problem}", width, state.bad)
        lines += (
            wrap("the launcher trains it all the same, after asking", width, "muted") if state.check.forcible else []
        )
    for warning in state.check.warnings:
        lines += wrap(f"! {warning}", width, "warn")
    return lines


def side_lines(
    row: FormRow | None, state: TextState, reference: Reference, width: int, trouble: str = "", typed_problem: str = ""
) -> list[Line]:
    """The row under the cursor explained, then all mistakes. trouble: why the keys are not known; typed_problem: why what
    stands in the line is no value: a verdict would be on the text without it.
    """
    lines: list[Line] = [text_line(trouble, "bad")] if trouble else []
    about = details(row, state, reference, width)
    if typed_problem:
        return [*lines, *wrap(f"✗ {typed_problem}", width, "bad"), (), *about]
    above = state.problems(row) if row else []
    return [*lines, *about, *([()] if lines or about else []), *verdict_lines(state, width, above)]


def title_line(name: str, place: str, state: TextState, changes: int, width: int) -> Line:
    """The profile and where it comes from; how it stands at the right, which never gives way."""
    status: Line = ((f"● {formatting.plural(changes, 'change')}  ", "warn"),) if changes else ()
    if state.now.problem:
        status = (*status, ("✗ not TOML ", "bad"))
    elif state.checking or state.check is None:
        status = (*status, ("◌ checking ", "muted"))
    elif state.check.valid:
        status = (*status, ("✓ valid ", "good"))
    else:
        status = (*status, (f"✗ {formatting.plural(len(state.errors), 'mistake')} ", "bad"))
    about: Line = ((" rltui ", "pill-busy"), (f"  {clean(name)}", "title"), (f"  {clean(place)}", "muted"))
    return ends(crop(about, max(width - width_of(status) - 2, 8)), status, width)


def by_line(problems: Iterable[ProfileProblem]) -> Mapping[int, ProfileProblem]:
    """The first mistake of each line."""
    found: dict[int, ProfileProblem] = {}
    for problem in problems:
        if problem.line:
            found.setdefault(problem.line, problem)
    return found
