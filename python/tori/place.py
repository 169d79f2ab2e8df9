"""Where jobs go: machines, states, allocators and placements."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, Union

from ._library import (Invalid, Never, NotNow, Raised, array_of, check, choice, fail, ffi,
                       formatted, lib, made, pointer_to, read_only, sized, text, view)

Shape = Union[str, Sequence[int]]
Node = Union[int, str, Sequence[int]]
Nodes = Any  # a numpy array of uint32, or a memoryview where numpy is not there

_WIRINGS = ("none", "mesh", "torus")


def _names(call: Callable[[int], Any]) -> Iterator[str]:
    i = 0
    while (info := call(i)):
        yield text(info.name)
        i += 1


def allocators() -> list[str]:
    """The names of the library's allocators."""
    return list(_names(lib.tori_alloc_list))


def wiring_number(name: str) -> int:
    if name not in _WIRINGS:
        raise Invalid(f"there is no wiring {name}: {', '.join(_WIRINGS)}")
    return _WIRINGS.index(name)


def fill_shape(to: Any, shape: Shape) -> None:
    if isinstance(shape, str):
        err = ffi.new("tori_error *")
        check(lib.tori_shape_parse(shape.encode(), ffi.addressof(to), err),
              err)
        return
    if len(shape) > lib.TORI_MAX_DIMS:
        raise Invalid(f"a shape of {len(shape)} dimensions")
    to.ndims = len(shape)
    to.size[0:len(shape)] = list(shape)


def shape_tuple(shape: Any) -> tuple[int, ...]:
    return tuple(shape.size[0:shape.ndims])


def _filled(shape: Shape) -> Any:
    own = ffi.new("tori_shape *")
    fill_shape(own[0], shape)
    return own


def rotations(shape: Shape) -> list[tuple[int, ...]]:
    """The distinct rotations of a shape, in lexicographic order.

    >>> rotations("2x1x2")
    [(1, 2, 2), (2, 1, 2), (2, 2, 1)]
    """
    own = _filled(shape)
    lib.tori_shape_sort(own)
    found = [shape_tuple(own)]
    while lib.tori_shape_next_rotation(own):
        found.append(shape_tuple(own))
    return found


def other_shapes(machine: Union[str, Machine], shape: Shape, most: int,
                 limit: int = 15) -> list[tuple[int, ...]]:
    """Shapes that hold as many nodes as a shape, and at most `most`: what
    jobs may take instead of it.

    >>> other_shapes("torus:4x8", "2x8", 16)
    [(4, 4)]
    """
    found = ffi.new("tori_shape[]", limit)
    n = lib.tori_shape_others(Machine(machine)._c, _filled(shape), most, found,
                              limit)
    return [shape_tuple(found[i]) for i in range(n)]


