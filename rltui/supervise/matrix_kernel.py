"""Matrix kernel of NumPy's OpenBLAS: which of its own is the fastest here, measured once per processor and NumPy.

OpenBLAS goes by the processor's name, and on some picks one that is three times slower than another of its own. Each
candidate is timed in a child, so that one that hangs, crashes or computes nonsense does no harm. The fastest is set before
NumPy is imported, and spawned children inherit it: trainer and workers round alike.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import platform
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import distribution
from pathlib import Path

import msgspec

from rltui import safe_io
from rltui.runs.atomic import replace_file
from rltui.runs.paths import cache_folder
from rltui.supervise.signals import start_session

VARIABLE = "OPENBLAS_CORETYPE"
# OpenBLAS's names; older ones win nowhere, and a build without one of these answers another name
X86 = ("Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids")
ARM = ("ARMV8", "NEOVERSEN1", "NEOVERSEV1", "NEOVERSEN2", "ARMV8SVE")
CANDIDATES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}
OWN = ""  # the library's own choice, which is timed too
PROBE = (sys.executable, "-P", str(Path(__file__).with_name("matrix_probe.py")))
BUDGET = 3.0  # seconds at most
READY_WITHIN, ANSWER_WITHIN = 0.6, 0.1  # parts of it: until the children have begun; for one answer
ROUNDS, LEAST_ROUNDS = 15, 5
MARGIN = 1.05  # times as fast as the library's own choice, else nothing is set: what is less may be chance
TOLERANCE = 1e-4  # of the largest number of a result
CPU_FIELDS = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU", "Features")  # of /proc/cpuinfo


class MatrixKernel(msgspec.Struct, frozen=True):
    """words: the kernel and why it is that one. chosen: what is set; "": nothing.

    speeds: candidate → how many times as fast as the library's own choice, a median; dropped: candidate → why not timed.
    """

    words: str
    chosen: str = ""
    speeds: dict[str, float] = {}
    dropped: dict[str, str] = {}


class _Unmeasured(Exception):
    """In words, why nothing is known of a candidate, or of all."""


def choose_kernel(folder: Path | None = None, probe: Sequence[str] = PROBE) -> MatrixKernel:
    """Set OPENBLAS_CORETYPE as was measured, now or earlier. Before NumPy is imported, for later the library has chosen.

    Raises nothing: whatever goes wrong leaves the library its own choice. folder: of the cache; None: the user's.
    """
    found = known_kernel(folder)
    if found is None:
        try:
            found = measure(probe)
            file = _file(folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, msgspec.json.encode(found))
        except Exception as error:  # no room for processes, a full disk: training needs none of this
            found = found or MatrixKernel(f"OpenBLAS's own choice: not measured, {error}")
    if found.chosen:
        os.environ[VARIABLE] = found.chosen
    return found


def known_kernel(folder: Path | None = None) -> MatrixKernel | None:
    """What holds without measuring; None where that comes first. Sets nothing."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        unsure = given and given.lower() not in map(str.lower, _candidates())
        but = f", or OpenBLAS's own choice where it knows no {given!a}" if unsure else ""
        return MatrixKernel(f"{given or 'OpenBLAS decides'}, as {VARIABLE} says{but}")
    if "numpy" in sys.modules:
        return MatrixKernel("OpenBLAS's own choice: not measured, for NumPy was in use already")
    with contextlib.suppress(Exception):  # whatever is wrong with it, it is measured anew
        found = msgspec.json.decode(safe_io.read_bytes(_file(folder)), type=MatrixKernel)
        if found.chosen in (OWN, *_candidates()) and found.words.isprintable():
            return found
    return None


def _candidates() -> tuple[str, ...]:
    """Of this machine."""
    return CANDIDATES.get(platform.machine(), ())


