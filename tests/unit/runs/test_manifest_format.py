from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from rltui.runs import checkpoint
from rltui.runs.checkpoint import write_checkpoint

FILES = {"PPO_POLICY.pt": b"policy", "meta.json": b"{}"}


def test_the_text_by_hand() -> None:
    lines = (
        hashlib.sha256(b"policy").hexdigest()
        + "  PPO_POLICY.pt\n"
        + hashlib.sha256(b"{}").hexdigest()
        + "  meta.json\n"
    )
    last = hashlib.sha256(lines.encode()).hexdigest() + "  sizes 6 2\n"
    text = checkpoint.render_manifest(checkpoint.manifest_of(FILES))
    assert text == (lines + last).encode()
    assert checkpoint.parse_manifest(text) == checkpoint.manifest_of(FILES)


def test_sha256sum_agrees(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "1", FILES)
    check = "head -n -1 manifest.sha256 | sha256sum -c --strict && head -n -1 manifest.sha256 | sha256sum"
    done = subprocess.run(["sh", "-c", check], cwd=tmp_path / "1", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.splitlines()[-1].split()[0]
        == (tmp_path / "1/manifest.sha256").read_text().splitlines()[-1].split()[0]
    )


def test_names_that_could_leave_the_folder_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["../x", "a/b", "", ".hidden", "manifest.sha256", "a b", "a\n", "/etc/passwd", "-"]
    for name in cases:
        with subtests.test(name=name), pytest.raises(ValueError, match="cannot be a file of a checkpoint"):
            checkpoint.manifest_of({name: b""})


def test_nothing_is_no_checkpoint() -> None:
    with pytest.raises(ValueError, match="cannot be empty"):
        checkpoint.manifest_of({})


def test_a_forged_manifest_cannot_name_a_file_outside(subtests: pytest.Subtests) -> None:
    for name in ["../../escape", "/etc/hostname", ".x", "a/b"]:
        with subtests.test(name=name):
            entry = checkpoint.ManifestEntry(checkpoint.sha256(b""), 0)
            with pytest.raises(ValueError, match="outside"):
                checkpoint.parse_manifest(checkpoint.render_manifest({name: entry}))


def test_what_is_no_manifest(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"", b"\n", b"\xff\xfe", b"hello", b"\x80\x04N.", b"0" * 64, b"0" * 64 + b"  sizes \n"]
    for content in cases:
        with subtests.test(content=repr(content)), pytest.raises(ValueError, match=r"damaged|not text|match"):
            checkpoint.parse_manifest(content)


def test_every_cut_is_found() -> None:
    text = checkpoint.render_manifest(checkpoint.manifest_of(FILES))
    for length in range(len(text)):
        with pytest.raises(ValueError, match=r"damaged|match"):
            checkpoint.parse_manifest(text[:length])


def test_a_line_twice_is_found() -> None:
    text = checkpoint.render_manifest(checkpoint.manifest_of({"a": b"1"}))
    line, last = text.splitlines(keepends=True)
    with pytest.raises(ValueError, match="last line"):
        checkpoint.parse_manifest(line + line + last)