class Machine:
    """A machine, from text such as "torus:8x8x8". It never changes.

    >>> machine = Machine("torus:8x8x8")
    >>> machine.nodes
    512
    >>> machine.coords(7)
    (0, 0, 7)
    >>> machine.distance("0,0,0", "0,0,7")
    1
    """

    __slots__ = ("_c", "nodes", "shape")

    nodes: int
    shape: tuple[int, ...]

    def __init__(self, description: Union[str, Machine]):
        self._set(description._c if isinstance(description, Machine)
                  else made("tori_machine", lib.tori_machine_parse,
                            lib.tori_machine_destroy, description.encode()))

    def _set(self, pointer: Any) -> None:
        self._c = pointer
        self.nodes = lib.tori_machine_nodes(self._c)
        self.shape = shape_tuple(lib.tori_machine_shape(self._c))

    @staticmethod
    def _view(pointer: Any, keep: Any) -> Machine:
        """A machine that somebody else owns."""
        machine = object.__new__(Machine)
        machine._set(ffi.gc(pointer, lambda _it, _keep=keep: None))
        return machine

    def __str__(self) -> str:
        return formatted(lib.tori_machine_format, self._c)

    def __repr__(self) -> str:
        return f"Machine({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __len__(self) -> int:
        return self.nodes

    def __reduce__(self) -> Any:
        return Machine, (str(self),)

    def id(self, node: Node) -> int:
        """The number of a node that is given as "1,2,3", (1, 2, 3) or 7."""
        if isinstance(node, int):
            if not 0 <= node < self.nodes:
                raise Invalid(f"there is no node {node}")
            return node
        if not isinstance(node, str):
            node = ",".join(map(str, node))
        out = ffi.new("uint32_t *")
        err = ffi.new("tori_error *")
        check(lib.tori_node_parse(self._c, node.encode(), out, err), err)
        return int(out[0])

    def coords(self, node: Node) -> tuple[int, ...]:
        """The coordinates of a node."""
        out = ffi.new("uint32_t[]", lib.TORI_MAX_DIMS)
        lib.tori_machine_coords(self._c, self.id(node), out)
        return tuple(out[0:len(self.shape)])

    def distance(self, a: Node, b: Node) -> int:
        """Hops between two nodes."""
        return int(lib.tori_machine_distance(self._c, self.id(a),
                                             self.id(b)))

    def wraps(self, dim: int) -> bool:
        """Whether both ends of a dimension are neighbours."""
        return bool(lib.tori_machine_wraps(self._c, dim))

    def pairwise(self, nodes: Iterable[Node]) -> int:
        """The sum of hops over all pairs of nodes."""
        ids = [self.id(node) for node in nodes]
        out = ffi.new("uint64_t *")
        err = ffi.new("tori_error *")
        check(lib.tori_nodes_pairwise(self._c, ids, len(ids), out, err), err)
        return int(out[0])


@dataclass(frozen=True)
class Request:
    """What a job asks for: a shape, or a number of nodes."""

    shape: Optional[tuple[int, ...]]
    count: int
    wiring: str = "none"
    fixed: bool = False
    wrap: bool = False

    @staticmethod
    def _of(request: Any) -> Request:
        return Request(shape_tuple(request.shape) or None, request.count,
                       _WIRINGS[request.wiring], request.fixed, request.wrap)


def fill_request(to: Any, shape: Optional[Shape], count: int, wiring: str,
                 fixed: bool, wrap: bool, fold: bool = False) -> None:
    if shape is not None:
        fill_shape(to.shape, shape)
    elif not count:
        raise Invalid("a request needs a shape or a count")
    to.count = count
    if wiring != "none":
        to.wiring = wiring_number(wiring)
    to.fixed = fixed
    to.wrap = wrap
    to.flags = lib.TORI_REQUEST_FOLD * fold


