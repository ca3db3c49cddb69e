"""Whatever lies in the place of any file that the program reads: nothing is waited for, nothing passes in silence."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from rltui import registry, safe_io
from rltui.actions.table import ActionTable
from rltui.actions.user_tables import table_in_file
from rltui.errors import RltuiError
from rltui.league.games import Game, append
from rltui.league.games import read as read_games
from rltui.learn.checkpoint_files import load_tensors
from rltui.policy.saved import load_policy
from rltui.profile import load, save
from rltui.profile.changes import saved_changes
from rltui.profile.curriculum import _content
from rltui.profile.locate import ProfileFile
from rltui.run_state.reader import RunFiles
from rltui.run_state.snapshot import LeftAt
from rltui.runs import checkpoint, meta
from rltui.runs.best import read_ratings
from rltui.runs.inventory import change_mark, list_checkpoints, read_marks
from rltui.runs.journal import JournalWriter, read_end, read_start
from rltui.runs.journal_cache import CachedJournal
from rltui.runs.lock import RunLock, check_writable, lock_holder
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_run
from rltui.runs.trash import ENTRY, list_trash
from rltui.sim import meshes, recorded_states
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient
from rltui.supervise.processes import ManagedProcess
from rltui.supervise.sockets import SocketAddress, SocketListener
from rltui.tui import settings as ui_toml
from rltui.tui.browser.library import LibraryReader
from rltui.tui.checks.doctor import Measurements
from rltui.tui.checks.results import content_key
from rltui.tui.launcher.catalog import read_profile
from rltui.tui.notifications import Hooks, Notice
from rltui.view.recording import Recording
from tests.fakes.odd_files import CONTENT, ENOUGH, KINDS, TOO_MUCH, as_nobody, at_once, little_work
from tests.fakes.saved_runs import make_run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes, devices, links")
ALL = frozenset(KINDS)
RUN = "data/runs/alpha"
CHECKPOINT = "data/checkpoints/alpha/1000"


@dataclass(frozen=True)
class Place:
    """A file that is read. use: what becomes of it, in words; in a data folder with one run.

    silent: kinds of which nothing needs to be said, because the file only informs, is made anew, or its content is not read.
    """

    path: str
    use: Callable[[Path], str]
    silent: frozenset[str] = frozenset()


def refusal(use: Callable[[], object]) -> str:
    """Why it does not work: message and what to do. Empty where it does."""
    try:
        use()
    except RltuiError as error:
        assert error.hint, "what to do"
        return error.message
    return ""


def data(path: Path) -> DataDir:
    return DataDir(next(parent for parent in path.parents if parent.name == "data"))


def settings(path: Path) -> str:
    return "\n".join(map(str, ui_toml.load(path).problems))


def form(path: Path) -> str:
    """The form reads the text, and then judges it."""
    refused = refusal(lambda: save.read_text(path))
    return refused or "\n".join(map(str, load.read_text(save.read_text(path).encode(), path).problems))


def component(path: Path) -> str:
    return refusal(lambda: registry.resolve("reward", f"{path}:Mine"))


def table(path: Path) -> str:
    return refusal(lambda: table_in_file(path)(ActionTable.Params()).rows())


def net(path: Path) -> str:
    """As one of rlgym-ppo's folder."""
    try:
        content = safe_io.read_bytes(path, 1 << 30)
    except OSError as error:
        return f"{path.name}: {safe_io.reason(error)}"
    return refusal(lambda: load_tensors(path.name, content))


def journal(path: Path) -> str:
    """As lists tell it; whoever attaches hears the same, or reads nothing."""
    paths = data(path).run("alpha")
    read_start(path), read_end(path)
    attached = refusal(lambda: list(RunFiles(paths, connect=ControlClient).journal().poll()))
    note = describe_run(paths).note
    assert not attached or attached.split(":")[0] in note
    return note


def journal_of_a_trainer(path: Path) -> str:
    """The writer's own word is the system's; before it a trainer asks whether it may write here."""
    refused = refusal(lambda: check_writable(data(path), "alpha"))
    try:
        JournalWriter(path).close()
    except OSError as error:
        assert refused, error
    return refused


def games_log(path: Path) -> str:
    """Who reads it hears of whatever is no game, but for empty lines; who writes leaves what is no file alone."""
    found = read_games(path)
    assert found.games == ()
    if not path.is_file() and not path.is_symlink():
        with pytest.raises(OSError, match=r"it is a"):
            append(path, Game(1.7e9, 300.0, "rule", "idle", 1, 0, 1))
    told = "\n".join(found.notices())
    assert told or not path.read_bytes().strip()
    return told or path.name


