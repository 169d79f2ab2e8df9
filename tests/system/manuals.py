#!/usr/bin/env python3
"""Usage: manuals.py SOURCE-DIRECTORY BUILD-DIRECTORY

The manual as it is installed: mandoc finds nothing wrong with any page, every
command and every function has one, pages that are referred to are there. And
what zsh and fish offer when somebody presses the tab key. In TAP.
"""
import glob
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
DOC = os.path.join(BUILD, "doc")
PROGRAMS = [name for name in ("torid", "torid-follow", "torid-local",
                             "torid-rehearse", "tori-slurm", "tori-kube")
            if os.path.exists(os.path.join(BUILD, name))]


class Skip(Exception):
    pass


def expect(value, what):
    if not value:
        raise RuntimeError(what)


def need(program):
    if not shutil.which(program):
        raise Skip(f"no {program}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    return sorted(glob.glob(f"{DOC}/man?/*"))


def lint():
    """Pages that are not installed yet are not found by mandoc: whether they
    are there is the next case."""
    need("mandoc")
    expect(len(pages()) > 200, f"only {len(pages())} pages in {DOC}")
    done = subprocess.run(["mandoc", "-T", "lint", *pages()], text=True,
                          capture_output=True, check=False)
    said = [line for line in done.stdout.splitlines()
            if "referenced manual not found" not in line]
    expect(not said and not done.stderr,
           "\n".join(said[:20]) + done.stderr)


def references():
    for page in pages():
        text = read(page)
        wanted = [f"man{section}/{name}.{section}" for name, section
                  in re.findall(r"^\.Xr (\S+) (\d)", text, re.M)]
        for target in wanted:
            expect(os.path.exists(f"{DOC}/{target}"), f"{page}: no {target}")


def commands():
    """Whatever the help of a program lists has a page, and so has what that
    lists."""
    def visit(section, words):
        page = f"{DOC}/man{section}/{'-'.join(words)}.{section}"
        expect(os.path.exists(page), f"no {page}")
        text = subprocess.run([f"{BUILD}/{words[0]}", *words[1:], "--help"],
                              text=True, capture_output=True,
                              check=True).stdout
        listed = re.search(r"^Commands:\n(.*?)^\S", text, re.M | re.S)
        for name in re.findall(r"^  ([a-z-]+)", listed[1] if listed else "",
                               re.M):
            visit(section, [*words, name])
            expect(f".Xr {'-'.join([*words, name])} {section}" in read(page),
                   f"{page} does not refer to that of {name}")
    visit(1, ["tori"])
    for name in PROGRAMS:
        visit(8, [name])
        version = subprocess.run([f"{BUILD}/{name}", "--version"], text=True,
                                 capture_output=True, check=True).stdout
        expect(version.startswith(f"{name} 0."), version)
    expect("max-running = N" in re.sub(r"\.It |[\\&]", "", read(
        f"{DOC}/man5/torid.conf.5")), "a key is missing in torid.conf(5)")


def functions():
    said = subprocess.run(["nm", "-D", "--defined-only",
                           f"{BUILD}/include/libtori.so"], text=True,
                          capture_output=True, check=True).stdout
    names = re.findall(r" T (tori_\w+)", said)
    expect(len(names) > 100, "the library exports next to nothing")
    for name in names:
        expect(os.path.exists(f"{DOC}/man3/{name}.3"), f"no {name}(3)")


CASES = (
    ("tori p", {"place", "plan", "paper"}),
    ("tori place --w", {"--wiring", "--wrap"}),
    ("tori place --wiring ", {"none", "mesh", "torus", "twisted"}),
    ("tori gang st", {"status", "stop"}),
    ("tori help wi", {"wire"}),
    ("torid --l", {"--listen", "--log"}),
    ("torid --log ", {"debug", "info", "warning", "error"}),
    ("torid-rehearse --s", {"--speed"}),
)


def refusals():
    """The status and code of every refusal that the sources have; a status that
    only the server knows is None."""
    found = set()
    for path in glob.glob(f"{SOURCE}/src/torid/*/*.c"):
        for status, chosen, code in re.findall(
                r'(\b[45]\d\d|\(int\)code),\s*(?:\w+ \? "([a-z][a-z-]+)"\s*:\s*)?'
                r'"([a-z][a-z-]+)"', read(path)):
            known = int(status) if status.isdigit() else None
            found |= {(known, name) for name in (chosen, code) if name}
    return found


def http_page():
    page = read(f"{SOURCE}/doc/http-api.md")
    rows = re.findall(r"^\| (\d+) \| (`[^|]*) \|", page, re.M)
    told = {(status, code) for number, codes in rows
            for code in re.findall("`([a-z-]+)`", codes)
            for status in (int(number), None)}
    expect(refusals() <= told, f"not there: {sorted(refusals() - told, key=str)}")
    codes = {code for _, code in refusals()} | {"too-many-streams"}
    expect({code for _, code in told} <= codes,
           f"not of torid: {sorted({c for _, c in told} - codes)}")
    routes = re.findall(r'\{"(GET|POST|PATCH|DELETE)", "(/v1/[a-z-]+)',
                        read(f"{SOURCE}/src/torid/shell/routes.c"))
    expect(routes, "no routes")
    for _, path in routes:
        expect(path in page or path == "/v1/windows", f"no {path}")


def snapshots():
    """Every member that a job has in a snapshot is in 'tori help files'."""
    rows = read(f"{SOURCE}/src/lib/live/jobrows.h")
    names = re.findall(r"^JOB_[A-Z]+ \(\w+,\s+[A-Z]+,\s+[A-Z]+,\s+[\w.]+,"
                       r'\s+[\w| ]+,\s+"(\w+)"', rows, re.M)
    expect("shape" in names and len(names) > 15, f"only {names}")
    text = subprocess.run([f"{BUILD}/tori", "help", "files"], text=True,
                          capture_output=True, check=True).stdout
    told = re.search(r"Members of a job:(.*?)Members of a reservation", text,
                     re.S)[1]
    for name in names:
        expect(re.search(rf"\b{name}\b", told), f"no {name}")


def fish():
    need("fish")
    for line, words in CASES:
        done = subprocess.run(
            ["fish", "--no-config", "-c",
             f"source {DOC}/{line.split()[0]}.fish; "
             f"complete -C '{line}'"],
            text=True, capture_output=True, check=True,
            env={**os.environ, "HOME": BUILD})
        offered = {row.split("\t")[0] for row in done.stdout.splitlines()}
        expect(offered == words, f"{line}: {offered}, {done.stderr}")


ZSH = """
PS1='%'; unsetopt zle_bracketed_paste 2>/dev/null
fpath=({doc} $fpath); autoload -U compinit; compinit -u -d {build}/zcompdump
zstyle ':completion:*' list-prompt ''; LISTMAX=1000
bindkey '^I' list-choices; stty columns 40
"""


def read_until(fd, wanted, seconds=60):
    out, end = "", time.monotonic() + seconds
    while not wanted(out) and time.monotonic() < end:
        if select.select([fd], [], [], 1)[0]:
            out += os.read(fd, 65536).decode("utf-8", "replace")
    return out


def zsh():
    """zsh completes only in a terminal, so it gets one."""
    need("zsh")
    for line, words in CASES:
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update({"TERM": "dumb", "HOME": BUILD,
                               "ZDOTDIR": "/nonexistent"})
            os.execlp("zsh", "zsh", "-f", "-i")
        os.write(fd, ZSH.format(doc=DOC, build=BUILD).encode())
        os.write(fd, b"echo rea''dy\n")
        read_until(fd, lambda out: "ready" in out)
        os.write(fd, line.encode() + b"\t")
        out = read_until(fd, lambda out, w=words: w <= set(out.split()), 20)
        os.write(fd, b"\x03\x04exit\n")
        os.close(fd)
        os.waitpid(pid, 0)
        offered = {word for word in out.split() if word in words}
        expect(offered == words, f"{line}: {out!r}")


def main():
    cases = ((lint, "mandoc finds nothing wrong"),
             (references, "pages that are referred to are there"),
             (commands, "every command has a page"),
             (functions, "every function has a page"),
             (http_page, "every route and refusal of torid is on its page"),
             (snapshots, "every member of a job in a snapshot is explained"),
             (fish, "fish completes"), (zsh, "zsh completes"))
    failed = 0
    print(f"1..{len(cases)}")
    for number, (case, name) in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - {name}")
        except Skip as skip:
            print(f"ok {number} - {name} # SKIP {skip}")
        except (RuntimeError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"not ok {number} - {name}")
            print("# " + str(error).replace("\n", "\n# "))
    return failed > 0


sys.exit(main())
