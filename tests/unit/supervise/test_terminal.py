"""What Windows' console has in the place of a terminal; the Unix parts are driven on pseudo-terminals by tests/processes."""

from __future__ import annotations

from rltui.supervise.terminal import GONE, ConsoleKeyboard, NoTerminal


class Console:
    """msvcrt: what is typed next."""

    def __init__(self, *keys: str) -> None:
        self.keys = list(keys)

    def kbhit(self) -> bool:
        return bool(self.keys)

    def getwch(self) -> str:
        return self.keys.pop(0)


def test_keys_of_a_console_come_in_order_without_the_two_parts_of_an_arrow() -> None:
    console = Console("q", "\xe0", "H", " ", "\x00", ";", GONE)
    keyboard = ConsoleKeyboard(console.kbhit, console.getwch)
    assert keyboard.pressed() == "", "nothing is read before it begins"
    with keyboard:
        assert keyboard.pressed() == f"q {GONE}"
        assert keyboard.pressed() == ""
        console.keys = ["v"]
    assert keyboard.pressed() == "", "nor after its end"


def test_a_console_has_no_modes_to_give_back() -> None:
    terminal = NoTerminal()
    terminal.restore()
    assert not terminal.known