def left(path: Path) -> str:
    """It only informs."""
    run = RunFiles(data(path).run("alpha"), connect=ControlClient)
    run.left_at()
    run.leave(LeftAt(1.0, 2, 3))
    assert run.left_at() in (LeftAt(1.0, 2, 3), None)
    return ""


def lock(path: Path) -> str:
    paths = data(path).run("alpha")
    lock_holder(paths)

    def train() -> None:
        with RunLock(paths):
            pass

    return refusal(train)


def holder_of(path: Path) -> str:
    """Who trains is then unknown, and said to be."""
    paths = data(path).run("alpha")
    with paths.lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = str(lock_holder(paths))
    assert "pid unknown" in found
    return f"{path.name}: {found}"


def address(path: Path) -> str:
    return refusal(lambda: ControlClient().connect(data(path).run("alpha")))


def listening(path: Path) -> SocketAddress:
    return SocketAddress("AF_UNIX", str(path), os.getpid(), sockets.socket.gethostname())


def control(path: Path) -> str:
    """A client comes to what is no trainer."""
    paths = DataDir(path.parent / "data").run("alpha")
    paths.folder.mkdir(parents=True)
    sockets.write(paths.socket_file, listening(path))
    return f"{path.name}: {refusal(lambda: ControlClient().connect(paths))}"


def listen(path: Path) -> str:
    """What cannot be a living trainer gives way; what cannot be moved is said."""
    return refusal(lambda: SocketListener(listening(path)).close())


def marks(path: Path) -> str:
    paths = data(path).run("alpha")
    told = refusal(lambda: change_mark(paths, "Phase1-A/005M", lambda mark: mark))
    assert told == refusal(lambda: read_marks(paths))
    return told


def damage(path: Path) -> str:
    return "\n".join(info.damage or "" for info in list_checkpoints(data(path).run("alpha")))


def trash(path: Path) -> str:
    assert list_trash(data(path)) == []
    *_, library = LibraryReader(data(path)).read()
    return "\n".join(entry.damage or "" for entry in library.entries)


def process(path: Path) -> str:
    """Its output goes there; the last lines are read again."""
    child = ManagedProcess("child", [sys.executable, "-S", "-c", ""], path)

    def run() -> None:
        child.start()
        child.wait(10.0)

    told = refusal(run)
    safe_io.tail(path)
    return told


def hook(path: Path) -> str:
    """The kind that can be a script has the right to run."""
    if path.is_file() and os.geteuid() == 0:
        path.chmod(0o755)
    told, done = [""], threading.Event()
    hooks = Hooks([str(path)], 5.0, lambda text: (told.append(text), done.set())[1])
    hooks.run(Notice("failed", "alpha", "Title", "Text", 1_700_000_000.0, 4096))
    assert done.wait(5.0)
    return told[-1]


def speeds(path: Path) -> str:
    return str(Measurements(path.parent).get("digest") or "")


def mesh(path: Path) -> str:
    for number in range(meshes.MESH_FILES - 1):
        (path.parent / f"other_{number}.cmf").write_bytes(b"")
    return refusal(lambda: meshes.check(path.parent.parent))


