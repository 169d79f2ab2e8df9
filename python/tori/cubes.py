"""Subcubes by isomorphic partitioning (Kang et al., "Isomorphic Strategy for
Processor Allocation in k-Ary n-Cube Systems", 2003), and how folded jobs lie
in them: dilation."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from ._library import (Never, NotNow, array_of, check, choice, fail, ffi, lib,
                       made, pointer_to, read_only, sized, text)
from .place import Machine, Node, Nodes, Placement, Shape, fill_shape

_HYPERCUBES = ("buddy", "gray", "free-list", "adaptive")
_NONCUBICS = ("round-up", "decompose")


def _shaped(shape: Shape) -> Any:
    own = ffi.new("tori_shape *")
    fill_shape(own[0], shape)
    return own


class Cubes:
    """The subcubes of a machine, all of whose nodes are free. `hypercube` is
    "buddy", "gray", "free-list" or "adaptive", `noncubic` "round-up" or
    "decompose".

    >>> cubes = Cubes("torus:8x8x8")
    >>> place = cubes.request("2x2x8")
    >>> place.box, cubes.free_count, cubes.largest
    ('0,0,0/2x4x4', 480, 256)
    >>> cubes.release(place)
    >>> cubes.free_count
    512
    """

    def __init__(self, machine: Union[str, Machine], hypercube: str = "buddy",
                 noncubic: str = "round-up"):
        self.machine = Machine(machine)
        config = sized(
            "tori_alloc_config",
            hypercube=choice("hypercube", _HYPERCUBES, hypercube),
            noncubic=choice("noncubic", _NONCUBICS, noncubic))
        self._c = made("tori_cubes", lib.tori_cubes_create,
                       lib.tori_cubes_destroy, self.machine._c, config,
                       keep=self.machine._c)

    def request(self, shape: Shape) -> Placement:
        """Take nodes for a shape. Raises NotNow, or Never."""
        place = ffi.new("tori_placement *")
        err = ffi.new("tori_error *")
        outcome = lib.tori_cubes_request(self._c, _shaped(shape), place, err)
        if outcome == lib.TORI_ERROR:
            fail(err)
        if outcome == lib.TORI_UNPLACEABLE:
            raise Never(text(err.text))
        if outcome:
            refusal = NotNow(text(err.text))
            refusal.reason = text(lib.tori_outcome_name(outcome))
            raise refusal
        return Placement(self.machine, place)

    def release(self, place: Placement) -> None:
        """Give back what a request took."""
        lib.tori_cubes_release(self._c, place._c)

    def take(self, node: Node) -> None:
        """Take one node, such as one that is down."""
        err = ffi.new("tori_error *")
        check(lib.tori_cubes_take_node(self._c, self.machine.id(node), err),
              err)

    def give(self, node: Node) -> None:
        lib.tori_cubes_give_node(self._c, self.machine.id(node))

    def is_free(self, node: Node) -> bool:
        return bool(lib.tori_cubes_is_free(self._c, self.machine.id(node)))

    @property
    def free_count(self) -> int:
        return int(lib.tori_cubes_free_count(self._c))

    @property
    def largest(self) -> int:
        """The most nodes that a request could get now as one subcube."""
        return int(lib.tori_cubes_largest(self._c))

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return int(lib.tori_cubes_bytes(self._c))


# ---- folds ----

@dataclass(frozen=True, eq=False)
class Fold:
    """Where each node of a shape is, row-major, and how far apart neighbours
    of the shape are at most and on average."""

    nodes: Nodes
    longest: int
    average: float


def fold(place: Placement, shape: Shape, noncubic: str = "round-up") -> Fold:
    """How a shape lies in the place that a folding allocator gave it.

    >>> place = Cubes("torus:4x4").request("1x8")
    >>> it = fold(place, "1x8")
    >>> it.nodes.tolist(), it.longest, it.average
    ([0, 1, 2, 3, 7, 6, 5, 4], 1, 1.0)
    """
    own = _shaped(shape)
    nodes = array_of("uint32_t", lib.tori_shape_volume(own))
    err = ffi.new("tori_error *")
    check(lib.tori_fold_map(place.machine._c, own,
                            choice("noncubic", _NONCUBICS, noncubic),
                            place._c, pointer_to("uint32_t", nodes), err), err)
    longest = ffi.new("uint32_t *")
    average = ffi.new("double *")
    lib.tori_fold_steps(place.machine._c, own, pointer_to("uint32_t", nodes),
                        longest, average)
    return Fold(read_only(nodes), longest[0], average[0])


def dilation(shape: Shape, box: Shape) -> int:
    """The longest step between neighbours when a shape is folded into a box;
    0 if their volumes differ.

    >>> dilation("1x8", "2x4"), dilation("2x2x8", "2x4x4")
    (1, 2)
    """
    return int(lib.tori_fold_dilation(_shaped(shape), _shaped(box)))
