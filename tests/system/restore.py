#!/usr/bin/env python3
"""Usage: restore.py BUILD-DIRECTORY [--only NAME...]

Backups that are put back while jobs run: nothing is given twice, and no process
is taken for another. In TAP.
"""
import os
import shutil
import signal
import sys

from service import BUILD, Service, equal, read, run, wait


def is_alive(pid):
    return read(f"/proc/{pid}/stat").split(") ")[-1][:1] not in ("", "Z")


class Restored(Service):
    """Its jobs folder is in the state directory, as in the guide."""

    def __init__(self, executor="torid-local --jobs {}/state/jobs"):
        super().__init__(
            executor=lambda files: f"{BUILD}/{executor.format(files)}")

    def stop(self):
        equal(self.kill(signal.SIGTERM), 0)

    def back_up(self):
        self.stop()
        shutil.copytree(self.path("state"), self.path("backup"),
                        ignore=shutil.ignore_patterns("socket"))
        self.begin()

    def put_back(self, moved):
        self.stop()
        if moved:
            os.rename(self.path("state"), self.path("old"))
        else:
            shutil.rmtree(self.path("state"))
        shutil.copytree(self.path("backup"), self.path("state"))
        self.begin()

    def sleeper(self, name, **more):
        return self.submit("sh", "-c", f"echo $$ >> {name}; exec sleep 600",
                           estimate=3600, **more)

    def pid(self, name):
        wait(lambda: read(self.path(name)).endswith("\n"), f"no {name}")
        return read(self.path(name)).split()

    def nodes(self, number):
        place = self.job(number)["place"]
        return set(place["nodes"])

    def started(self, number):
        """Wait until the executor has it, not only an order on its way."""
        wait(lambda: self.job(number)["state"] == "running"
             and not self.job(number).get("starting"), "it waits")

    def health(self):
        return self.ask("GET", "/healthz")[1]["status"]

    def unknown(self):
        return self.ask("GET", "/v1/unknown")[1]["unknown"]


def restored(moved):
    with Restored() as service:
        known = service.sleeper("known", count=4)
        again = service.sleeper("again", count=2, hold=True)
        first, = service.pid("known")
        service.back_up()
        lost = service.sleeper("lost", count=6)
        service.ask("PATCH", f"/v1/jobs/{again}", {"hold": False})
        pids = [first, *service.pid("lost"), *service.pid("again")]
        taken = [service.nodes(number) for number in (known, lost, again)]
        service.put_back(moved)
        wait(lambda: service.health() == "unknown-processes",
             f"all is well? {read(service.path('log'))}")
        equal(sorted((one["job"], set(one["nodes"]) == nodes)
                     for one, nodes in zip(sorted(service.unknown(), key=lambda
                                                  one: one["job"]),
                                           (taken[2], taken[1]))),
              [(again, True), (lost, True)])
        assert "event=unknown-processes" in read(service.path("log"))
        equal(service.metric("tori_unknown_processes"), 2)
        assert f"tori cancel --unknown {lost}" in service.tori("nodes")[1]
        equal(service.job(known)["state"], "running")
        equal(service.job(again)["state"], "queued")

        # A new job gets another number and other nodes.
        new = service.sleeper("new", count=2)
        assert new > lost, (new, lost)
        wide = service.sleeper("wide", count=4)
        service.pid("new")
        assert not service.nodes(new) & set.union(*taken)
        equal(service.job(wide)["state"], "queued")

        # The same job and attempt once more is another process.
        service.ask("PATCH", f"/v1/jobs/{again}", {"hold": False})
        wait(lambda: len(service.pid("again")) == 2, "it does not start")
        assert not service.nodes(again) & set.union(*taken)
        equal(service.ask("DELETE", f"/v1/jobs/{again}")[0], 200)
        equal(service.ended(again)["why"], "cancelled")
        assert all(map(is_alive, pids)), pids
        wait(lambda: not is_alive(service.pid("again")[1]), "it lives on")
        equal(service.tori("cancel", str(lost))[0], 2)

        # Only an operator ends them; then their nodes are back.
        service.kill()
        service.begin()
        wait(lambda: len(service.unknown()) == 2, "they are forgotten")
        equal(service.tori("cancel", "--unknown", str(lost)), (0, "", ""))
        wait(lambda: len(service.unknown()) == 1, "it does not end")
        service.pid("wide")
        assert not service.nodes(wide) & (taken[0] | taken[2])
        equal(service.tori("cancel", "--unknown", str(again)), (0, "", ""))
        wait(lambda: service.health() == "ok", "nothing ends")
        equal(service.metric("tori_unknown_processes"), 0)
        equal(service.tori("nodes")[1], "16 of 16 nodes are in service\n")
        equal([is_alive(pid) for pid in pids], [True, False, False])
        equal(service.tori("cancel", "--unknown", str(again))[0], 2)

        # A job that was known all the time ends as ever.
        for number in known, new, wide:
            service.ask("DELETE", f"/v1/jobs/{number}")
            equal(service.ended(number)["why"], "cancelled")
        equal([is_alive(pid) for pid in pids], [False] * 3)