class Placement:
    """Where a job goes: nodes, perhaps as a box, and links.

    It is made by an allocator or a scheduler, or from nodes or boxes:

    >>> machine = Machine("mesh:4x4")
    >>> Placement.of(machine, [0, 1, 5]).count
    3
    >>> Placement.of(machine, "1,1/2x2").nodes.tolist()
    [5, 6, 9, 10]
    """

    __slots__ = ("_c", "_nodes", "machine")

    machine: Machine

    def __init__(self, machine: Machine, pointer: Any):
        # Only a list and a slice of a pod have memory of their own.
        if pointer.nodes or pointer.pieces:
            pointer = ffi.gc(pointer, lib.tori_placement_clear)
        self._c = pointer
        self._nodes: Any = None
        self.machine = machine

    @staticmethod
    def of(machine: Machine, what: Union[str, Iterable[Any]],
           wiring: str = "none") -> Placement:
        """A placement of a box ("0,0/2x2") or of nodes."""
        place = ffi.new("tori_placement *")
        err = ffi.new("tori_error *")
        if isinstance(what, str):
            box = ffi.new("tori_box *")
            check(lib.tori_box_parse(machine._c, what.encode(), box, err), err)
            check(lib.tori_placement_of_boxes(box, 1, wiring_number(wiring),
                                              place, err), err)
        else:
            ids = [machine.id(int(node) if hasattr(node, "__index__")
                              else node) for node in what]
            check(lib.tori_placement_of_nodes(machine._c, ids, len(ids), place,
                                              err), err)
        return Placement(machine, place)

    @staticmethod
    def _copy(machine: Machine, pointer: Any) -> Optional[Placement]:
        """A copy of a placement that the library owns; None if it is empty."""
        if not pointer or not pointer.count:
            return None
        own = ffi.new("tori_placement *")
        err = ffi.new("tori_error *")
        check(lib.tori_placement_copy(own, pointer, err), err)
        return Placement(machine, own)

    @property
    def count(self) -> int:
        """The number of nodes."""
        return int(self._c.count)

    def __len__(self) -> int:
        return int(self._c.count)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Placement) and self.machine == other.machine
                and self.wiring == other.wiring and self.boxes == other.boxes
                and self.nodes.tolist() == other.nodes.tolist()
                and _links(self) == _links(other))

    def __hash__(self) -> int:
        return hash((self.machine, self.count, self.wiring,
                     tuple(self.boxes)))

    def __contains__(self, node: Node) -> bool:
        return bool(lib.tori_placement_contains(
            self._c, self.machine._c, self.machine.id(node)))

    @property
    def nodes(self) -> Nodes:
        """The numbers of the nodes, ascending: a numpy array where numpy is
        there, which cannot be written. A list of the library's is not copied;
        the nodes of a box are in no list, so the library writes them into the
        array, once."""
        if self._nodes is None:
            if self._c.nodes:
                self._nodes = view(self._c.nodes, "uint32_t", self._c.count,
                                   self._c)
            else:
                own = array_of("uint32_t", self._c.count)
                lib.tori_placement_nodes(self._c, self.machine._c,
                                         pointer_to("uint32_t", own))
                self._nodes = read_only(own)
        return self._nodes

    @property
    def boxes(self) -> list[str]:
        """Its boxes, as "0,0,0/4x4x2"; none for a list of nodes."""
        return [formatted(lib.tori_box_format,
                          lib.tori_placement_box(self._c, i))
                for i in range(self._c.nboxes)]

    @property
    def box(self) -> Optional[str]:
        """The box, if it is one."""
        return self.boxes[0] if self._c.nboxes == 1 else None

    @property
    def wiring(self) -> str:
        return _WIRINGS[self._c.wiring]

    def map(self, shape: Shape, *, wiring: str = "none",
            fixed: bool = False, wrap: bool = False) -> Nodes:
        """The node of every node of a job that asked for a shape, row-major in
        the shape.

        >>> place = Placement.of(Machine("mesh:4x4"), "0,0/2x3")
        >>> place.map("3x2").tolist()
        [0, 4, 1, 5, 2, 6]
        """
        request = ffi.new("tori_request *")
        fill_request(request, shape, 0, wiring, fixed, wrap)
        own = array_of("uint32_t", lib.tori_request_nodes(request))
        err = ffi.new("tori_error *")
        check(lib.tori_placement_map(self._c, self.machine._c, request,
                                     pointer_to("uint32_t", own), err), err)
        return read_only(own)

    @property
    def pairwise(self) -> int:
        """The sum of hops over all pairs of nodes."""
        out = ffi.new("uint64_t *")
        err = ffi.new("tori_error *")
        check(lib.tori_placement_pairwise(self._c, self.machine._c, out, err),
              err)
        return int(out[0])

    def __reduce__(self) -> Any:
        across = ffi.new("tori_shape *")
        lib.tori_placement_across(self._c, self.machine._c, across)
        again = _placement_again, (
            self.machine, self.nodes.tolist() if self._c.nodes else None,
            [text.partition("/")[::2] for text in self.boxes], self.wiring,
            shape_tuple(across), bytes(ffi.buffer(ffi.addressof(
                self._c, "box"))))
        if _links(self) != _links(again[0](*again[1])):
            raise TypeError("this placement cannot be pickled: its links go "
                            "around links that are down")
        return again

    def __repr__(self) -> str:
        where = ", ".join(self.boxes) or f"{len(self)} nodes"
        return f"<Placement {where}>"


