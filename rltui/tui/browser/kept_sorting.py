"""The order of the browser's table, kept from one time that it is open to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rltui.tui.browser.state_table import Sorting


@dataclass(slots=True)
class KeptSorting:
    """order: as it was last sorted; None: not yet."""

    order: Sorting | None = None