def replaced():
    """a backup replaces the state: unknown processes are kept off and told of"""
    restored(False)


def set_aside():
    """so it is if the state before was only moved away"""
    restored(True)


def rehearsed():
    """a rehearsal, too, does not take a job for another of the same number"""
    with Restored("torid-rehearse --jobs {}/acts") as service:
        job = {"count": 4, "estimate": 36000}
        known = service.submit("x", **job)
        again = service.submit("x", hold=True, **job)
        service.started(known)
        service.back_up()
        lost = service.submit("x", **job)
        service.ask("PATCH", f"/v1/jobs/{again}", {"hold": False})
        for number in (again, lost):
            service.started(number)
        taken = {number: service.nodes(number)
                 for number in (known, again, lost)}
        service.put_back(False)
        wait(lambda: len(service.unknown()) == 2, "they are forgotten")
        equal({one["job"]: set(one["nodes"]) for one in service.unknown()},
              {number: taken[number] for number in (again, lost)})
        equal(service.job(known)["state"], "running")
        new = service.submit("x", **job)
        assert new > lost, (new, lost)
        service.started(new)
        assert not service.nodes(new) & set.union(*taken.values())
        service.ask("PATCH", f"/v1/jobs/{again}", {"hold": False})
        equal(service.job(again)["state"], "queued")
        for number in (lost, again):
            equal(service.tori("cancel", "--unknown", str(number))[0], 0)
        wait(lambda: not service.unknown(), "they do not end")
        service.started(again)
        equal(service.ask("DELETE", f"/v1/jobs/{again}")[0], 200)
        equal(service.ended(again)["why"], "cancelled")
        equal([service.job(number)["state"] for number in (known, new)],
              ["running"] * 2)


def unknown_outcome():
    """a job that ended after the backup: unknown, and its dependents are held"""
    with Restored() as service:
        ends = service.submit("sh", "-c",
                              "until [ -e go ]; do sleep 0.05; done", estimate=3600, count=4)
        waits = [service.submit("true", count=1, after=f"ok:{ends}")
                 for _ in range(2)]
        service.started(ends)
        service.back_up()
        with open(service.path("go"), "w"):
            pass
        equal(service.ended(ends)["status"], 0)
        for number in waits:
            equal(service.ended(number)["status"], 0)
        service.put_back(False)
        past = service.ended(ends)
        equal((past["status"], past["signal"]), (None, None))
        rows = service.tori("history", "--outcome", "unknown", "--csv")[1]
        assert f"\n{ends}," in rows, rows
        for number in waits:
            wait(lambda: service.job(number).get("hold") == "user", "not held")
            listed = service.tori("queue")[1]
            assert f"the outcome of job {ends} is unknown" in listed, listed
        equal(service.tori("release", str(waits[0]))[0], 0)
        equal(service.ended(waits[0])["status"], 0)
        equal(service.tori("cancel", str(waits[1]))[0], 0)
        equal(service.ended(waits[1])["why"], "cancelled")


if __name__ == "__main__":
    sys.exit(run([replaced, set_aside, rehearsed, unknown_outcome]))
