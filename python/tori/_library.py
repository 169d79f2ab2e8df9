"""The shared library: found, loaded and checked once, and its errors as
exceptions. Declarations come from the C headers (declare.py); a structure that
is not as long as the library's is an error."""
from __future__ import annotations

import dataclasses
import importlib
import sys
from fractions import Fraction
from typing import (Any, Callable, NoReturn, Optional, Sequence, TypeVar,
                    Union)

from . import _tori
from ._where import LIBRARY

# A T, and None in some cases; a checker of types does not insist on looking.
T = TypeVar("T")
Maybe = Union[T, Any]

numpy: Any = None
try:
    numpy = importlib.import_module("numpy")
except ImportError:
    pass  # arrays are then memoryviews

ffi: Any = _tori.ffi

SECOND = 1_000_000  # ticks; compared with TORI_SECOND below


class Error(Exception):
    """A call of tori failed. `status` is as in tori/error.h."""

    status = 1


class Failed(Error):
    """A failure at run time: input or output, or memory."""


class Invalid(Error, ValueError):
    """A bad argument or bad input."""

    status = 2


class NotNow(Error):
    """The request does not fit now. `reason` is "numerical", "topological" or
    "wiring", where it is known."""

    status = 3
    reason: Optional[str] = None


class Never(Error):
    """The request never fits on this machine."""

    status = 4


class GaveUp(Error):
    """The search would take longer than allowed."""

    status = 5


_KINDS = {kind.status: kind for kind in (Failed, Invalid, NotNow, Never,
                                         GaveUp)}


def _load() -> Any:
    """The library that this package was built with."""
    try:
        return ffi.dlopen(LIBRARY)
    except OSError as missing:
        raise ImportError(str(missing)) from None


def check_sizes(library: Any) -> None:
    """Every structure is as long as the library's."""
    if not hasattr(library, "tori_struct_size"):
        raise ImportError("libtori is older than this package")
    for name in ffi.list_types()[0]:
        try:
            size = ffi.sizeof(name)
        except ffi.error:
            continue  # opaque
        if (ffi.typeof(name).kind != "struct"
                or not name.startswith("tori_")):
            continue
        found = library.tori_struct_size(name.encode())
        if found != size:
            raise ImportError(
                f"{name} has {size} bytes here and {found} in libtori "
                f"{text(library.tori_version())}: package and library are of "
                "different versions")
    if library.TORI_SECOND != SECOND:
        raise ImportError("libtori has another tick")


def text(chars: Any) -> Any:
    """A text of the library, or None for NULL."""
    return ffi.string(chars).decode() if chars else None


lib = _load()
check_sizes(lib)
version: str = text(lib.tori_version())


class Raised:
    """An exception in a function of the caller's, until the library's call
    that led to it has returned."""

    raised: Optional[BaseException] = None


def fail(err: Any, own: Optional[Raised] = None) -> NoReturn:
    """Raise what a call reported: the exception of a function of the caller's,
    as itself, or an error of the library."""
    if own is not None and own.raised is not None:
        raised, own.raised = own.raised, None
        raise raised
    raise _KINDS.get(err.status, Failed)(text(err.text))


def check(status: int, err: Any, own: Optional[Raised] = None) -> None:
    if status < 0:
        fail(err, own)


def made(kind: str, call: Callable[..., int], destroy: Any, *arguments: Any,
         keep: Any = None, own: Optional[Raised] = None) -> Any:
    """What a function creates, as a pointer that is destroyed in the end.
    `keep` is kept until then."""
    out = ffi.new(kind + " **")
    err = ffi.new("tori_error *")
    check(call(*arguments, out, err), err, own)
    return ffi.gc(out[0], lambda it, _keep=keep: destroy(it))


def sized(kind: str, **members: Any) -> Any:
    """A structure that begins with its size."""
    try:
        it = ffi.new(kind + " *", members)
    except KeyError as unknown:
        raise TypeError(
            f"{unknown.args[0]}: there is no such option") from None
    it.size = ffi.sizeof(kind)
    return it


