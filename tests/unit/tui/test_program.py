"""How many heaps the C library has made, as it tells itself, with threads that all hold memory at once."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

COUNT = """
import ctypes, re, sys, tempfile, threading
from rltui.tui.program import use_one_heap
if sys.argv[1] == "one":
    use_one_heap()
library = ctypes.CDLL(None)
library.malloc.restype, library.fopen.restype = ctypes.c_void_p, ctypes.c_void_p
together = threading.Barrier(5)
def hold():
    together.wait()
    for _ in range(100):
        library.malloc(ctypes.c_size_t(2000))
    together.wait()
threads = [threading.Thread(target=hold) for _ in range(4)]
for thread in threads:
    thread.start()
together.wait()
together.wait()
with tempfile.NamedTemporaryFile("r") as told:
    file = ctypes.c_void_p(library.fopen(told.name.encode(), b"w"))
    library.malloc_info(0, file)
    library.fclose(file)
    print(len(re.findall("<heap nr=", told.read())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_threads_share_one_heap() -> None:
    heaps = {
        how: int(subprocess.run([sys.executable, "-c", COUNT, how], capture_output=True, text=True, check=True).stdout)
        for how in ("one", "many")
    }

    assert heaps["one"] == 1
    assert heaps["many"] > 1  # else the count tells nothing
