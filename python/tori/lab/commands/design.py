"""A grid of simulations: every combination of values of options of `tori sim`.

An axis is such an option with one or more values, "fcfs,easy", or for numbers
"0.2:1.0:0.1". A cell is one combination, and a command line of `tori sim`:
whatever that refuses is refused here, in the same words. Some axes say what is
to be done (the scene: machine, workload, load), some how (the policy: scheduler,
allocator, and what --pair names). The seed is an axis of its own. Policies meet
the same jobs in a scene with the same seed, so they can be compared seed by
seed.

Cells are in the order of the axes, the seed changing fastest. A combination of
values that are good in themselves but not together is left out."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional

from ..._library import Invalid
from . import check_files
from .server import Server

Row = dict[str, Any]
SCENES = ("trace", "model", "jobs", "limit", "machine", "load", "scale",
          "wiring", "torus-fraction", "count-fraction", "shapes", "estimates",
          "network", "mtbf", "urgent")
POLICIES = ("sched", "order", "depth", "alloc", "or", "patience",
            "on-failure", "preempted")
AXES = SCENES + POLICIES
# Options that all cells share.
SHARED = ("by", "keep", "warm-up", "cool-down", "size-from", "resample")
# Axes whose values need no name before them.
PLAIN = ("trace", "model", "machine", "sched", "alloc")
# Limits that no useful grid reaches.
MOST_CELLS, MOST_VALUES, MOST_WORDS = 10_000_000, 10_000, 122
TEXT = 159  # bytes of a name
_LARGE = 2 ** 63 - 1


# ---- the values of an axis ----

def _decimal(text: str) -> Optional[tuple[int, int]]:
    """A number as an integer and how many digits are after the point."""
    digits = text.replace(".", "", 1)
    if "." in digits or int(digits[:-1] or 0) > _LARGE // 100:
        return None
    return int(digits or 0), len(text.partition(".")[2])


def _range(name: str, texts: list[str]) -> Iterator[str]:
    numbers = [number for text in texts if (number := _decimal(text))]
    most = max(digits for _, digits in numbers)
    first, last, step = (number * 10 ** (most - digits)
                         for number, digits in numbers)
    if max(first, last, step) > _LARGE or step == 0 or first > last:
        raise Invalid(f"--{name}: expected FROM:TO:STEP, such as 0.2:1.0:0.1")
    if (last - first) // step >= MOST_VALUES:
        raise Invalid(f"--{name}: more than {MOST_VALUES} values")
    unit = 10 ** most
    for at in range(first, last + 1, step):
        yield (f"{at // unit}.{at % unit:0{most}}" if most
               else str(at))


def _values(name: str, typed: str) -> list[str]:
    found: list[str] = []
    for text in typed.split(","):
        if not text:
            raise Invalid(f"--{name}: expected values with commas between "
                          "them")
        parts = text.split(":")
        if len(parts) == 3 and all(
                re.fullmatch(r"[0-9.]+", part) and _decimal(part)
                for part in parts):
            found += _range(name, parts)
        else:
            found.append(text)
    seen = set()
    for text in found:
        if text in seen:
            raise Invalid(f"--{name}: '{text[:60]}' is given twice")
        seen.add(text)
    return found


def _cut(text: str, most: int = TEXT) -> str:
    return text.encode()[:most].decode(errors="replace")


# ---- the grid ----

@dataclass
class Combination:
    """A scene and a policy, for all seeds."""

    scene: int
    policy: int
    words: list[str]  # without the seed and further options
    config: Row  # of the first seed
    shaped: Optional[str]  # the rule of shapes, if none was given


class Design:
    """Made from options by their names in JSON: those typed, or those in the
    config of an answer. Cell i is seed i % seeds of combination i / seeds."""

    def __init__(self, options: Mapping[str, Any], server: Server):
        self.axes: dict[str, list[str]] = {}
        self.shared: list[str] = []
        for name in AXES:
            value = options.get(name.replace("-", "_"))
            if value is not None:
                self.axes[name] = _values(name, value)
        for name in SHARED:
            value = options.get(name.replace("-", "_"))
            if value is not None:
                self.shared += [f"--{name}", value]
        self.extra = (options.get("options") or "").split()
        self.seed: int = options["seed"]
        self.seeds: int = options["seeds"]
        for log in self.axes.get("trace", ()):
            if log == "-":
                raise Invalid("--trace: every simulation reads the log, and "
                              "standard input can be read only once")
            check_files([("--trace", log, False)])
        self._read_pair(options.get("pair"))
        self.scenes, self.policies = (
            self._count(False), self._count(True))
        if self.scenes * self.policies > MOST_CELLS // self.seeds:
            raise Invalid(f"more than {MOST_CELLS} combinations")
        self.combinations: list[Combination] = []
        self.reasons: dict[str, tuple[str, int]] = {}
        for scene in range(self.scenes):
            for policy in range(self.policies):
                self._add(scene, policy, server)
        if not self.combinations:
            raise Invalid(next(iter(self.reasons)))
        self.resampled = "resample" in self.combinations[0].config
        self.by: Optional[str] = self.combinations[0].config.get("by")

    def __len__(self) -> int:
        return len(self.combinations) * self.seeds

    @property
    def left_out(self) -> int:
        return sum(n for _, n in self.reasons.values())

    def _read_pair(self, typed: Optional[str]) -> None:
        self._compared = set(POLICIES)
        for name in (typed or "").split(",") if typed is not None else ():
            if name not in AXES:
                raise Invalid(f"--pair: '{_cut(name, 60)}': expected options "
                              "with several values, such as wiring,shapes")
            if len(self.axes.get(name, ())) < 2:
                raise Invalid(f"--pair: --{name} has only one value")
            self._compared.add(name)

    def _count(self, policies: bool) -> int:
        n = 1
        for name, values in self.axes.items():
            if (name in self._compared) == policies:
                n *= len(values)
                if n > MOST_CELLS:
                    raise Invalid(f"more than {MOST_CELLS} combinations")
        return n

    def values(self, scene: int, policy: int) -> dict[str, str]:
        """The value of each axis; the last axis changes fastest."""
        found = {}
        for name in reversed(self.axes):
            values = self.axes[name]
            if name in self._compared:
                policy, at = divmod(policy, len(values))
            else:
                scene, at = divmod(scene, len(values))
            found[name] = values[at]
        return {name: found[name] for name in self.axes}

    def _words(self, values: Mapping[str, str]) -> list[str]:
        words = []
        for name, value in values.items():
            # A patience that all share says nothing to those without
            # alternatives, which the others are compared with.
            if (name == "patience" and len(self.axes[name]) == 1
                    and values.get("or") == "none"):
                continue
            words += [f"--{name}", value]
        return words + self.shared

    def _add(self, scene: int, policy: int, server: Server) -> None:
        it = Combination(scene, policy,
                         self._words(self.values(scene, policy)), {}, None)
        words = self._with_seed(it, self.seed)
        if len(words) > MOST_WORDS:
            raise Invalid("--options: too many words")
        found = server.ask({"words": words, "seeds": self.seeds})
        if "left_out" in found:
            why = found["left_out"]
            first, n = self.reasons.get(why, (" ".join(filter(None, (
                self.scene(scene), self.policy(policy)))), 0))
            self.reasons[why] = first, n + 1
            return
        it.config, it.shaped = found["config"], found.get("shaped")
        self.combinations.append(it)

    def _with_seed(self, it: Combination, seed: int) -> list[str]:
        return [*it.words, "--seed", str(seed), *self.extra]

    # ---- cells ----

    def of(self, i: int) -> Combination:
        return self.combinations[i // self.seeds]

    def seed_of(self, i: int) -> int:
        return self.seed + i % self.seeds

    def words(self, i: int) -> list[str]:
        """The command line of a cell."""
        return self._with_seed(self.of(i), self.seed_of(i))

    def key(self, i: int) -> str:
        """The config of a cell, unique in the grid."""
        return json.dumps({**self.of(i).config, "seed": self.seed_of(i)})

    def ranges(self) -> Iterator[range]:
        """The cells of each scene."""
        first = 0
        for i in range(1, len(self.combinations) + 1):
            if (i == len(self.combinations) or self.combinations[i].scene
                    != self.combinations[first].scene):
                yield range(first * self.seeds, i * self.seeds)
                first = i

    # ---- names ----

    def _name(self, scene: int, policy: int, part: str) -> str:
        texts = []
        for name, value in self.values(scene, policy).items():
            is_in = ("shared" if len(self.axes[name]) < 2 else
                     "policy" if name in self._compared else "scene")
            if is_in != part:
                continue
            if name == "trace":
                value = value.rpartition("/")[2]
            texts.append(value if name in PLAIN else f"{name} {value}")
        return _cut(" ".join(texts))

    def scene(self, scene: int) -> str:
        """The values that distinguish a scene in the grid: "load 0.9". Empty
        if there is only one."""
        return self._name(scene, 0, "scene")

    def policy(self, policy: int) -> str:
        """The same of a policy: "easy mm"."""
        return self._name(0, policy, "policy")

    def common(self) -> str:
        """The values that all cells share, from axes with one value."""
        return self._name(0, 0, "shared")

    def left_out_lines(self, before: str) -> str:
        """Which combinations are left out and why, a line for each reason."""
        return "".join(
            f"{before}left out: {first}"
            + (f" and {n - 1} more" if n > 1 else "") + f": {why}\n"
            for why, (first, n) in self.reasons.items())
