"""Open what should be a file and may be a pipe, a device, a folder or huge; print on terminals that know only ASCII.

Whatever the program reads or goes on writing at a path that somebody else could have put something at, it opens here: so
nothing there is waited for, and what is there instead is named in the error.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, TypeVar

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


Read = TypeVar("Read", int, bytes)

LARGEST = 16 << 20  # bytes of a file that people write, or that only informs
_MANNER: int = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISDIR, "folder", errno.EISDIR),
    (stat.S_ISFIFO, "pipe", errno.EINVAL),
    (stat.S_ISSOCK, "socket", errno.EINVAL),
    (stat.S_ISCHR, "device", errno.EINVAL),
    (stat.S_ISBLK, "device", errno.EINVAL),
)
# Control characters but for tab and newline, marks and overrides of the writing direction, other line ends, halves of pairs.
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
ASCII = str.maketrans(
    {"×": "x", "→": "->", "–": "-", "—": "-", "−": "-", "…": "...", "·": "*", "½": "1/2", "γ": "gamma", "λ": "lambda",
     "°": " deg", "≤": "<=", "≥": ">=", "Δ": "d", "²": "^2", "“": '"', "”": '"', "‘": "'", "’": "'"}
)  # fmt: skip


class _Prompt(io.FileIO):
    """Some of /proc look like files and have nothing to give yet: that is an error, and not None in the place of bytes."""

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        read: int | None = super().readinto(buffer)
        return _some(read)

    def readall(self) -> bytes:
        return _some(super().readall())


def check(path: Path, largest: int | None = None) -> int:
    """The size in bytes of the file there. largest: bytes; None where any size will do.

    OSError, with words for people in `strerror`, where there is nothing, something that is no file, or a larger one.
    """
    try:
        found = path.stat()
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    return _checked(found, path, largest)


def open_descriptor(path: Path, flags: int, mode: int = 0o666) -> int:
    """As os.open, but at once whatever is there, and OSError for what is no regular file (or would not become one)."""
    try:
        check(path)  # opening a device can itself do something
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    descriptor = os.open(path, flags | _MANNER, mode)
    try:
        _checked(os.fstat(descriptor), path, None)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def open_to_read(path: Path) -> BinaryIO:
    """As open(path, "rb"), within the bounds above."""
    return buffered(open_descriptor(path, os.O_RDONLY))


def buffered(descriptor: int) -> BinaryIO:
    """To read from; BlockingIOError where it has nothing to give yet, for who expects a file does not wait."""
    return io.BufferedReader(_Prompt(descriptor, "rb"))


def open_to_append(path: Path) -> BinaryIO:
    """As open(path, "ab", buffering=0), within the bounds above."""
    return os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab", buffering=0)


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """All of it. OSError where it is no file, or longer than `largest` bytes."""
    with open_to_read(path) as file:
        _checked(os.fstat(file.fileno()), path, largest)
        content = file.read(largest + 1)
    if len(content) > largest:
        raise _too_large(path, len(content), largest)
    return content


def read_text(path: Path, largest: int = LARGEST) -> str:
    """The same as UTF-8, line ends as they are. UnicodeDecodeError too."""
    return read_bytes(path, largest).decode("utf-8")


def tail(file: Path, lines: int = 20, limit: int = 1 << 16) -> str:
    """The last lines of a text file, of at most `limit` bytes; empty where there is none."""
    try:
        with open_to_read(file) as source:
            source.seek(max(source.seek(0, os.SEEK_END) - limit, 0))
            text = source.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def problem(path: Path, largest: int | None = None) -> str:
    """Why what is there cannot be read, in words; "" where it can, and where there is nothing. largest: as for `check`."""
    try:
        with open_to_read(path) as file:
            _checked(os.fstat(file.fileno()), path, largest)
    except FileNotFoundError:
        return "it is a link to nothing" if path.is_symlink() else ""
    except OSError as error:
        return reason(error)
    return ""


def real(path: Path) -> Path:
    """As Path.resolve, and the path itself for a loop of links, of which that raises RuntimeError."""
    return Path(os.path.realpath(path))


def reason(error: OSError | ValueError) -> str:
    """Why it could not be read, without the path, for a sentence that has it: `Permission denied`, `not text in UTF-8: …`."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"not text in UTF-8: {error.reason} at byte {error.start:,}"
    return str(error)


def _some(read: Read | None) -> Read:
    """What was read; of a file that is not blocking, None says that there is nothing yet."""
    if read is None:
        raise BlockingIOError(errno.EAGAIN, "nothing can be read from it now")
    return read


def _checked(found: os.stat_result, path: Path, largest: int | None) -> int:
    """The size; OSError as `check` has it."""
    for is_kind, name, number in _KINDS:
        if is_kind(found.st_mode):
            raise OSError(number, f"it is a {name}, not a file", str(path))
    if largest is not None and found.st_size > largest:
        raise _too_large(path, found.st_size, largest)
    return found.st_size


def _too_large(path: Path, size: int, largest: int) -> OSError:
    return OSError(errno.EFBIG, f"it is too large: {size:,} bytes, where at most {largest:,} are expected", str(path))


def say(text: str, stream: TextIO | None = None) -> None:
    """Write text and a newline; characters that the stream does not have are written in ASCII."""
    out = stream or sys.stdout
    out.write(writable(text, out.encoding or "ascii") + "\n")


def writable(text: str, encoding: str) -> str:
    """The text itself if it can be encoded, else with its common signs in ASCII and the rest as `?`.

    What a file or its name says must not act on the terminal.
    """
    text = escaped(text.replace("\r\n", "\n"))
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text


def escaped(text: str) -> str:
    """The text with what acts on a terminal written out; tabs and newlines stay."""
    return ACTS.sub(lambda found: _written(found[0]), text)


def one_line(name: object) -> str:
    """A name or path as a part of a line: tabs and newlines written out too."""
    return escaped(str(name)).replace("\t", "\\t").replace("\n", "\\n")


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
