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

LONGEST_FILE_NAME, LONGEST_PATH = 255, 4_095  # bytes
SHOWN = 100  # characters of a longer text that a sentence has
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)  # no file names on Windows
LARGEST = 4 << 20  # bytes of a file that people write, or that only informs
LARGEST_SOURCE = 16 << 20  # bytes of a file with a component, or of an action table
MOST_PARTS = 2_000  # keys, values and headers of a text that people write; the longest profile shipped has 161
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
_CENTRAL = b"PK\x01\x02"  # begins the entry of each member in a zip's directory
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?>[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*+\.[ \t]*+){32}""")
ASCII = str.maketrans(
    {"×": "x", "→": "->", "–": "-", "—": "-", "−": "-", "…": "...", "·": "*", "½": "1/2", "γ": "gamma", "λ": "lambda",
     "°": " deg", "≤": "<=", "≥": ">=", "Δ": "d", "²": "^2", "“": '"', "”": '"', "‘": "'", "’": "'"}
)  # fmt: skip


def text_problem(text: str) -> str:
    """Why no file can hold that, in words; "" where one can."""
    return unwritable(text) or ("it contains a NUL character" if "\0" in text else "")


def path_problem(text: str) -> str:
    """Why nothing can lie at that path, in words; "" where something could."""
    if problem := text_problem(text) or unwritable(text, sys.getfilesystemencoding()):
        return problem
    longest = max((len(os.fsencode(part)) for part in Path(text).parts), default=0)
    if longest > LONGEST_FILE_NAME:
        return f"the name is {longest:,} bytes long; the longest allowed is {LONGEST_FILE_NAME}"
    whole = len(os.fsencode(text))
    return f"the path is {whole:,} bytes long; the longest allowed is {LONGEST_PATH:,}" if whole > LONGEST_PATH else ""


def unwritable(text: str, encoding: str = "utf-8") -> str:
    """Why it cannot be written down, in words; "" where it can."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # also of bytes that were no text when they came in
        system = sys.getfilesystemencoding()
        return f"it is not text in {system}" + ("" if system == "utf-8" else "; PYTHONUTF8=1 may help")
    return ""


def new_name_problem(name: str) -> str:
    """Why nothing new should be called so, in words: it could not be copied to every system; "" where it may be."""
    if _DEVICES.fullmatch(name):
        return "Windows reserves this name for a device"
    if name[-1:] in (" ", "."):
        return "it ends with a space or a dot, which Windows drops"
    return path_problem(name)


def path_of(text: str | os.PathLike[str]) -> Path:
    """The path that is written there, `~` expanded where that can be. The one way from text to a path."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path's raises for an unknown user


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


def is_torn(path: Path) -> bool:
    """Whether a file of lines ends inside one."""
    try:
        with open_to_read(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            return file.read(1) not in (b"", b"\n")
    except OSError:
        return False


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """All of it. OSError where it is no file, or longer than `largest` bytes."""
    with open_to_read(path) as file:
        size = _checked(os.fstat(file.fileno()), path, largest)
        content = file.read(size + 1)  # room is made for as much as may be read
        if len(content) > size:  # it grows, or is one of those that say nothing of their size
            content += file.read(largest - size)
    if len(content) > largest:
        raise _too_large(path, len(content), largest)
    return content


def read_text(path: Path, largest: int = LARGEST) -> str:
    """The same as UTF-8, line ends as they are. UnicodeDecodeError too."""
    return read_bytes(path, largest).decode("utf-8")


def check_text(text: str) -> None:
    """ValueError where a TOML text has more keys and values than anybody writes, or one of more than 32 parts.

    Counts signs, so that nothing is parsed for it: parsers need seconds and gigabytes for some texts of one megabyte.
    """
    parts = sum(map(text.count, "=[{,"))
    if parts > MOST_PARTS:
        raise ValueError(f"too many keys and values: {parts:,}; at most {MOST_PARTS:,} are allowed")
    if _LONG_KEY.search(text):
        raise ValueError("a key has more than 32 parts")


def check_archive(file: BinaryIO, most: int, largest: int) -> None:
    """ValueError where a zip has more members than `most`, or more than `largest` bytes inside. Ends at the file's start.

    Entries are counted by their first bytes, which no reader is needed for: one that lists 60,000 takes a minute.
    """
    import zipfile  # 10 ms, which who reads no archive is spared

    file.seek(0)
    entries, end = 0, b""
    while block := file.read(1 << 20):
        entries += (end + block).count(_CENTRAL)
        end = (end + block)[1 - len(_CENTRAL) :]
    if entries > most:
        raise ValueError(f"too many members: {entries:,}; at most {most:,} are allowed")
    with zipfile.ZipFile(file) as archive:
        inside = sum(member.file_size for member in archive.infolist())
    if inside > largest:
        raise ValueError(f"too large: {inside:,} bytes unpacked; at most {largest:,} are allowed")
    file.seek(0)


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
    """As Path.resolve, and the path itself for a loop of links, or where there can be nothing."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a NUL in it
        return path


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
    return OSError(errno.EFBIG, f"it is too large: {size:,} bytes; at most {largest:,} are allowed", str(path))


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


def clipped(text: str) -> str:
    """As a part of a sentence, however long it is."""
    return one_line(text) if len(text) <= SHOWN else f"{one_line(text[:SHOWN])}… ({len(text):,} characters)"


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
