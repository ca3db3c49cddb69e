"""A run's metrics in others' formats, fed by its journal: a CSV table, TensorBoard's event files, W&B."""

from __future__ import annotations

import contextlib
import csv
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TextIO, get_args

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError, in_words
from rltui.events.metrics import in_order, metric_of
from rltui.events.records import CLOCK, ITERATION, IterationFinished, RunStarted
from rltui.runs.atomic import make_folder, replace_file, temporary_name
from rltui.runs.journal import JournalTail
from rltui.runs.journal_reader import current_iterations
from rltui.runs.paths import RunPaths

Kind = Literal["csv", "tensorboard", "wandb"]
KINDS: tuple[Kind, ...] = get_args(Kind)
EVENT_FILES = "events.out.tfevents.*"  # as TensorBoard looks for them
INIT_SECONDS = 20  # that W&B may take to reach its server; then it logs offline


@dataclass(frozen=True)
class LogSpec:
    """What is logged where. place: a file (CSV) or folder (TensorBoard). project, config: of W&B."""

    kind: Kind
    paths: RunPaths
    place: Path
    project: str = ""
    config: dict[str, Any] = field(default_factory=dict)


class MetricLog(ABC):
    """A run's rows in one format, in order, none twice. `begin` writes those that the journal has, `add` a new one.

    where: in words. Whatever its library raises comes through.
    """

    where: str

    def __init__(self, history: Callable[[], Iterator[IterationFinished]]) -> None:
        self._history, self._newest = history, -1

    def begin(self) -> None:
        self._newest = -1
        self._open()
        for row in self._history():
            self._put(row)
        self._opened()

    def add(self, row: IterationFinished) -> None:
        """Nothing where `begin` has met it already."""
        if row.timesteps > self._newest:
            self._put(row)
            self._flush()

    @abstractmethod
    def close(self) -> None: ...

    def _put(self, row: IterationFinished) -> None:
        self._newest = row.timesteps
        self._write(row)

    @abstractmethod
    def _open(self) -> None: ...

    def _opened(self) -> None:
        self._flush()

    @abstractmethod
    def _write(self, row: IterationFinished) -> None: ...

    @abstractmethod
    def _flush(self) -> None: ...


def open_log(spec: LogSpec, touch: Callable[[], None] = lambda: None) -> MetricLog:
    """touch: called at each row of the history. RltuiError where what it needs is not installed."""

    def history() -> Iterator[IterationFinished]:
        for row in current_iterations(spec.paths.journal):
            touch()
            yield row

    match spec.kind:
        case "csv":
            return CsvLog(history, spec.place)
        case "tensorboard":
            return TensorBoardLog(history, spec.place)
        case "wandb":
            return WandbLog(history, spec)


def follow(log: MetricLog, journal: Path, pause: Callable[[], bool], begun: Callable[[], None]) -> None:
    """Keep the log up with the journal of a run that is being trained by this process's parent.

    pause: waits a while, and says whether the training has ended. begun: called once its history is in the log.
    """
    tail = JournalTail.at_end(journal)
    log.begin()
    begun()
    ended = False
    while not ended:
        ended = pause()
        for record in tail.rest():
            if isinstance(record, RunStarted) and record.pid != os.getppid():
                return  # a later trainer, which has a logger of its own
            if isinstance(record, IterationFinished):
                log.add(record)


def exported(row: IterationFinished) -> dict[str, float]:
    """What is known, by its name in rlgym-ppo where it has one there."""
    values = {**row.metrics, "timesteps": row.timesteps}
    return {metric_of(key).export_name: value for key, value in values.items() if value is not None}


class CsvLog(MetricLog):
    """A table with a line for each iteration. A new metric has it written anew, with one more column."""

    def __init__(self, history: Callable[[], Iterator[IterationFinished]], path: Path) -> None:
        super().__init__(history)
        self.where = str(path)
        self._path, self._temporary = path, path.with_name(temporary_name(path.name))
        self._columns: dict[str, str] = {}  # key to heading
        self._file: TextIO | None = None

    def add(self, row: IterationFinished) -> None:
        if row.timesteps > self._newest and not self._columns.keys() >= row.metrics.keys():
            self.begin()  # the journal has this row too
        else:
            super().add(row)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def _open(self) -> None:
        found = dict.fromkeys(key for row in self._history() for key in row.metrics)
        keys = ["timesteps", ITERATION, CLOCK, *in_order(list(found))]
        self._columns = {key: "time" if key == CLOCK else metric_of(key).export_name for key in keys}
        self.close()
        make_folder(self._path.parent)
        self._file = self._temporary.open("w", encoding="utf-8", newline="")
        self._cells(list(self._columns.values()))

    def _opened(self) -> None:
        assert self._file is not None
        self._file.close()
        self._temporary.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8", newline="")

    def _write(self, row: IterationFinished) -> None:
        values = {**row.columns(), "timesteps": row.timesteps}
        self._cells([values.get(key) for key in self._columns])

    def _cells(self, cells: list[Any]) -> None:
        assert self._file is not None
        csv.writer(self._file, lineterminator="\n").writerow(cells)

    def _flush(self) -> None:
        assert self._file is not None
        self._file.flush()


