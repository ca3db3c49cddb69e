"""ReadingKeys: what may be written in a profile, asked of the child in a thread, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from rltui.tui.form.reference import Reference, ReferenceReader

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen


class Referenced(Message):
    """What may be written is known."""

    def __init__(self, reference: Reference) -> None:
        super().__init__()
        self.reference = reference


class ReadingKeys:
    """The form's screen hears of them by Referenced. trouble: why they are not known; empty while that may yet come."""

    def __init__(self, form: FormScreen, reader: ReferenceReader) -> None:
        self._form, self._reader = form, reader
        self.trouble = ""

    def begin(self) -> None:
        self._form.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self._form.post_message(Referenced(self._reader.read()))
        except (OSError, ValueError) as error:
            self.trouble = f"the keys could not be read: {error}"
            self._form.app.call_from_thread(self._form.show_all)
