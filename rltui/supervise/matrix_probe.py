"""Process that times the matrix kernel which OpenBLAS has here, on a policy's products. Run as a script, for its imports
are a few: it is started once for each kernel.

Writes the kernel's name ("none" without OpenBLAS) and how far its results are off, then for every line read the seconds
of a forward pass.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import sys
import timeit
from pathlib import Path

import numpy as np

ROWS, SIZES, REPEATS = (64, 128), (92, 256, 256, 256, 90), 3  # as DiscretePolicy multiplies
NAMES = [f"{scipy}openblas_get_corename{wide}" for scipy in ("", "scipy_") for wide in ("", "64_")]


def main() -> None:
    random = np.random.default_rng(0)
    shapes = list(itertools.pairwise(SIZES))
    matrices = [random.standard_normal((n + 1, m), np.float32) / np.float32(n**0.5) for n, m in shapes]
    buffers = {rows: [np.ones((rows, size + 1), np.float32) for size in SIZES] for rows in (1, 7, *ROWS)}

    def multiply(rows: int) -> None:
        for x, matrix, y in zip(buffers[rows], matrices, buffers[rows][1:]):  # noqa: B905 - an array more
            np.matmul(x, matrix, out=y[:, :-1])

    def best(rows: int) -> float:
        return min(timeit.repeat(lambda: multiply(rows), number=1, repeat=REPEATS))

    error = 0.0
    for rows, (first, *_, last) in buffers.items():
        first[:, :-1] = random.standard_normal((rows, SIZES[0]))
        multiply(rows)
        exact = first.astype(np.float64)
        for matrix in matrices:
            exact = np.column_stack([exact @ matrix, np.ones(rows)])
        error = max(error, float(np.abs(last - exact).max() / np.abs(exact).max()))
    print(corename() or "none", error, flush=True)
    for _ in sys.stdin:
        print(sum(map(best, ROWS)), flush=True)


def corename() -> str:
    """OpenBLAS's name of the kernel that it uses; "" where NumPy is without it."""
    extensions = [module.__file__ for name, module in sys.modules.items() if name.endswith("._multiarray_umath")]
    bundled = Path(np.__file__).parents[1].glob("numpy.libs/*openblas*")
    for place in (*extensions, *bundled):  # an extension's names are also those of the libraries that it needs
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(str(place))
            for name in NAMES:
                if (function := getattr(library, name, None)) is not None:
                    function.restype = ctypes.c_char_p
                    return str(function().decode())
    return ""


if __name__ == "__main__":
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # an instruction that this processor lacks is an answer
    main()
