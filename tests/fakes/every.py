"""One check over many cases, within one test: all that fail are reported, each with its case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def every(cases: Iterable[Case], check: Callable[[Case], object], label: Callable[[Case], object] = repr) -> None:
    """ExceptionGroup of the failures. For tests that Hypothesis calls many times, which cannot use `subtests`."""
    failures: list[Exception] = []
    for case in cases:
        try:
            check(case)
        except Exception as error:
            error.add_note(f"case: {label(case)}")
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} cases fail", failures)
