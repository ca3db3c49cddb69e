"""Stage: where acts on saved states are played: dialogs, threads, words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rltui.errors import RltuiError
from rltui.tui.browser.messages import ActDone

if TYPE_CHECKING:
    from textual.screen import Screen

    from rltui.tui.screens.typed_dialog import TypedDialog


class Stage:
    """On a screen, which gets ActDone when the work is over. readonly: nothing may be changed."""

    def __init__(self, screen: Screen[None], *, readonly: bool) -> None:
        self._screen, self._readonly = screen, readonly

    def may_act(self) -> bool:
        """Says why not where it may not."""
        if self._readonly:
            self.complain("this is a view to look only", "start rltui without --readonly to change anything")
        return not self._readonly

    def ask(self, dialog: TypedDialog, then: Callable[[str | None], None]) -> None:
        """Show the dialog; `then` gets its answer."""
        self._screen.app.push_screen(dialog, then)

    def work(self, work: Callable[[], str]) -> None:
        """Call it in a thread; its words, or its RltuiError, come as ActDone."""

        def in_thread() -> None:
            try:
                self._screen.post_message(ActDone(work()))
            except RltuiError as error:
                self._screen.post_message(ActDone("", error))
            except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
                self._screen.post_message(ActDone("", RltuiError(f"{type(error).__name__}: {error}")))

        self._screen.run_worker(in_thread, thread=True, exit_on_error=False)

    def complain(self, words: str, hint: str = "") -> None:
        """Say why something is not done."""
        head, _, rest = words.partition("\n")
        text = "\n".join(part for part in (rest, hint) if part)
        self._screen.notify(text or head, title=head if text else "", severity="warning", timeout=8)
