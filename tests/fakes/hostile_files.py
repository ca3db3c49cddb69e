"""Files that try to run something when they are loaded: each would write the canary if it could."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch


class Reduces:
    """Unpickling this calls function(*arguments)."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


def _touch(canary: Path) -> str:
    return f"open({str(canary)!r}, 'w').close()"


def _text(value: str) -> bytes:
    """BINUNICODE."""
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def _storage(key: str, numel: int) -> bytes:
    """BINPERSID of a float storage."""
    return b"(" + _text("storage") + b"ctorch\nFloatStorage\n" + _text(key) + _text("cpu") + _int(numel) + b"tQ"


def _tensor(key: str, numel: int, hooks: bytes) -> bytes:
    """_rebuild_tensor_v2(storage, 0, (numel,), (1,), False, hooks)."""
    start = b"ctorch._utils\n_rebuild_tensor_v2\n(" + _storage(key, numel)
    return start + _int(0) + _int(numel) + b"\x85" + _int(1) + b"\x85\x89" + hooks + b"tR"


def _int(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def called(module: str, name: str, argument: str) -> bytes:
    """GLOBAL and REDUCE by hand: module.name(argument)."""
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + b"(" + _text(argument) + b"tR."


def torch_zip(pickled: bytes, folder: str = "archive", **members: bytes) -> bytes:
    """A zip as torch.save makes it, around any pickle."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", pickled)
        archive.writestr(f"{folder}/byteorder", b"little")
        archive.writestr(f"{folder}/version", b"3\n")
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def pickles(canary: Path) -> Iterator[tuple[str, bytes]]:
    """Named pickles; unpickled without a guard most of them touch the canary, the rest reach for something unsafe."""
    code = _touch(canary)
    shell = f"touch {canary}"
    calls = {
        "os.system": (os.system, shell),
        "exec": (exec, code),
        "eval": (eval, f"exec({code!r})"),
        "open": (open, str(canary), "w"),
        "touch": (Path.touch, canary),
    }
    for name, (function, *arguments) in calls.items():
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            for depth, wrap in (("top", lambda x: x), ("nested", lambda x: {"model.0.weight": [({"a": x},)]})):
                yield (
                    f"{name}, protocol {protocol}, {depth}",
                    pickle.dumps(wrap(Reduces(function, *arguments)), protocol),
                )
    by_name = {
        ("os", "system"): shell,
        ("posix", "system"): shell,
        ("nt", "system"): shell,
        ("subprocess", "getoutput"): shell,
        ("subprocess", "call"): shell,
        ("builtins", "exec"): code,
        ("__builtin__", "eval"): f"exec({code!r})",
        ("builtins", "getattr"): "os",
        ("builtins", "__import__"): "antigravity",
        ("runpy", "run_path"): str(canary),
        ("code", "interact"): code,
        ("pdb", "run"): code,
        ("timeit", "timeit"): code,
        ("cProfile", "run"): code,
        ("pickle", "loads"): code,
        ("_pickle", "loads"): code,
        ("importlib", "import_module"): "antigravity",
        ("operator", "attrgetter"): "system",
        ("webbrowser", "open"): "file:///",
        ("shutil", "rmtree"): str(canary.parent / "victim"),
        ("torch", "load"): str(canary),
        ("torch", "save"): str(canary),
        ("torch.hub", "load_state_dict_from_url"): "file:///",
        ("torch.storage", "_load_from_bytes"): "x",
        ("torch.serialization", "load"): str(canary),
        ("torch.jit", "load"): str(canary),
        ("torch.ops", "load_library"): str(canary),
        ("torch.utils.cpp_extension", "load_inline"): "x",
        ("torch._utils", "_rebuild_from_type_v2"): "x",
        ("torch._tensor", "_rebuild_from_type_v2"): "x",
        ("torch._dynamo.utils", "import_submodule"): "os",
        ("torch.fx.graph_module", "reduce_graph_module"): code,
        ("numpy", "load"): str(canary),
        ("numpy.core.multiarray", "_reconstruct"): "x",
        ("numpy.testing._private.utils", "runstring"): code,
        ("collections", "OrderedDict.__init__"): "x",
        ("_codecs", "encode"): "x",
        ("ctypes", "CDLL"): "libc.so.6",
        ("socket", "create_connection"): "x",
    }
    for (module, name), argument in by_name.items():
        yield f"{module}.{name}", called(module, name, argument)
    yield "INST", b"(" + _text(shell) + b"ios\nsystem\n."
    yield "OBJ", b"(cos\nsystem\n" + _text(shell) + b"o."
    yield "STACK_GLOBAL", b"\x80\x04" + b"\x8c\x02os\x8c\x06system\x93" + _text(shell) + b"\x85R."
    yield "STACK_GLOBAL of torch", b"\x80\x04\x8c\x05torch\x8c\x04load\x93" + _text(str(canary)) + b"\x85R."
    yield "EXT1", b"\x80\x02\x82\x01" + _text(shell) + b"\x85R."
    yield "NEWOBJ", b"\x80\x02cos\nsystem\n" + _text(shell) + b"\x85\x81."
    yield "BUILD of a class", b"\x80\x02ccollections\nOrderedDict\n}" + _text("__reduce__") + _text("x") + b"sb."
    yield "BUILD of a tensor class", b"\x80\x02ctorch\nTensor\n)\x81}" + _text("__setstate__") + _text(code) + b"sb."
    yield "persistent id that is no storage", b"\x80\x02" + _text(shell) + b"Q."
    yield "persistent id with a class", b"\x80\x02(" + _text("storage") + b"cos\nsystem\n" + _text(shell) + b"tQ."
    for name, key, numel, hooks in (
        ("a path", "../../../etc/passwd", 1, b"ccollections\nOrderedDict\n)R"),
        ("no such member", "99", 1, b"ccollections\nOrderedDict\n)R"),
        ("more numbers than there are", "0", 1 << 30, b"ccollections\nOrderedDict\n)R"),
        ("hooks that call", "0", 1, b"cos\nsystem\n" + _text(shell) + b"\x85R"),
        ("a storage inside", "0", 1, _storage("0", 1)[:-1] + b"cos\nsystem\n" + _text(shell) + b"\x85Rb"),
    ):
        yield f"nested storage: {name}", b"\x80\x02" + _tensor(key, numel, hooks) + b"."
    yield "endless memo", b"\x80\x02" + b"]q\x00" + b"h\x00a" * 2000 + b"cos\nsystem\n" + _text(shell) + b"\x85R."
    yield "after the stop", pickle.dumps({}, 2) + called("os", "system", shell)
    yield "no stop", called("os", "system", shell)[:-1]
    yield "not a pickle", os.urandom(64)
    yield "empty", b""


def files(canary: Path) -> Iterator[tuple[str, bytes]]:
    """Every pickle inside a zip, some of them bare, and zips that say one thing and hold another."""
    harmless = pickle.dumps({}, 2)
    evil = called("os", "system", f"touch {canary}")
    for name, pickled in pickles(canary):
        if name != "after the stop":
            yield f"zip: {name}", torch_zip(pickled, **{"archive/data/0": b"\x00" * 4})
    for name, pickled in [*pickles(canary)][::7]:
        yield f"bare: {name}", pickled
        yield f"legacy header: {name}", _legacy(pickled)
    yield "two data.pkl in two folders", torch_zip(harmless, **{"other/data.pkl": evil})
    yield "a member outside", torch_zip(harmless, **{"../../evil": evil})
    yield "an absolute member", torch_zip(harmless, **{"/tmp/evil": evil})
    yield "TorchScript code", torch_zip(harmless, **{"archive/code/__torch__.py": evil, "archive/constants.pkl": evil})
    yield "a storage that is a pickle", torch_zip(evil, **{"archive/data/0": evil})
    yield "a folder below", torch_zip(harmless, **{"archive/data/0/data.pkl": evil})
    yield "the name of the pickle in capitals", torch_zip(harmless, **{"archive/DATA.PKL": evil})
    yield "a zip in the zip", torch_zip(torch_zip(evil))
    yield "data.pkl twice", _twice(harmless, evil)
    yield "compressed a thousand times", _compressed(b"\x00" * 1_000_000)
    yield "a local header of another size", _bent(torch_zip(evil), b"PK\x03\x04")
    yield "a central directory of another size", _bent(torch_zip(evil), b"PK\x01\x02")
    yield "two zips behind each other", torch_zip(harmless) + torch_zip(evil)
    yield "a TorchScript module", _script()
    yield "a whole module", _whole_module()


def _legacy(pickled: bytes) -> bytes:
    """torch's format before zip: magic number, protocol, system, then the object."""
    parts = (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": {}})
    return b"".join(pickle.dumps(part, 2) for part in parts) + pickled + pickle.dumps([], 2)


def _twice(first: bytes, second: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.pkl", first)
        archive.writestr("archive/data.pk_", second)
    return out.getvalue().replace(b"data.pk_", b"data.pkl")


def _compressed(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}, 2))
        archive.writestr("archive/data/0", data)
    return out.getvalue()


def _bent(data: bytes, header: bytes) -> bytes:
    at = data.index(header) + (22 if header == b"PK\x03\x04" else 24)
    return data[:at] + struct.pack("<I", 7) + data[at + 4 :]


def _script() -> bytes:
    """A TorchScript archive as torch.jit.save lays it out (its code would run on load)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("net/data.pkl", b"\x80\x02c__torch__\nNet\n)\x81.")
        archive.writestr("net/code/__torch__.py", b"class Net(Module):\n  pass\n")
        archive.writestr("net/constants.pkl", b"\x80\x02).")
    return out.getvalue()


def _whole_module() -> bytes:
    """What torch.save(network) makes instead of its state dict: loading it would import and build classes."""
    out = io.BytesIO()
    torch.save(torch.nn.Linear(2, 2), out)
    return out.getvalue()
