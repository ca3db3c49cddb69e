"""A data folder that cannot be written in: what is advised helps against what is wrong."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.lock import check_writable
from rltui.runs.paths import DataDir


def test_the_advice_is_of_the_kind(subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[int, str, str]] = [
        (errno.ENOSPC, "No space left on device", "make room on that disk, or choose another data folder"),
        (errno.EDQUOT, "Disk quota exceeded", "your share of that disk is used up"),
        (errno.EROFS, "Read-only file system", "have that disk mounted for writing"),
        (errno.EIO, "Input/output error", "mend that, or choose another data folder"),
        (errno.EACCES, "Permission denied (it belongs to", "the right to write there"),
    ]
    for code, words, advice in cases:
        with subtests.test(code=code, words=words):

            def refuse(path: Path, content: bytes, code: int = code) -> int:
                raise OSError(code, os.strerror(code), str(path))

            monkeypatch.setattr(Path, "write_bytes", refuse)
            with pytest.raises(RltuiError) as caught:
                check_writable(DataDir(tmp_path / "data"))
            assert caught.value.message.startswith(f"cannot write in {tmp_path / 'data'}: {words}")
            assert advice in (caught.value.hint or "") and "--data-dir DIR" in (caught.value.hint or "")
            assert ("belongs to" in caught.value.message) == (code == errno.EACCES)
