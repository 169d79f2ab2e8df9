"""Choose k of n points that are close together: the problem behind allocators
by count (Bender et al., "Communication-Aware Processor Allocation for
Supercomputers", 2005), also exactly."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

from ._library import (GaveUp, Invalid, array_of, check, ffi, lib, numpy,
                       read_only, sized, text)
from .place import Shape, fill_shape


@dataclass(frozen=True, eq=False)
class Cluster:
    """The indexes of the points, ascending, and the sum of their distances
    over all pairs. `least` is False for what a search had found when it gave
    up; then no set has a smaller sum than `at_least`."""

    chosen: Any
    pairwise: int
    least: Optional[bool] = None
    at_least: Optional[float] = None


class _Points:
    """A tori_points, and what it points to."""

    def __init__(self, points: Any, around: Optional[Sequence[int]]):
        if numpy is not None:
            self._coords = numpy.ascontiguousarray(points, "int64")
            if self._coords.ndim == 1:
                self._coords = self._coords.reshape(-1, 1)
            n, dims = self._coords.shape
            coords = ffi.from_buffer("int64_t[]", self._coords)
        else:
            rows = [row if isinstance(row, Sequence) else (row,)
                    for row in points]
            n, dims = len(rows), len(rows[0]) if rows else 1
            coords = ffi.new("int64_t[]", [x for row in rows for x in row])
        if around is not None and len(around) != dims:
            raise Invalid(f"around: {len(around)} lengths of {dims} "
                          "dimensions")
        rings = (ffi.NULL if around is None
                 else ffi.new("uint64_t[]", list(around)))
        self.n = n
        self._keep = coords, rings
        self.c = ffi.new("tori_points *", {
            "ndims": dims, "n": n, "coords": coords, "around": rings})


def choose(points: Any, count: int, alloc: str = "exact", *,
           around: Optional[Sequence[int]] = None, best: bool = False,
           shape: Optional[Shape] = None, fixed: bool = False,
           **options: Any) -> Cluster:
    """Choose `count` points by an allocator: "exact" has the least sum of
    distances. Points are rows of whole numbers; `around` has the length of the
    ring in each dimension, 0 for a line. Options are those of
    tori_alloc_config, such as `steps`. A search that gives up is an error, or
    with `best` gives the best set it found. With "mc" a `shape` may say which
    shells are looked at.

    >>> grid = [(x, y) for x in range(4) for y in range(4)]
    >>> found = choose(grid, 4)
    >>> found.chosen.tolist(), found.pairwise
    ([0, 1, 4, 5], 8)
    >>> choose([0, 5, 9], 2, around=[10]).chosen.tolist()
    [0, 2]
    """
    own = _Points(points, around)
    chosen = ffi.new("size_t[]", max(count, 1))
    pairwise = ffi.new("uint64_t *")
    err = ffi.new("tori_error *")
    if shape is not None:
        if alloc != "mc":
            raise Invalid(f"shape: {alloc} is not mc")
        box = ffi.new("tori_shape *")
        fill_shape(box[0], shape)
        check(lib.tori_points_choose_box(own.c, count, box, fixed, chosen,
                                         pairwise, err), err)
        return Cluster(_indexes(chosen, count), int(pairwise[0]))
    name = ffi.new("char[]", alloc.encode())
    found = ffi.new("size_t[]", max(count, 1))
    search = ffi.new("tori_search *", {"chosen": found})
    config = sized("tori_alloc_config", name=name, search=search, **options)
    status = lib.tori_points_choose(config, own.c, count, chosen, pairwise,
                                    err)
    if status < 0 and err.status == lib.TORI_GAVE_UP and best and search.found:
        return Cluster(_indexes(found, count), int(search.best), False,
                       search.at_least)
    if status < 0 and err.status == lib.TORI_GAVE_UP:
        raise GaveUp(text(err.text))
    check(status, err)
    return Cluster(_indexes(chosen, count), int(pairwise[0]),
                   True if alloc == "exact" else None)


def _indexes(chosen: Any, count: int) -> Any:
    own = array_of("uint64_t", count)
    for i in range(count):
        own[i] = chosen[i]
    return read_only(own)


def cluster(count: int) -> tuple[list[tuple[int, int]], int]:
    """The best cluster: `count` points of an unbounded grid with the least sum
    of distances over all pairs, and the sum.

    >>> cluster(4)
    ([(0, 0), (0, 1), (1, 0), (1, 1)], 8)
    """
    coords = ffi.new("int64_t[]", 2 * lib.TORI_CLUSTER_MAX)
    total = ffi.new("uint64_t *")
    err = ffi.new("tori_error *")
    check(lib.tori_points_cluster(count, coords, total, err), err)
    return ([(coords[2 * i], coords[2 * i + 1]) for i in range(count)],
            int(total[0]))


def pairwise(points: Any, chosen: Iterable[int], *,
             around: Optional[Sequence[int]] = None) -> int:
    """The sum of distances over all pairs of the points with these indexes.

    >>> pairwise([(0, 0), (0, 3), (2, 2)], [0, 1, 2])
    10
    """
    own = _Points(points, around)
    some = ffi.new("size_t[]", [int(i) for i in chosen])
    out = ffi.new("uint64_t *")
    err = ffi.new("tori_error *")
    check(lib.tori_points_pairwise(own.c, some, len(some), out, err), err)
    return int(out[0])
