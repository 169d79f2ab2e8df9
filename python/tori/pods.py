"""Pods: slices of cubes that switches join."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional

from ._library import check, ffi, lib
from .place import (Machine, Placement, Shape, fill_shape, shape_tuple,
                    wiring_number)


@dataclass(frozen=True)
class Cross:
    """A cross-connect: a switch joins the + port of one node to the - port of
    another."""

    dim: int
    src: int
    dst: int


def slice_of(machine: Machine, pieces: Iterable[str], across: Shape,
             wiring: str = "none") -> Placement:
    """A slice of as many pieces along each dimension of a cube as `across`
    says, in row-major order.

    >>> pod = Machine("pod:4/4x4x4")
    >>> place = slice_of(pod, ["0/4x4x4", "2/4x4x4"], "1x1x2", "torus")
    >>> place.count, across(place), shape(place), len(crosses(place))
    (128, (1, 1, 2), (4, 4, 8), 96)
    >>> from tori import State
    >>> State(pod).hold(place)
    """
    boxes = ffi.new("tori_box[]", len(texts := list(pieces)))
    err = ffi.new("tori_error *")
    for i, text in enumerate(texts):
        check(lib.tori_box_parse(machine._c, text.encode(), boxes + i, err),
              err)
    many = ffi.new("tori_shape *")
    fill_shape(many[0], across)
    place = ffi.new("tori_placement *")
    check(lib.tori_placement_of_pieces(boxes, many, wiring_number(wiring),
                                       place, err), err)
    return Placement(machine, place)


def _shape(place: Placement, call: Any) -> Optional[tuple[int, ...]]:
    out = ffi.new("tori_shape *")
    return (shape_tuple(out) if call(place._c, place.machine._c, out)
            else None)


def across(place: Placement) -> Optional[tuple[int, ...]]:
    """How many pieces a slice has along each dimension of a cube; None for
    nodes, and for boxes that are not joined."""
    return _shape(place, lib.tori_placement_across)


def shape(place: Placement) -> Optional[tuple[int, ...]]:
    """The sides of the box that the pieces form together."""
    return _shape(place, lib.tori_placement_shape)


def crosses(place: Placement) -> list[Cross]:
    """The cross-connects of a slice, by dimension, piece and node."""
    found: list[Cross] = []

    def visit(_arg: Any, it: Any) -> int:
        found.append(Cross(it.dim, getattr(it, "from"), it.to))
        return 0
    call = ffi.callback("int(void *, const tori_cross *)", visit)
    lib.tori_placement_crosses(place._c, place.machine._c, call, ffi.NULL)
    return found