def formatted(call: Callable[..., Any], *arguments: Any) -> str:
    """The text that a ..._format function writes."""
    room = ffi.new("char[]", lib.TORI_LINK_TEXT)
    call(*arguments, room)
    found: str = text(room)
    return found


def view(pointer: Any, kind: str, n: int, owner: Any) -> Any:
    """n numbers of the library as an array that cannot be written, without a
    copy; the owner lives as long as the array. A numpy array where numpy is
    there, otherwise a memoryview."""
    held = ffi.gc(pointer, lambda _it, _owner=owner: None)
    data = memoryview(ffi.buffer(held, n * ffi.sizeof(kind))).toreadonly()
    if numpy is not None:
        return numpy.frombuffer(data, dtype=kind.removesuffix("_t"))
    return data.cast({"uint32_t": "I", "uint64_t": "Q", "int64_t": "q",
                      "uint8_t": "B"}[kind])


def array_of(kind: str, n: int) -> Any:
    """A new array of n numbers that the library fills in."""
    if numpy is not None:
        return numpy.zeros(n, dtype=kind.removesuffix("_t"))
    return memoryview(bytearray(n * ffi.sizeof(kind))).cast(
        {"uint32_t": "I", "uint64_t": "Q", "int64_t": "q", "uint8_t": "B"}
        [kind])


def pointer_to(kind: str, array: Any) -> Any:
    return ffi.from_buffer(kind + "[]", array, require_writable=True)


def read_only(array: Any) -> Any:
    if numpy is None:
        return array.toreadonly()
    array.flags.writeable = False
    return array


_CODES = {"_Bool": "?", "int": "i4", "unsigned int": "u4", "double": "f8",
          "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8",
          "uint64_t": "u8", "size_t": "u8"}


def records(pointer: Any, kind: str, n: int, owner: Any) -> Any:
    """n structures of the library as a numpy array that has a field for each
    member, without a copy. It cannot be written; the owner lives as long."""
    if numpy is None:
        raise ImportError("this needs numpy: python3-numpy")
    members = ffi.typeof(kind).fields
    layout = numpy.dtype({
        "names": [name for name, _ in members],
        "formats": [_CODES["int" if it.type.kind == "enum" else it.type.cname]
                    for _, it in members],
        "offsets": [it.offset for _, it in members],
        "itemsize": ffi.sizeof(kind)})
    if n == 0:
        return numpy.zeros(0, layout)
    held = ffi.gc(pointer, lambda _it, _owner=owner: None)
    return numpy.frombuffer(memoryview(ffi.buffer(
        held, n * ffi.sizeof(kind))).toreadonly(), layout)


def value(kind: type[T], it: Any, /, **given: Any) -> T:
    """A structure as a dataclass whose fields are some of its members."""
    return kind(**{
        field.name: getattr(it, field.name)
        for field in dataclasses.fields(kind)
        if field.name not in given}, **given)


def choice(what: str, names: Sequence[str], name: str) -> int:
    """The number of a choice."""
    if name not in names:
        raise Invalid(f"{what}: {name} is none of {', '.join(names)}")
    return list(names).index(name)


# ---- exact numbers ----

Exact = Union[int, str, Fraction]


def wide(it: Any) -> int:
    """A number of 128 bits."""
    return int.from_bytes(ffi.buffer(ffi.addressof(it)), sys.byteorder,
                          signed=True)


def fraction(it: Any) -> Fraction:
    """A tori_exact."""
    return Fraction(wide(it.num), wide(it.den))


def fill_exact(to: Any, number: Exact) -> None:
    """Write a number to a tori_exact. Nothing is ever rounded."""
    exact = Fraction(number)
    for half, part in ((to.num, exact.numerator), (to.den, exact.denominator)):
        try:
            ffi.memmove(ffi.addressof(half),
                        part.to_bytes(16, sys.byteorder, signed=True), 16)
        except OverflowError:
            raise Invalid(f"{number} does not fit 128 bits") from None


def ticks(seconds: float) -> int:
    if isinstance(seconds, str):
        raise TypeError(f"{seconds!r}: expected a number of seconds")
    return round(seconds * SECOND)


def seconds(time: int) -> float:
    return time / SECOND
