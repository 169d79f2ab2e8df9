"""Interleaved subtori, and the links that they share (Gupta and Srimani, "Job
Scheduling for Torus Connected Networks", 1997, section 2.1)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional, Union

from ._library import Invalid, array_of, check, ffi, lib, pointer_to, read_only
from .place import Machine, Node, Nodes, Shape, fill_shape, shape_tuple
from .wiring import Link


@dataclass(frozen=True)
class Subtorus:
    """Every K-th node of each dimension, from its offset on. See Subtori."""

    machine: Machine
    shape: tuple[int, ...]
    offset: tuple[int, ...]

    @staticmethod
    def _of(machine: Machine, it: Any) -> Subtorus:
        shape = shape_tuple(it.shape)
        return Subtorus(machine, shape, tuple(it.offset[0:len(shape)]))

    @property
    def _c(self) -> Any:
        it = ffi.new("tori_subtorus *")
        fill_shape(it.shape, self.shape)
        _check(self.machine, it.shape)
        it.offset[0:len(self.offset)] = list(self.offset)
        return it

    @property
    def nodes(self) -> Nodes:
        """The numbers of its nodes, ascending."""
        it = self._c
        own = array_of("uint32_t", lib.tori_shape_volume(
            ffi.addressof(it, "shape")))
        lib.tori_subtorus_nodes(self.machine._c, it,
                                pointer_to("uint32_t", own))
        return read_only(own)

    def __contains__(self, node: Node) -> bool:
        return bool(lib.tori_subtorus_contains(
            self.machine._c, self._c, self.machine.id(node)))

    def node_disjoint(self, other: Subtorus) -> bool:
        """Whether they have no node in common."""
        return bool(lib.tori_subtorus_node_disjoint(
            self.machine._c, self._c, other._c))

    def link_disjoint(self, other: Subtorus) -> bool:
        """Whether they have no link in common."""
        return bool(lib.tori_subtorus_link_disjoint(
            self.machine._c, self._c, other._c))

    def uses(self, link: Link) -> bool:
        """Whether any of its edges spans a link."""
        return bool(lib.tori_subtorus_uses(self.machine._c, self._c, link._c))

    def span(self, node: Node, dim: int) -> list[Link]:
        """The links that the edge from a node to the next in a dimension
        spans."""
        it = self._c
        out = ffi.new("tori_link[]", lib.tori_subtorus_stride(
            self.machine._c, ffi.addressof(it, "shape"), dim))
        n = lib.tori_subtorus_span(self.machine._c, it, self.machine.id(node),
                                   dim, out)
        return [Link._of(self.machine, out[i]) for i in range(n)]

    def shared_dim(self, other: Subtorus) -> Optional[int]:
        """The dimension whose links they share, of two that have no node in
        common; None if they share no links."""
        dim = lib.tori_subtorus_shared_dim(self.machine._c, self._c, other._c)
        return int(dim) if dim >= 0 else None


def _check(machine: Machine, shape: Any) -> None:
    err = ffi.new("tori_error *")
    check(lib.tori_subtorus_check(machine._c, ffi.addressof(shape), err), err)


class Subtori:
    """All subtori of a shape, by number; and the largest sets of them that
    share no link.

    >>> subtori = Subtori("torus:8x8", "4x4")
    >>> len(subtori), subtori.strides, len(subtori.sets), subtori.set_size
    (4, (2, 2), 2, 2)
    >>> a, b = subtori.sets[0]
    >>> a.offset, b.offset, a.link_disjoint(b)
    ((0, 0), (1, 1), True)
    >>> subtori[1].offset, subtori[1].shared_dim(subtori[0])
    ((0, 1), 1)
    """

    def __init__(self, machine: Union[str, Machine], shape: Shape):
        self.machine = Machine(machine)
        self._shape = ffi.new("tori_shape *")
        fill_shape(self._shape[0], shape)
        _check(self.machine, self._shape[0])
        self.shape = shape_tuple(self._shape)

    def __reduce__(self) -> Any:
        return Subtori, (self.machine, self.shape)

    def __len__(self) -> int:
        return int(lib.tori_subtorus_count(self.machine._c, self._shape))

    def __getitem__(self, index: int) -> Subtorus:
        if not 0 <= index < len(self):
            raise IndexError(index)
        it = ffi.new("tori_subtorus *")
        lib.tori_subtorus_at(self.machine._c, self._shape, index, it)
        return Subtorus._of(self.machine, it)

    def __iter__(self) -> Iterator[Subtorus]:
        return (self[i] for i in range(len(self)))

    def index(self, subtorus: Subtorus) -> int:
        """The number of a subtorus of this shape."""
        if subtorus.shape != self.shape:
            raise Invalid(f"{subtorus} has another shape")
        return int(lib.tori_subtorus_index(self.machine._c, subtorus._c))

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(lib.tori_subtorus_stride(self.machine._c, self._shape,
                                              dim)
                     for dim in range(len(self.shape)))

    @property
    def set_size(self) -> int:
        """The most subtori of the shape that share no link."""
        return int(lib.tori_subtorus_set_size(self.machine._c, self._shape))

    @property
    def sets(self) -> list[list[Subtorus]]:
        """As many in each as can be; together they are all."""
        it = ffi.new("tori_subtorus *")
        found: list[list[Subtorus]] = []
        for i in range(lib.tori_subtorus_sets(self.machine._c, self._shape)):
            found.append([])
            for k in range(self.set_size):
                lib.tori_subtorus_of_set(self.machine._c, self._shape, i, k,
                                         it)
                found[-1].append(Subtorus._of(self.machine, it))
        return found