def _placement_again(machine: Machine, nodes: Optional[list[int]],
                     boxes: list[tuple[str, str]], wiring: str,
                     across: tuple[int, ...], first: bytes) -> Placement:
    """A placement from its parts."""
    place = ffi.new("tori_placement *")
    err = ffi.new("tori_error *")
    if nodes is not None:
        check(lib.tori_placement_of_nodes(machine._c, nodes, len(nodes), place,
                                          err), err)
        ffi.buffer(ffi.addressof(place, "box"))[:] = first
        return Placement(machine, place)
    own = ffi.new("tori_box[]", len(boxes))
    for i, box in enumerate(boxes):
        check(lib.tori_box_parse(machine._c, "/".join(box).encode(),
                                 own + i, err), err)
    if len(boxes) > 1 and across:
        shape = ffi.new("tori_shape *")
        fill_shape(shape[0], across)
        status = lib.tori_placement_of_pieces(own, shape,
                                              wiring_number(wiring), place,
                                              err)
    else:
        status = lib.tori_placement_of_boxes(own, len(boxes),
                                             wiring_number(wiring), place, err)
    check(status, err)
    return Placement(machine, place)


def _links(place: Placement) -> list[tuple[int, int, int]]:
    """The links that it takes."""
    found: list[tuple[int, int, int]] = []

    @ffi.callback("int(void *, const tori_link *)")  # type: ignore[misc]
    def visit(_arg: Any, it: Any) -> int:
        found.append((it.dim, it.layer, it.slot))
        return 0
    lib.tori_placement_each_link(place._c, place.machine._c, visit, ffi.NULL)
    return found