def measure(probe: Sequence[str] = PROBE) -> MatrixKernel:
    """Time the candidates against the library's own choice, in turn, round by round. Anything may be raised.

    probe: the command that a candidate is timed with, as matrix_probe.py.
    """
    end, dropped = time.monotonic() + BUDGET, dict[str, str]()
    ready = end - BUDGET * (1 - READY_WITHIN)
    with contextlib.ExitStack() as stack:
        names = (OWN, *_candidates())
        probes = {name: stack.enter_context(_Probe(probe, name)) for name in names}
        own = probes[OWN].core(ready)
        if own == "none":
            return MatrixKernel("NumPy's own, for it is without OpenBLAS")
        for name in names[1:]:
            try:
                core = probes[name].core(ready)
                if core.lower() != name.lower() or core == own:
                    raise _Unmeasured("the library's own choice" if core == own else "not in this OpenBLAS")
            except _Unmeasured as why:
                del probes[name]
                dropped[name] = str(why)
        rounds = list(_rounds(probes, dropped, end))
    if len(rounds) < LEAST_ROUNDS:
        raise _Unmeasured("for the machine is too busy")
    speeds = {name: statistics.median(times[OWN] / times[name] for times in rounds) for name in probes if name != OWN}
    best = max(speeds, key=speeds.__getitem__, default=OWN)
    if speeds.get(best, 0.0) < MARGIN:
        return MatrixKernel(f"{own}, OpenBLAS's own choice", "", speeds, dropped)
    words = f"{best}, {speeds[best]:.1f} × as fast as OpenBLAS's own choice, {own}"
    return MatrixKernel(words, best, speeds, dropped)


def _rounds(probes: dict[str, _Probe], dropped: dict[str, str], end: float) -> Iterator[dict[str, float]]:
    """Seconds by candidate; whole rounds alone. One that fails leaves `probes` for `dropped`."""
    for _ in range(ROUNDS):
        times = {}
        for name, probe in list(probes.items()):
            try:
                times[name] = probe.seconds(min(end, time.monotonic() + BUDGET * ANSWER_WITHIN))
            except _Unmeasured as why:
                if name == OWN or time.monotonic() >= end:
                    return
                del probes[name]
                dropped[name] = str(why)
        yield times


class _Probe:
    """Child that has one candidate. Its methods raise _Unmeasured where it does not answer `until` then."""

    def __init__(self, command: Sequence[str], name: str) -> None:
        environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
        pipe = subprocess.PIPE
        self._process = start_session(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment | ({VARIABLE: name} if name else {}),
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._asks, self._output = self._process.stdin, self._process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> _Probe:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._asks.close()

    def core(self, until: float) -> str:
        """The kernel that it has; "none" without OpenBLAS."""
        core, _, error = self._answer(until).partition(" ")
        if not _number(error) <= TOLERANCE:  # NaN too
            raise _Unmeasured("computes wrong numbers")
        return core

    def seconds(self, until: float) -> float:
        """Of a forward pass."""
        with contextlib.suppress(OSError):  # dead: it gives no answer
            self._asks.write(b"go\n")
        return _number(self._answer(until))

    def _answer(self, until: float) -> str:
        try:
            line = self._lines.get(timeout=max(until - time.monotonic(), 0.0))
        except queue.Empty:
            raise _Unmeasured("too slow") from None
        if not line:
            raise _Unmeasured("crashes here")
        return line.decode().strip()

    def _read(self) -> None:
        with self._output:
            for line in self._output:
                self._lines.put(line)
        self._lines.put(b"")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _Unmeasured(f"answers {text[:40]!r}") from None


def _file(folder: Path | None) -> Path:
    """Of this processor, NumPy and the OpenBLAS that came with it."""
    numpy = distribution("numpy")
    bundled = Path(str(numpy.locate_file("numpy.libs"))).glob("*openblas*")
    here = [platform.machine(), platform.processor(), numpy.version, *sorted(file.name for file in bundled)]
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        first = itertools.takewhile(str.strip, lines)  # of the processors, a paragraph each
        here += [line for line in first if line.startswith(CPU_FIELDS)]
    name = hashlib.sha256(repr(here).encode()).hexdigest()[:16]
    return (folder or cache_folder()) / f"kernel-{name}.json"