PLACES = {
    "settings": Place("ui.toml", settings),
    "settings, written": Place("ui.toml", lambda path: refusal(lambda: ui_toml.save_layout(path, {}, {}, "dark"))),
    "profile": Place("my.toml", lambda path: "\n".join(map(str, load.read(path).problems))),
    "profile in the form": Place("my.toml", form),
    "profile, written": Place(
        "my.toml", lambda path: refusal(lambda: save.save_text(path, "x", save.read_text(path))), frozenset({"a NUL"})
    ),
    "profile in the launcher": Place("my.toml", lambda path: read_profile(ProfileFile("my", path, False)).description, ALL),
    "profile's hash": Place("my.toml", lambda path: content_key(path)[:0], ALL),
    "profile of a saved state": Place("my.toml", lambda path: str(saved_changes(path, path))),
    "component": Place("mine.py", component),
    "component's hash": Place("mine.py", lambda path: str(_content(path) or b"")[:0], ALL),
    "table of numbers": Place("mine.csv", table),
    "table as an array": Place("mine.npy", table),
    "recording": Place("match.npz", lambda path: refusal(lambda: Recording(path))),
    "states to begin from": Place("match.npz", lambda path: refusal(lambda: recorded_states.load(path))),
    "policy": Place("policy.npz", lambda path: refusal(lambda: load_policy(path))),
    "net": Place("PPO_POLICY.pt", net),
    "mesh": Place("soccar/one.cmf", mesh),
    "journal": Place(f"{RUN}/journal.jsonl", journal),
    "journal, written": Place(f"{RUN}/journal.jsonl", journal_of_a_trainer, CONTENT | {"two gigabytes"}),
    "cache of the journal": Place(f"{RUN}/journal.cache", lambda path: str(CachedJournal(data(path).run("alpha").journal).poll())[:0], ALL),
    "output": Place(f"{RUN}/trainer.log", process, CONTENT | {"two gigabytes"}),
    "lock": Place(f"{RUN}/lock", lock, CONTENT | {"two gigabytes"}),
    "who holds the lock": Place(f"{RUN}/lock.json", holder_of),
    "games": Place("data/games.csv", games_log),
    "address": Place(f"{RUN}/socket.json", address),
    "when it was left": Place(f"{RUN}/left.json", left, ALL),
    "marks": Place(f"{RUN}/milestones.json", marks),
    "ratings": Place(f"{RUN}/ratings.json", lambda path: str(read_ratings(data(path).run("alpha")))[2:], ALL),
    "meta.json": Place(f"{CHECKPOINT}/{meta.NAME}", damage),
    "manifest": Place(f"{CHECKPOINT}/{checkpoint.MANIFEST}", damage),
    "nets": Place(f"{CHECKPOINT}/PPO_POLICY.pt", damage),
    "trash": Place(f"data/trash/alpha/one/{ENTRY}", trash, ALL),
    "socket": Place("a.sock", control),
    "socket, listening": Place("a.sock", listen, ALL - {"folder"}),
    "hook": Place("hook", hook),
    "speeds": Place("speed.json", speeds, ALL),
}  # fmt: skip


@contextmanager
def open_folder() -> Iterator[Path]:
    """Short, for sockets' paths, and open to others, for root is nobody to test a right with."""
    with tempfile.TemporaryDirectory(prefix="odd-") as found:
        Path(found).chmod(0o755)
        yield Path(found)


@pytest.mark.parametrize("name", PLACES)
def test_it_is_neither_waited_for_nor_passed_over_in_silence(name: str, subtests: pytest.Subtests) -> None:
    for kind in KINDS:
        with subtests.test(kind), open_folder() as folder:
            _read_what_is_odd(folder, PLACES[name], kind)


def _read_what_is_odd(folder: Path, place: Place, kind: str) -> None:
    if place.path.startswith("data/"):
        make_run(DataDir(folder / "data"), commits=1)
    path = folder / place.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    KINDS[kind](path)
    before = path.lstat()
    if kind == "not to be read":
        with as_nobody(folder), at_once():
            told = place.use(path)
    else:
        with at_once():
            told = place.use(path)
    if kind not in place.silent:
        assert path.name in told, "where"
        after = path.lstat()
        assert (after.st_ino, stat.S_IFMT(after.st_mode)) == (before.st_ino, stat.S_IFMT(before.st_mode)), "what it was"
        assert after.st_size == before.st_size


PARSED = [
    name
    for name, place in PLACES.items()
    if Path(place.path).suffix in TOO_MUCH and name not in ("profile, written", "journal, written")
]


@pytest.mark.parametrize("name", PARSED)
def test_what_is_too_much_is_refused_before_it_is_parsed(name: str, subtests: pytest.Subtests) -> None:
    place = PLACES[name]
    for kind, content in TOO_MUCH[Path(place.path).suffix].items():
        with subtests.test(kind):
            told = _told_with_little_work(place, content())
            if place.silent != ALL:
                assert Path(place.path).name in told, "where"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PARSED if PLACES[name].path.endswith(".toml")])
def test_what_is_just_not_too_much_is_little_work(name: str, subtests: pytest.Subtests) -> None:
    for kind, content in ENOUGH.items():
        with subtests.test(kind):
            _told_with_little_work(PLACES[name], content())


def _told_with_little_work(place: Place, content: bytes) -> str:
    with open_folder() as folder:
        if place.path.startswith("data/"):
            make_run(DataDir(folder / "data"), commits=1)
        path = folder / place.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        with little_work():
            return place.use(path)
