"""manifest.sha256: what a checkpoint consists of.

One line a file, `<sha256>  <name>` as sha256sum writes them. The last line hashes the lines above it and gives the
files' sizes in their order, so that a cut file is found without reading any: `<sha256>  sizes 1024 2048`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

NAME = "manifest.sha256"
LARGEST = 1 << 20  # bytes; a longer one is not ours

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


@dataclass(frozen=True)
class Entry:
    """One file of a checkpoint."""

    sha256: str  # hex
    size: int  # bytes


def sha256(content: bytes) -> str:
    """Hex digest."""
    return hashlib.sha256(content).hexdigest()


def of_files(files: Mapping[str, bytes]) -> dict[str, Entry]:
    """The entries of files in memory. ValueError for no files, and a name that could leave its folder or is this one's."""
    if not files:
        raise ValueError("a checkpoint cannot be empty")
    for name in files:
        if not _FILE_NAME.fullmatch(name) or name == NAME:
            raise ValueError(f"{name!r} cannot be a file of a checkpoint")
    return {name: Entry(sha256(content), len(content)) for name, content in files.items()}


def render(entries: Mapping[str, Entry]) -> bytes:
    """The manifest's text."""
    lines = "".join(f"{entry.sha256}  {name}\n" for name, entry in entries.items()).encode()
    sizes = " ".join(str(entry.size) for entry in entries.values())
    return lines + f"{sha256(lines)}  sizes {sizes}\n".encode()


def parse(content: bytes) -> dict[str, Entry]:
    """The entries by name. ValueError, with the reason, for anything that `render` would not write."""
    try:
        *lines, last = [_split(line) for line in content.decode("ascii").splitlines()]
    except UnicodeDecodeError:
        raise ValueError("is not text") from None
    except ValueError:
        raise ValueError("is cut or damaged") from None
    word, *sizes = last[1].split(" ")
    if word != "sizes" or len(sizes) != len(lines) or not all(size.isdigit() for size in sizes):
        raise ValueError("has no last line: it is cut or damaged")
    entries = {name: Entry(digest, int(size)) for (digest, name), size in zip(lines, sizes, strict=True)}
    if render(entries) != content:
        raise ValueError("does not match the hash in its last line")
    if not all(_FILE_NAME.fullmatch(name) for name in entries):
        raise ValueError("names a file outside the checkpoint")
    return entries


def _split(line: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    return match[1], match[2]
