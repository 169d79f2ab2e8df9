"""The order of the queue as a function of Python. Times are in seconds."""
from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._library import Raised, check, ffi, lib, seconds, sized
from .place import Request


class Waiting:
    """A waiting job, as an order of your own sees it."""

    __slots__ = ("_c", "_work", "tag", "now", "submit", "time_limit", "nodes")

    tag: int  # your own name for the job; in `simulate`, its row in the table
    now: float
    submit: float
    time_limit: float
    nodes: int  # the fewest that the job would take

    def __init__(self, job: Any, work: Any):
        self._c = job
        self._work = work
        self.tag = job.tag
        self.now = seconds(job.now)
        self.submit = seconds(job.submit)
        self.time_limit = seconds(job.estimate)
        self.nodes = job.nodes

    @property
    def wait(self) -> float:
        """How long it has waited."""
        return self.now - self.submit

    @property
    def request(self) -> Request:
        """What it asks for; only while your function runs."""
        if self._c is None:
            raise ValueError("a Waiting is valid only during the call")
        return Request._of(self._c.request)

    def _owner(self, name: str) -> int:
        if self._work is None:
            raise AttributeError(f"only `simulate` knows the {name} of a job")
        return int(getattr(self._work.jobs[self.tag].owner, name))

    @property
    def user(self) -> int:
        """In `simulate`: as in Workload.table; -1 if it is not known."""
        return self._owner("user")

    @property
    def group(self) -> int:
        return self._owner("group")

    @property
    def queue(self) -> int:
        return self._owner("queue")


Key = Callable[[Waiting], float]


class Order:
    """An order of the queue: a function that gives a waiting job its key. The
    lowest key goes first, as for `sorted`; submission breaks ties.

    >>> def by_size(job):
    ...     return job.nodes
    >>> smallest_first = Order(by_size, ages=False)

    A function by itself means Order(function): its keys may depend on the
    time, and it is called again for each waiting job whenever the scheduler
    runs. With ages=False it is called once for each job, which is faster.
    `name` is what snapshots call it: that of the function, if not given.
    """

    def __init__(self, function: Key, *, ages: bool = True,
                 name: Optional[str] = None):
        self.function = function
        self.ages = ages
        self.__name__ = name or str(getattr(function, "__name__", "python"))


OrderLike = Union[str, Order, Key]


class OwnOrder:
    """A function of Python as a tori_order_ops. An exception in it is kept,
    and raised again where the library's call returns."""

    def __init__(self, order: Union[Order, Key], raised: Raised,
                 work: Any = None):
        if not isinstance(order, Order):
            order = Order(order)
        self._function = order.function
        self._raised = raised
        self._work = work
        self._call = ffi.callback(
            "int(void *, const tori_order_job *, double *, tori_error *)",
            self._key, error=-1)
        self._name = ffi.new("char[]", order.__name__.encode())
        self.ops = sized("tori_order_ops", name=self._name, key=self._call,
                         flags=lib.TORI_ORDER_AGES if order.ages else 0)

    def _key(self, _arg: Any, job: Any, out: Any, _err: Any) -> int:
        try:
            waiting = Waiting(job, self._work)
            out[0] = float(self._function(waiting))
            waiting._c = None
            return 0
        except BaseException as raised:  # pylint: disable=broad-except
            self._raised.raised = raised
            return -1


def order_number(name: str) -> int:
    """One of the library's orders."""
    out = ffi.new("tori_order *")
    err = ffi.new("tori_error *")
    check(lib.tori_order_parse(name.encode(), out, err), err)
    return int(out[0])