class State:
    """What is free, busy, down and drained.

    >>> state = State(Machine("mesh:4x4"))
    >>> place = Placement.of(state.machine, "0,0/2x2")
    >>> state.hold(place)
    >>> state.free_count
    12
    >>> state.release(place)
    """

    __slots__ = ("_c", "machine")

    machine: Machine

    def __init__(self, machine: Union[str, Machine]):
        self.machine = Machine(machine)
        self._c = made("tori_state", lib.tori_state_create,
                       lib.tori_state_destroy, self.machine._c,
                       keep=self.machine._c)

    @staticmethod
    def _view(machine: Machine, pointer: Any, keep: Any = None) -> State:
        """A state that somebody else owns."""
        state = object.__new__(State)
        state.machine = machine
        state._c = (pointer if keep is None
                    else ffi.gc(pointer, lambda _it, _keep=keep: None))
        return state

    def copy(self) -> State:
        other = State(self.machine)
        err = ffi.new("tori_error *")
        check(lib.tori_state_copy(other._c, self._c, err), err)
        return other

    def __reduce__(self) -> Any:
        if lib.tori_state_links_taken(self._c):
            raise TypeError("a state whose links are taken cannot be pickled; "
                            "its machine and placements can")
        nodes = range(self.machine.nodes)
        lists = [[node for node in nodes if has(self._c, node)] for has in (
            lib.tori_state_is_busy, lib.tori_state_is_down,
            lib.tori_state_is_drained)]
        link = ffi.new("tori_link *")
        links = []
        for link.dim in range(len(self.machine.shape)):
            for link.layer in (lib.TORI_NEAR, lib.TORI_FAR):
                for link.slot in nodes:
                    if lib.tori_state_link_down(self._c, link):
                        links.append((link.dim, int(link.layer), link.slot))
        return _state_again, (self.machine, *lists, links)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, State) and self.machine == other.machine
                and bool(lib.tori_state_equal(self._c, other._c)))

    __hash__ = None  # type: ignore[assignment]

    @property
    def free_count(self) -> int:
        return int(lib.tori_state_free_count(self._c))

    @property
    def free_bits(self) -> Any:
        """The free nodes as 64-bit words, without a copy: bit i % 64 of word
        i // 64 for node i. The array shows what the state becomes."""
        return view(ffi.cast("uint64_t *", lib.tori_state_free_bits(self._c)),
                    "uint64_t", (self.machine.nodes + 63) // 64, self._c)

    def largest_box(self, wrap: bool = False) -> Optional[str]:
        """The largest free box, the first by shape, then by origin; with `wrap`
        it may go round. None if no node is free, or the search was given up.

        >>> state = State("torus:4x4")
        >>> state.set_down("1,1")
        >>> state.largest_box(), state.largest_box(wrap=True)
        ('2,0/2x4', '2,0/3x4')
        """
        box = ffi.new("tori_box *")
        err = ffi.new("tori_error *")
        found = lib.tori_state_largest_box(self._c, wrap, box, err)
        check(found, err)
        return formatted(lib.tori_box_format, box) if found else None

    def is_free(self, node: Node) -> bool:
        return bool(lib.tori_state_is_free(self._c, self.machine.id(node)))

    def is_busy(self, node: Node) -> bool:
        return bool(lib.tori_state_is_busy(self._c, self.machine.id(node)))

    def is_down(self, node: Node) -> bool:
        return bool(lib.tori_state_is_down(self._c, self.machine.id(node)))

    def is_drained(self, node: Node) -> bool:
        return bool(lib.tori_state_is_drained(self._c,
                                              self.machine.id(node)))

    def set_down(self, node: Node, down: bool = True) -> None:
        """A node fails, or works again."""
        err = ffi.new("tori_error *")
        check(lib.tori_state_set_down(self._c, self.machine.id(node), down,
                                      err), err)

    def set_drained(self, node: Node, drained: bool = True) -> None:
        """A node takes no further job, or does again."""
        err = ffi.new("tori_error *")
        check(lib.tori_state_set_drained(self._c, self.machine.id(node),
                                         drained, err), err)

    def hold(self, place: Placement) -> None:
        """Mark the nodes busy and take the links."""
        err = ffi.new("tori_error *")
        check(lib.tori_placement_hold(place._c, self._c, err), err)

    def release(self, place: Placement) -> None:
        """Undo what `hold` did."""
        lib.tori_placement_release(place._c, self._c)

    def __repr__(self) -> str:
        return f"<State of {self.machine}: {self.free_count} free>"


def _state_again(machine: Machine, busy: list[int], down: list[int],
                 drained: list[int], links: list[tuple[int, int, int]]
                 ) -> State:
    """A state from its parts."""
    state = State(machine)
    if busy:
        state.hold(Placement.of(machine, busy))
    for node in down:
        state.set_down(node)
    for node in drained:
        state.set_drained(node)
    err = ffi.new("tori_error *")
    for dim, layer, slot in links:
        check(lib.tori_state_set_link_down(
            state._c, ffi.new("tori_link *", (dim, layer, slot)), True, err),
            err)
    return state


# An allocator of one's own: where a request goes in a state. It returns a
# Placement, a box, a list of nodes, or None if there is no place now.
Function = Callable[[State, Request], Union[Placement, str, Iterable[int],
                                            None]]


class OwnAllocator:
    """A function of Python as a tori_alloc_ops. An exception in it is kept,
    and raised again where the library's call returns."""

    def __init__(self, machine: Machine, function: Function, raised: Raised):
        self.machine = machine
        self.function = function
        self._raised = raised
        self._call = ffi.callback(
            "int(void *, const tori_state *, const tori_request *, "
            "tori_placement *, tori_error *)", self._place, error=-1)
        name = getattr(function, "__name__", "python")
        self._texts = [ffi.new("char[]", name.encode()),
                       ffi.new("char[]", b"a function of Python")]
        self.ops = sized("tori_alloc_ops", info={
            "name": self._texts[0], "summary": self._texts[1],
            "takes": lib.TORI_BY_SHAPE | lib.TORI_BY_COUNT,
            "flags": lib.TORI_ALLOC_PODS if lib.tori_machine_is_pod(machine._c)
            else 0}, place=self._call)

    def _place(self, _data: Any, state: Any, request: Any, out: Any,
               _err: Any) -> int:
        try:
            asked = Request._of(request)
            answer = self.function(State._view(self.machine, ffi.cast(
                "tori_state *", state)), asked)
            if answer is None:
                return 0
            if not isinstance(answer, Placement):
                answer = Placement.of(self.machine, answer, asked.wiring)
            err = ffi.new("tori_error *")
            check(lib.tori_placement_copy(out, answer._c, err), err)
            return 1
        except BaseException as raised:  # pylint: disable=broad-except
            self._raised.raised = raised
            return -1


# The options of an allocator that are choices.
_CHOICES = {"hypercube": ("buddy", "gray", "free-list", "adaptive"),
            "noncubic": ("round-up", "decompose")}


def plugin_ops(path: str) -> Any:
    """The tori_alloc_ops of a file (tori/plugin.h), which stays loaded."""
    try:
        # A name without a slash would be sought where libraries are.
        return ffi.addressof(ffi.dlopen(
            path if "/" in path else f"./{path}",
            ffi.RTLD_NOW | ffi.RTLD_NODELETE).tori_plugin_alloc)
    except (OSError, AttributeError) as why:
        raise Invalid(f"{path} is no allocator: {why}") from None


class AllocConfig:
    """A tori_alloc_config, and what it points to: an allocator by its name,
    from a file, or a function."""

    def __init__(self, machine: Machine, how: Union[str, Function, None],
                 raised: Optional[Raised] = None, **options: Any):
        self.raised = raised or Raised()
        for name, names in _CHOICES.items():
            if isinstance(options.get(name), str):
                options[name] = choice(name, names, options[name])
        slices = options.pop("slices", None)
        self.c = sized("tori_alloc_config", **options)
        if slices is not None:
            self._slices = ffi.new("char[]", slices.encode())
            self.c.slices = self._slices
        if callable(how):
            self._own = OwnAllocator(machine, how, self.raised)
            self.c.ops = self._own.ops
        elif how is not None and ("/" in how or how.endswith(".so")):
            self.c.ops = plugin_ops(how)
        elif how is not None:
            self._name = ffi.new("char[]", how.encode())
            self.c.name = self._name


class Allocator:
    """Says where a request would go in a state, by name or by a function of
    your own:

    >>> state = State("torus:8x8")
    >>> first_fit = Allocator(state.machine, "first-fit")
    >>> first_fit.place(state, shape="2x3").box
    '0,0/2x3'
    >>> def last(state, request):
    ...     free = [n for n in range(64) if state.is_free(n)]
    ...     return free[-request.count:]
    >>> Allocator(state.machine, last).place(state, count=2).nodes.tolist()
    [62, 63]

    Options are those of tori_alloc_config: `epsilon`, `steps`, `spacing`,
    `slices`, `hypercube` and `noncubic`, the last two by name. Use an
    allocator in one thread at a time.
    """

    __slots__ = ("_c", "_config", "_err", "machine")

    machine: Machine

    def __init__(self, machine: Union[str, Machine],
                 how: Union[str, Function, None] = None, **options: Any):
        self.machine = Machine(machine)
        self._config = AllocConfig(self.machine, how, None, **options)
        self._c = made("tori_alloc", lib.tori_alloc_create,
                       lib.tori_alloc_destroy, self.machine._c, self._config.c,
                       keep=(self.machine._c, self._config))
        self._err = ffi.new("tori_error *")

    @property
    def name(self) -> str:
        return str(text(lib.tori_alloc_get_info(self._c).name))

    def impossible(self, shape: Optional[Shape] = None, count: int = 0, *,
                   wiring: str = "none", fixed: bool = False,
                   wrap: bool = False) -> Optional[str]:
        """Why a request could not be placed even if the machine were idle;
        None if it could."""
        request = ffi.new("tori_request *")
        fill_request(request, shape, count, wiring, fixed, wrap)
        why: Optional[str] = text(lib.tori_alloc_impossible(self._c, request))
        return why

    def place(self, state: State, shape: Optional[Shape] = None,
              count: int = 0, *, wiring: str = "none", fixed: bool = False,
              wrap: bool = False, fold: bool = False) -> Placement:
        """Find a place for a shape or a count; with `fold`, also for a torus of
        this shape that is folded. Raises NotNow, with the reason, or Never. The
        state does not change."""
        request = ffi.new("tori_request *")
        fill_request(request, shape, count, wiring, fixed, wrap, fold)
        place = ffi.new("tori_placement *")
        outcome = lib.tori_alloc_place(self._c, state._c, request, place,
                                       self._err)
        if outcome:
            self._refuse(outcome)
        return Placement(self.machine, place)

    def _refuse(self, outcome: int) -> None:
        if outcome == lib.TORI_UNPLACEABLE:
            raise Never(text(self._err.text))
        if outcome == lib.TORI_ERROR:
            fail(self._err, self._config.raised)
        refusal = NotNow(text(self._err.text))
        refusal.reason = text(lib.tori_outcome_name(outcome))
        raise refusal

    def __repr__(self) -> str:
        return f"<Allocator {self.name} on {self.machine}>"
