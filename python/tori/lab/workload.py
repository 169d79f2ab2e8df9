"""Workloads: the jobs of a log, a table or a model. Times are in seconds."""
from __future__ import annotations

import csv
import functools
import hashlib
import io
import os
import re
import tempfile
from typing import Any, Mapping, Optional, Union

import numpy

from .._library import (SECOND, Invalid, check, ffi, lib, made, sized, text,
                        ticks, version)
from ..place import Function, Machine, _WIRINGS, _names, wiring_number

Table = dict[str, Any]
Time = Union[float, str]  # seconds, or a text with its unit: "90s", "1h30m"

_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}


def as_seconds(time: Time) -> float:
    """A time in seconds. A text has a unit, and means the same to the command:
    "90s", "1h30m", "2d", "12:00:00", "1-12:00:00", "1-12"."""
    if not isinstance(time, str):
        return time
    clock = (re.fullmatch(r"(?:(\d+)-)?(\d+):(\d\d):(\d\d)", time)
             or re.fullmatch(r"(\d+)-(\d\d?)(?::(\d\d))?()", time))
    if clock:
        days, hours, minutes, secs = (int(part or 0) for part in clock.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + secs
    parts = re.findall(r"(\d+(?:\.\d+)?)(us|ms|[smhd])", time)
    if not parts or "".join(map("".join, parts)) != time:
        raise Invalid(f"{time!r}: expected a number of seconds, or a text such "
                      "as '90s', '1h30m' or '12:00:00'")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def models() -> list[str]:
    """The names of the models of workloads."""
    return list(_names(lib.tori_model_list))


def _parse_choice(call: Any, kind: str, name: str) -> int:
    out = ffi.new(kind + " *")
    err = ffi.new("tori_error *")
    check(call(name.encode(), out, err), err)
    return int(out[0])


def _estimates(name: str) -> int:
    for number in ffi.typeof("tori_estimates").elements:
        if text(lib.tori_estimates_name(number)) == name:
            return int(number)
    raise Invalid(f"there are no estimates {name}")


def _at_limit(name: Optional[str]) -> int:
    if name not in (None, "run", "kill"):
        raise Invalid(f"at_limit: {name} is neither run nor kill")
    return int(lib.TORI_AT_LIMIT_KILL if name == "kill"
               else lib.TORI_AT_LIMIT_RUN)


class Jobs:
    """A table of jobs in memory, as the text of a file in CSV: made from a
    pandas DataFrame, or from columns by their names. Results name it by the
    first digits of its checksum."""

    def __init__(self, table: Any):
        if hasattr(table, "to_csv"):
            written = table.rename(columns=_NAMES).to_csv(
                index=False, date_format="%Y-%m-%dT%H:%M:%S")
        else:
            file = io.StringIO()
            writer = csv.writer(file, lineterminator="\n")
            columns = [column.tolist() if hasattr(column, "tolist")
                       else column for column in table.values()]
            if len(set(map(len, columns))) > 1:
                raise Invalid("the columns of a table have different lengths")
            writer.writerow([_NAMES.get(name, name) for name in table])
            writer.writerows(zip(*columns))
            written = file.getvalue()
        self.text: bytes = written.encode()
        self.sha256 = hashlib.sha256(self.text).hexdigest()
        self.__name__ = f"jobs-{self.sha256[:8]}"


_NAMES = {"asked": "count"}  # of Workload.table, as files name it
Source = Union[str, "os.PathLike[str]", Mapping[str, Any], Jobs, Any]


def as_source(source: Source) -> Union[str, Jobs]:
    """The name of a model, the path of a log, or a table."""
    if isinstance(source, Jobs):
        return source
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    if hasattr(source, "to_csv") or isinstance(source, Mapping):
        return Jobs(source)
    raise TypeError("jobs come from a model, a log, a DataFrame or columns, "
                    f"not from {type(source).__name__}")


class Workload:
    """Jobs that arrive: a log in SWF, a table, or a model.

    >>> work = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1)
    >>> len(work)
    100

    `source` is the name of a model, the path of a log, or a table of jobs: a
    pandas DataFrame, or arrays by the names of their columns. The names are
    those of tables in files (`tori help files`), and of Workload.table.

    >>> table = {"submit": [0, 60], "run_time": [600, 30], "nodes": [16, 4]}
    >>> Workload(table, "torus:8x8").table()["asked"].tolist()
    [16, 4]

    `shapes` is
    "first-match", "compact", "fat" or "count": how a number of nodes becomes a
    shape. It decides how far apart the nodes of a job are, so choose it. With
    "as-given" jobs that have a shape in the log keep it, and others ask for a
    number of nodes. Without `shapes` it is as-given for a table with columns of
    both, otherwise first-match. `load` stretches the arrivals to this offered load. `keep` takes
    only some jobs ("user=7;size=1-64"), `resample` draws blocks of so long by
    the seed (604800, "7d"), and `size_from` names the field of sizes. Other
    options are those of tori_workload_options.

    `estimates` says which run time the scheduler is told for a job of a log:
    "raised" (the requested time, or the run time if that is longer), "log" or
    "exact". A job that ran longer than it requested does so with
    `at_limit="run"`, where the estimates are those of the log, and ends at its
    limit with "kill".

    >>> small = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1,
    ...                  keep="size=1-4", resample="1h")
    >>> bool(max(small.table()["asked"]) <= 4)
    True
    """

    def __init__(self, source: Source, machine: Union[str, Machine], *,
                 shapes: Optional[str] = None, wiring: str = "none",
                 torus_fraction: float = 1.0, load: float = 0, seed: int = 0,
                 jobs: int = 1000, limit: int = 0,
                 estimates: Optional[str] = None,
                 at_limit: Optional[str] = None, resample: Time = 0,
                 **options: Any):
        source = as_source(source)
        self.machine = Machine(machine)
        self.seed = seed
        self.shapes = shapes = shapes or shapes_for(None, source)
        self.log_sha256: Optional[str] = None
        texts = {name: options.pop(name)
                 for name in ("service", "keep", "size_from", "durations")
                 if name in options}
        how = sized("tori_workload_options", **options)
        held = {name: ffi.new("char[]", value.encode())
                for name, value in texts.items() if value is not None}
        for name, value in held.items():
            setattr(how, name, value)
        how.resample = ticks(as_seconds(resample))
        how.shaping = _parse_choice(lib.tori_shaping_parse, "tori_shaping",
                                    shapes)
        how.wiring = wiring_number(wiring)
        how.torus_fraction = torus_fraction
        how.load = load
        how.seed = seed
        how.jobs = jobs
        how.limit = limit
        how.estimates = _estimates(
            estimates or ("log" if at_limit == "run" else "raised"))
        how.at_limit = _at_limit(at_limit)
        self._c = ffi.gc(ffi.new("tori_workload *"), lib.tori_workload_clear)
        self._read(source, how)

    def _read(self, source: Union[str, Jobs], how: Any) -> None:
        err = ffi.new("tori_error *")
        if isinstance(source, Jobs):
            data, name = ffi.from_buffer(source.text), ffi.new("char[]", b"jobs")
            reader = made("tori_swf_reader", lib.tori_swf_open_memory,
                          lib.tori_swf_close, data, len(data), name,
                          keep=(data, name))
            status = lib.tori_workload_from_swf(reader, self.machine._c, how,
                                                self._c, err)
            self.log_sha256 = source.sha256
        else:
            call = (lib.tori_workload_model if source in models()
                    else lib.tori_workload_read)
            status = call(os.fsencode(source), self.machine._c, how, self._c,
                          err)
        check(status, err)
        if (isinstance(source, str) and source not in models()
                and os.path.isfile(source)):
            self.log_sha256 = checksum_of(source)

    def __len__(self) -> int:
        return int(self._c.n)

    def __getstate__(self) -> dict[str, Any]:
        """The jobs as they are in memory. (The names of users and queues in a
        log's header, which Python does not show, are left out.)"""
        c = ffi.new("tori_workload *", self._c[0])
        c.jobs, c.labels, c.nlabels = ffi.NULL, ffi.NULL, 0
        size = len(self) * ffi.sizeof("tori_work")
        jobs = ffi.buffer(self._c.jobs, size) if size else b""
        return {**vars(self), "_tori": version, "_c": bytes(ffi.buffer(c)),
                "_jobs": bytes(jobs)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("_tori") != version:
            raise Invalid("this workload is of another version of tori")
        head, jobs = state.pop("_c"), state.pop("_jobs")
        vars(self).update(state)
        self._c = ffi.new("tori_workload *")
        ffi.buffer(self._c)[:] = head
        self._jobs = ffi.new("tori_work[]", len(self))
        ffi.buffer(self._jobs)[:] = jobs
        self._c.jobs = self._jobs

    @property
    def offered(self) -> float:
        """The offered load of the jobs that fit the machine."""
        return float(lib.tori_workload_offered(self._c, self.machine._c))

    @property
    def log_procs(self) -> int:
        """Processors of the log's machine; 0 if its header does not say."""
        return int(self._c.log_procs)

    def some(self, jobs: Any, asked: Any = None) -> Workload:
        """Some of the jobs, by their indexes or by a mask, in their order;
        perhaps each with another number of nodes.

        >>> work = Workload("lublin", "torus:8x8", jobs=9, load=1, seed=1)
        >>> work.some([2, 4], asked=[3, 5]).table()["asked"].tolist()
        [3, 5]
        """
        state = self.__getstate__()
        rows = numpy.frombuffer(state["_jobs"],
                                f"V{ffi.sizeof('tori_work')}")[jobs]
        c = ffi.new("tori_workload *")
        ffi.buffer(c)[:] = state["_c"]
        c.n = len(rows)
        other = object.__new__(Workload)
        other.__setstate__({**state, "_c": bytes(ffi.buffer(c)),
                            "_jobs": rows.tobytes()})
        for job, nodes in zip(other._jobs, () if asked is None else asked):
            job.asked = job.request.count = nodes
        return other

    @property
    def unshaped(self) -> int:
        """Jobs that have a shape in the log, and ask for a count."""
        return int(self._c.unshaped) if self.log_sha256 else 0

    @property
    def log_start(self) -> Optional[int]:
        """The Unix time of a log's second 0, if its header says so."""
        start = int(self._c.log_start)
        return start if start > 0 else None

    def table(self) -> Table:
        """The jobs as columns: id, submit, runtime, time_limit, asked, shape,
        wiring, user, group, queue. Whole numbers are the library's own, without
        a copy, and cannot be written."""
        return {"id": self._column("int64", "id"),
                "submit": in_seconds(self._column("int64", "submit")),
                "runtime": in_seconds(self._column("int64", "runtime")),
                "time_limit": in_seconds(self._column("int64", "estimate")),
                "asked": self._column("uint32", "asked"),
                "shape": self._shapes(),
                "wiring": [_WIRINGS[number] for number in self._column(
                    "uint32", "request", "wiring").tolist()],
                **{name: self._column("int64", "owner", name)
                   for name in ("user", "group", "queue")}}

    def _column(self, kind: str, *members: Union[str, int]) -> Any:
        """A member of every job: a view, which keeps the workload."""
        n = len(self)
        if n == 0:
            return numpy.zeros(0, kind)
        size = ffi.sizeof("tori_work")
        held = ffi.gc(ffi.cast("char *", self._c.jobs),
                      lambda _it, _owner=self: None)
        found: Any = numpy.ndarray(n, kind, ffi.buffer(held, n * size),
                              ffi.offsetof("tori_work", *members), (size,))
        found.flags.writeable = False
        return found

    def _shapes(self) -> list[str]:
        """The shape of every job; "" for a count."""
        texts: dict[tuple[int, ...], str] = {}
        sides = [self._column("uint32", "request", "shape", "size", d).tolist()
                 for d in range(lib.tori_machine_shape_dims(self.machine._c))]
        found = []
        for shape in zip(*sides):
            if shape not in texts:
                texts[shape] = "x".join(map(str, shape)) if all(shape) else ""
            found.append(texts[shape])
        return found


def in_seconds(column: Any) -> Any:
    """A column of times; NaN for -1, which is no time."""
    return numpy.where(column < 0, numpy.nan, column / SECOND)


def checksum_of(path: str) -> str:
    """The SHA-256 of a file, as sha256sum prints it."""
    is_now = os.stat(path)
    return _checksum(path, is_now.st_mtime_ns, is_now.st_size)


@functools.lru_cache
def _checksum(path: str, changed: int, size: int) -> str:
    """Computed again when the file has another time or size."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ---- what allocators take ----

def _is_by_count(alloc: Union[str, Function, None]) -> bool:
    info = isinstance(alloc, str) and lib.tori_alloc_find(alloc.encode())
    return bool(info and not info.takes & lib.TORI_BY_SHAPE)


def _given(source: Union[str, Jobs, None]) -> int:
    """What the jobs of a log or table have: shapes, counts or both."""
    if isinstance(source, Jobs):
        with tempfile.NamedTemporaryFile() as file:
            file.write(source.text.partition(b"\n")[0] + b"\n")
            file.flush()
            return int(lib.tori_workload_given(os.fsencode(file.name)))
    if source is None or source in models():
        return 0
    return int(lib.tori_workload_given(os.fsencode(source)))


def shapes_for(alloc: Union[str, Function, None],
               source: Union[str, Jobs, None] = None) -> str:
    """What an allocator takes and a log has, as the command chooses it."""
    if _is_by_count(alloc):
        return "count"
    both = lib.TORI_BY_SHAPE | lib.TORI_BY_COUNT
    return "as-given" if _given(source) == both else "first-match"


def with_counts(alloc: Union[str, Function, None], machine: Machine
                ) -> Union[str, Function, None]:
    """A pair with the usual allocator of counts, if one for shapes stands
    alone."""
    pod = bool(lib.tori_machine_is_pod(machine._c))
    if alloc is None:
        alloc = "cube-best" if pod else "first-fit"
    info = isinstance(alloc, str) and lib.tori_alloc_find(alloc.encode())
    if not info or info.takes & lib.TORI_BY_COUNT:
        return alloc
    large = lib.tori_machine_nodes(machine._c) > 1 << 16
    return f"{alloc}+" + ("row-bf" if pod else
                          "hilbert-bf" if large else "mm")