class TensorBoardLog(MetricLog):
    """Event files in a folder. Each start has one of its own with all rows, which takes the place of those before."""

    def __init__(self, history: Callable[[], Iterator[IterationFinished]], folder: Path) -> None:
        super().__init__(history)
        self.where = str(folder)
        self._folder = folder
        _installed("tensorboard")
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._event, self._session, self._summary, self._writer_of = Event, SessionLog, Summary, EventFileWriter
        self._writer: Any = None
        self._older: list[Path] = []

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _open(self) -> None:
        self._older = list(self._folder.glob(EVENT_FILES))
        self._writer = self._writer_of(str(self._folder))
        # who shows the file before forgets its values from this step on
        self._writer.add_event(self._event(step=0, session_log=self._session(status=self._session.START)))

    def _opened(self) -> None:
        self._flush()
        for path in self._older:
            with contextlib.suppress(OSError):
                path.unlink()

    def _write(self, row: IterationFinished) -> None:
        values = [self._summary.Value(tag=name, simple_value=value) for name, value in exported(row).items()]
        self._writer.add_event(self._event(wall_time=row.time, step=row.timesteps, summary=self._summary(value=values)))

    def _flush(self) -> None:
        self._writer.flush()


class WandbState(msgspec.Struct, frozen=True):
    """Which run of W&B is this one's, and the timesteps up to which it has its rows."""

    id: str
    project: str
    timesteps: int = -1


class WandbLog(MetricLog):
    """A run of W&B, the same at each start. It cannot take back what it has, so each step is given to it once."""

    def __init__(self, history: Callable[[], Iterator[IterationFinished]], spec: LogSpec) -> None:
        super().__init__(history)
        self._path, self._spec = spec.paths.wandb_state, spec
        os.environ.setdefault("WANDB_SILENT", "true")
        self._wandb = _installed("wandb")
        self._state = self._known()
        self._save()
        self._run, reason = self._started()
        self._run.config.update(spec.config, allow_val_change=True)
        folder = spec.paths.folder / "wandb"
        offline = f"{folder}, offline{reason}; to send it: wandb sync --id {self._state.id} {folder}/offline-run-*"
        self.where = f"W&B: {self._run.url or offline}"

    def close(self) -> None:
        self._run.finish()

    def _open(self) -> None:
        """It is open since it was made."""

    def _write(self, row: IterationFinished) -> None:
        if row.timesteps > self._state.timesteps:
            self._run.log(exported(row), step=row.timesteps)
            self._state = msgspec.structs.replace(self._state, timesteps=row.timesteps)

    def _flush(self) -> None:
        self._save()

    def _started(self) -> tuple[Any, str]:
        """A run of W&B, and why it is offline."""
        if os.environ.get("WANDB_MODE"):
            return self._init(), ""
        try:
            return self._init(mode="online"), ""
        except Exception as error:  # no login, no network, a server that fails: all of its own classes
            self._wandb.teardown()  # else its service holds the run as being in use
            return self._init(mode="offline"), f" ({in_words(error)})"

    def _init(self, **mode: str) -> Any:
        return self._wandb.init(
            project=self._spec.project,
            id=self._state.id,
            name=self._spec.paths.name,
            resume="allow",
            dir=str(self._spec.paths.folder),
            settings=self._wandb.Settings(init_timeout=INIT_SECONDS, console="off", silent=True),
            **mode,
        )

    def _known(self) -> WandbState:
        """What the starts before have left; a new one of another project."""
        new = WandbState(secrets.token_hex(4), self._spec.project)
        try:
            found = msgspec.json.decode(safe_io.read_bytes(self._path), type=WandbState)
        except (OSError, msgspec.DecodeError):
            return new
        return found if found.project == new.project else new

    def _save(self) -> None:
        replace_file(self._path, msgspec.json.encode(self._state))


def _installed(module: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise RltuiError(f"{module} is not installed ({error})", f'install it: pip install -e ".[{module}]"') from error
