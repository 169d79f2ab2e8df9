"""Which links a placement takes: meshes, tori and multi-tori (Aridor et al.,
"Multi-Toroidal Interconnects", 2004)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional, Union

from ._library import check, choice, ffi, formatted, lib
from .place import (Machine, Placement, Shape, State, fill_shape,
                    wiring_number)

_LAYERS = ("near", "far")


@dataclass(frozen=True)
class Link:
    """A link of a machine, as in tori/state.h: where it starts, in a dimension
    and a layer. Its text names its ends.

    >>> link = Link.of("torus:4x4", "0,3-0,0")
    >>> str(link), link.ends, link.kind
    ('0,0-0,3 w', (0, 3), 'w')
    """

    machine: Machine
    dim: int
    layer: str  # "near" or "far"
    slot: int

    @staticmethod
    def of(machine: Union[str, Machine], text: str) -> Link:
        """The link with these ends, such as "0,0-0,1" or "0,0-0,1 s"."""
        machine = Machine(machine)
        out = ffi.new("tori_link *")
        err = ffi.new("tori_error *")
        check(lib.tori_link_parse(machine._c, text.encode(), out, err), err)
        return Link._of(machine, out)

    @staticmethod
    def _of(machine: Machine, it: Any) -> Link:
        return Link(machine, it.dim, _LAYERS[it.layer], it.slot)

    @property
    def _c(self) -> Any:
        return ffi.new("tori_link *", {
            "dim": self.dim, "layer": choice("layer", _LAYERS, self.layer),
            "slot": self.slot})

    @property
    def ends(self) -> tuple[int, int]:
        """The coordinates of its ends in its dimension."""
        return self._ends()[1]

    @property
    def kind(self) -> str:
        """"n" neighbour, "w" wrap, "s" folded ring, "+" or "-" a port."""
        return self._ends()[0]

    def _ends(self) -> tuple[str, tuple[int, int]]:
        out = ffi.new("uint32_t[2]")
        kind = lib.tori_link_ends(self.machine._c, self._c, out, out + 1)
        return kind.decode(), (out[0], out[1])

    def __str__(self) -> str:
        return formatted(lib.tori_link_format, self.machine._c, self._c)


def _visited(machine: Machine, each: Callable[..., int],
             *arguments: Any) -> list[Link]:
    found: list[Link] = []

    def visit(_arg: Any, it: Any) -> int:
        found.append(Link._of(machine, it))
        return 0
    call = ffi.callback("int(void *, const tori_link *)", visit)
    each(*arguments, call, ffi.NULL)
    return found


def links(place: Placement) -> list[Link]:
    """The links that a placement takes.

    >>> place = Placement.of(Machine("multitorus:8"), "2/3", "torus")
    >>> [str(link) for link in links(place)]
    ['2-3 n', '3-4 n', '2-4 s']
    """
    return _visited(place.machine, lib.tori_placement_each_link, place._c,
                    place.machine._c)


def links_of(machine: Union[str, Machine], box: str,
             wiring: str = "torus") -> list[Link]:
    """The links that the rule gives a box, by dimension, line, layer and slot.

    >>> len(links_of("torus:4x4", "0,0/2x2"))
    16
    """
    machine = Machine(machine)
    return _visited(machine, lib.tori_wiring_each, machine._c,
                    _box(machine, box), wiring_number(wiring))


def take(state: State, box: str, wiring: str = "torus") -> None:
    """Take the links that the rule gives a box, but not its nodes."""
    err = ffi.new("tori_error *")
    check(lib.tori_wiring_take(state._c, _box(state.machine, box),
                               wiring_number(wiring), err), err)


def give(state: State, box: str, wiring: str = "torus") -> None:
    """Give back what `take` took."""
    lib.tori_wiring_give(state._c, _box(state.machine, box),
                         wiring_number(wiring))


def all_links(machine: Union[str, Machine]) -> Iterator[Link]:
    """All links of a machine, by dimension, layer and slot.

    >>> [str(link) for link in all_links("multitorus:3")]
    ['0-1 n', '1-2 n', '0-2 s', '0-1 s', '1-2 s']
    """
    machine = Machine(machine)
    for dim in range(lib.tori_machine_ndims(machine._c)):
        for layer in _LAYERS:
            for slot in range(machine.nodes):
                link = Link(machine, dim, layer, slot)
                if lib.tori_link_exists(machine._c, link._c):
                    yield link


def link_count(machine: Union[str, Machine]) -> int:
    """How many links a machine has.

    >>> link_count("torus:4x4"), link_count("multitorus:8")
    (32, 15)
    """
    return int(lib.tori_machine_links(Machine(machine)._c))


def possible(machine: Union[str, Machine], shape: Shape,
             wiring: str = "torus") -> bool:
    """Whether a shape, without rotation, could ever be wired so.

    >>> possible("mesh:4x4", "2x4"), possible("multitorus:4x4", "2x4")
    (False, True)
    """
    own = ffi.new("tori_shape *")
    fill_shape(own[0], shape)
    return bool(lib.tori_wiring_possible(Machine(machine)._c, own,
                                         wiring_number(wiring)))


def _box(machine: Machine, text: str) -> Any:
    box = ffi.new("tori_box *")
    err = ffi.new("tori_error *")
    check(lib.tori_box_parse(machine._c, text.encode(), box, err), err)
    return box


def is_free(state: State, box: str, wiring: str = "torus") -> bool:
    """Whether a box can be wired now: its links are free and up, or there is a
    way around. Its nodes do not matter.

    >>> state = State("torus:8x8")
    >>> state.hold(Placement.of(state.machine, "0,0/4x4", "torus"))
    >>> is_free(state, "0,4/4x4"), is_free(state, "4,4/4x4")
    (False, True)
    """
    return bool(lib.tori_wiring_free(state._c, _box(state.machine, box),
                                     wiring_number(wiring)))


def conflict(machine: Union[str, Machine], a: str, b: str,
             wiring: str = "torus",
             other: Optional[str] = None) -> Optional[Link]:
    """A link that the rule gives both of two boxes, or None. The second is
    wired as the first, or as `other` says.

    >>> str(conflict("torus:8x8", "0,0/4x4", "0,4/4x4"))
    '0,0-0,1 n'
    """
    machine = Machine(machine)
    out = ffi.new("tori_link *")
    return (Link._of(machine, out) if lib.tori_wiring_conflict(
        machine._c, _box(machine, a), wiring_number(wiring),
        _box(machine, b), wiring_number(other or wiring), out) else None)


def uses(place: Placement, link: Link) -> bool:
    """Whether a placement takes a link."""
    return bool(lib.tori_placement_uses_link(place._c, place.machine._c,
                                             link._c))


def is_taken(state: State, link: Link) -> bool:
    return bool(lib.tori_state_link_taken(state._c, link._c))


def is_down(state: State, link: Link) -> bool:
    return bool(lib.tori_state_link_down(state._c, link._c))


def set_down(state: State, link: Link, down: bool = True) -> None:
    """A link fails, or works again."""
    err = ffi.new("tori_error *")
    check(lib.tori_state_set_link_down(state._c, link._c, down, err), err)


def taken_count(state: State) -> int:
    """How many links are taken.

    >>> state = State("torus:8x8")
    >>> state.hold(Placement.of(state.machine, "0,0/4x4", "torus"))
    >>> taken_count(state)
    64
    """
    return int(lib.tori_state_links_taken(state._c))


def rewire(place: Placement, state: State) -> Placement:
    """The same place with links around those that are down. NotNow if there
    is no way around.

    >>> state = State("multitorus:8")
    >>> set_down(state, Link.of(state.machine, "2-3"))
    >>> place = rewire(Placement.of(state.machine, "2/3", "torus"), state)
    >>> any(is_down(state, link) for link in links(place))
    False
    """
    own = Placement._copy(place.machine, place._c)
    assert own is not None
    err = ffi.new("tori_error *")
    check(lib.tori_placement_wire(own._c, state._c, err), err)
    # It may have memory of its own now.
    return Placement._copy(place.machine, own._c) or own
