"""What `tori paper` starts, with one word: its options, read and checked, as
JSON. `--fields` prints the fields of all answers instead, for `tori help json`:
a line "tori paper NAME" each, then a line "FIELD TAB TEXT" for each field."""
from __future__ import annotations

import concurrent.futures
import importlib
import json
import os
import signal
import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Iterator, Optional

PACKAGE = "tori.lab.papers"
AT_ONCE = 2  # papers of `all`: the last simulation of one leaves processors idle
OPTIONS = ("out", "traces", "model", "service", "limit", "jobs", "seeds",
           "workers", "quick")
# In the order of the list.
PAPERS = ("multitoroidal", "clusters", "manhattan-median", "table1", "flow",
          "isomorphic", "latency", "queue-tree", "preemption", "dilation",
          "contention", "lines", "subcubes", "partitions", "preemptive",
          "slices")
# Papers that are still in C, and the options that they take.
IN_C: dict[str, tuple[str, ...]] = {
    "rfold": ("limit", "seeds"),
}


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{name.replace('-', '_')}")


def takes(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = (IN_C[name] if name in IN_C
                              else module_of(name).TAKES)
    return found


def row_of(name: str, how: Any) -> dict[str, Any]:
    """A row of `tori paper list`."""
    if name in IN_C:
        return next(dict(row) for row in listed_in_c(how)
                    if row["name"] == name)
    module = module_of(name)
    return {"name": name, "what": module.WHAT, "citation": module.CITATION}


def listed_in_c(how: Any) -> list[dict[str, Any]]:
    done = subprocess.run([how.c, "list", "--json"], check=True,
                          stdout=subprocess.PIPE)
    rows: list[dict[str, Any]] = json.loads(done.stdout)["papers"]
    return rows


def entry(row: dict[str, Any]) -> str:
    """Citations are long: each paper is a paragraph, not a row."""
    from .sheets import wrap
    return (f"{row['name']}\n  " + wrap(row["what"], 2)
            + "  " + wrap(row["citation"], 2))


def emit(rows: list[dict[str, Any]], how: Any) -> str:
    from .sheets import encode
    texts = []
    for row in rows:
        members = [f'"{key}":' + (row[key] if key == "result"
                                  else encode(row[key])) for key in row]
        texts.append("{" + ",".join(members) + "}")
    return f'{how.beginning},"papers":[{",".join(texts)}]}}\n'


def run_list(how: Any) -> int:
    from tori import Invalid
    if any(getattr(how, name) for name in OPTIONS):
        raise Invalid("paper list: the only option is --json")
    in_c = {row["name"]: row for row in (listed_in_c(how) if IN_C else ())}
    rows = [in_c.get(name) or row_of(name, how) for name in how.names]
    sys.stdout.write(emit(rows, how) if how.json
                     else "\n".join(map(entry, rows)))
    return 0


def words_for(name: str, how: Any) -> list[str]:
    """The options of one of all: those that it has a use for."""
    words = ["--seed", str(how.seed)]
    for option in ("traces", "model", "service", "limit", "jobs", "seeds"):
        value = getattr(how, option)
        if option not in takes(name) or not value:
            continue
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{option}", str(one)]
    if how.workers:
        words += ["--workers", str(max(1, how.workers // AT_ONCE))]
    if how.out:
        words += ["--out", os.path.join(how.out, name)]
    return words + ["--quick"] * how.quick + ["--json"] * how.json


def run_all(how: Any) -> int:
    """One that fails does not stop the others. The pages come in the order of
    the list."""
    from tori import Failed
    if how.out:
        try:
            os.mkdir(how.out)
        except FileExistsError:
            pass
        except OSError as why:
            raise Failed(f"{how.out}: {why.strerror}") from None

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([how.tori, "paper", name, *words_for(name, how)],
                              capture_output=True, text=True, check=False)

    rows: list[dict[str, Any]] = []
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(
            1 if how.workers == 1 else AT_ONCE) as pool:
        for name, done in zip(how.names, pool.map(run, how.names)):
            row = row_of(name, how)
            error = done.stderr.removeprefix("tori: ").rstrip("\n")
            if done.returncode:
                failed += 1
                print(f"tori: paper {name}: {error}", file=sys.stderr)
            if how.json:
                at = done.stdout.find('"verdicts":')
                if at >= 0:
                    row["result"] = "{" + done.stdout[at:].rstrip("\n")
                if done.returncode:
                    row["error"] = error
            else:
                sys.stdout.write(("\n\n" if rows else "") + entry(row) + "\n"
                                 + done.stdout)
                sys.stdout.flush()
            rows.append(row)
    if how.json:
        sys.stdout.write(emit(rows, how))
    if failed:
        raise Failed(f"{failed} of {len(rows)} papers are incomplete")
    return 0


def run_one(how: Any) -> int:
    from tori import Invalid
    from . import Run
    module = module_of(how.name)
    for option in ("traces", "model", "service", "limit", "jobs", "seeds"):
        if getattr(how, option) and option not in module.TAKES:
            raise Invalid(f"paper {how.name}: takes no --{option}")
    if how.quick:
        how.limit = module.QUICK.get("limit", 0)
        how.seeds = module.QUICK.get("seeds", 0)
    run = Run(module, how)
    sys.stdout.write(run.do())
    sys.stdout.flush()
    run.finish()
    return 0


def fields() -> Iterator[str]:
    from . import OF_ALL
    from .sheets import describe
    for name in PAPERS:
        yield f"tori paper {name}"
        answer = module_of(name).ANSWER
        for field, about in describe([*OF_ALL, *answer]):
            yield f"{field}\t{about}"


def main() -> int:
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    status, why = 1, None  # type: tuple[int, Optional[object]]
    try:
        from tori import Error
    except ImportError as missing:
        print(f"tori: {missing}", file=sys.stderr)
        return 1
    try:
        if sys.argv[1] == "--fields":
            print("\n".join(fields()))
            status = 0
        else:
            how = SimpleNamespace(**json.loads(sys.argv[1]))
            status = {"list": run_list, "all": run_all}.get(how.name, run_one)(
                how)
        sys.stdout.flush()
    except Error as error:
        status, why = error.status, error
        if status == 5:  # a search that gave up
            status = 2
    except ImportError as missing:
        why = (f"{missing.name} is missing, as in python3-{missing.name}"
               if missing.name else missing)
    except OSError as error:
        why = f"standard output: {error.strerror}"
    if why is not None:
        try:
            sys.stdout.flush()
        except OSError:
            pass
        print(f"tori: {why}", file=sys.stderr)
    return status


if __name__ == "__main__":
    result = main()
    sys.stderr.flush()
    os._exit(result)  # quickly, and with no second complaint
