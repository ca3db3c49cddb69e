"""Reading torch files that anybody may have written: looked through before torch's own restricted unpickler sees them.

A torch file is a zip with a pickle (`…/data.pkl`) and raw storages. Two locks, one behind the other: here, the zip may
hold only what torch.save writes, and the pickle may name only what a dictionary of plain tensors needs; then
`torch.load(weights_only=True)`, which never calls what it does not know.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
import zipfile

import torch

from rltui.errors import RltuiError

_MEMBERS = re.compile(
    r"[^/]+/(data\.pkl|version|byteorder|data/\d+|\.data/serialization_id|\.format_version|\.storage_alignment)"
)
_GLOBALS = frozenset(
    [
        ("collections", "OrderedDict"),
        ("torch._utils", "_rebuild_tensor_v2"),
        *(("torch", f"{kind}Storage") for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int")),
    ]
)
_CALLS_BY_NAME = frozenset(["INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "STACK_GLOBAL"])
_HINT = "choose another checkpoint; files of rltui and rlgym-ppo hold tensors and numbers, nothing that runs"


def load_tensors(name: str, data: bytes) -> object:
    """What torch.save wrote, on the CPU. RltuiError names the file and why it was refused; nothing in it is ever run."""
    try:
        _check_zip(data)
    except Exception as error:  # a damaged or hostile file can raise anything in zipfile and pickletools
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RltuiError(f"{name}: refused: {reason}", _HINT) from error
    try:
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # the same of torch; its message is a page for programmers, kept as the cause
        raise RltuiError(f"{name}: refused by torch.load(weights_only=True)", _HINT) from error


def _check_zip(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if len(set(names)) != len(names) or len({name.partition("/")[0] for name in names}) > 1:
            raise pickle.UnpicklingError("a member twice, or more than one folder inside")
        for member in members:
            if not _MEMBERS.fullmatch(member.filename):
                raise pickle.UnpicklingError(f"unexpected member {member.filename!r:.80}")
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
                raise pickle.UnpicklingError(f"member {member.filename!r:.80} is compressed or encrypted")
        pickles = [name for name in names if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise pickle.UnpicklingError("no data.pkl: not a file of torch.save")
        _check_pickle(archive.read(pickles[0]))


def _check_pickle(data: bytes) -> None:
    """Every global is one of ours, and no opcode calls or imports by another way."""
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name == "GLOBAL":
            module, _, attribute = str(argument).partition(" ")
            if (module, attribute) not in _GLOBALS:
                raise pickle.UnpicklingError(f"it wants {module}.{attribute}"[:120])
        elif opcode.name in _CALLS_BY_NAME:
            raise pickle.UnpicklingError(f"it uses {opcode.name}, which torch.save does not write")
