#!/usr/bin/env python3
"""Usage: prefix.py BUILD-DIRECTORY [--only NAME...]

`make install` of a small tree with tori's Makefile and scripts: it never writes
onto the sources, says in one line what keeps it from installing, and leaves what is
built to the owner of the sources when root installs. In TAP.
"""
import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

from service import Skip, equal, read, run

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ROOT = os.geteuid() == 0
USER = pwd.getpwnam("nobody") if ROOT else pwd.getpwuid(os.getuid())
HEADER = "/* a header */\n"
MESON = """\
project('small', version: '1', default_options: ['libdir=lib64'])
install_headers('include/tori/alloc.h', subdir: 'tori')
alias_target('product', custom_target('commit',
  command: [files('scripts/commit'), meson.project_source_root()],
  output: 'commit', capture: true, build_always_stale: true,
  install: true, install_dir: get_option('libdir')))
"""
# Nothing that is set up for git on this machine, and no cache of a compiler.
ENVIRONMENT = {**{name: value for name, value in os.environ.items()
                  if name not in ("MAKEFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX")},
               "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_GLOBAL": "/dev/null",
               "HOME": "/nonexistent", "CCACHE_DISABLE": "1"}


class Tree:
    """A checkout in a folder of the user, and what make install does with it."""

    def __init__(self, files):
        self.files = files
        self.top = os.path.join(files, "small")
        os.makedirs(f"{self.top}/include/tori")
        os.makedirs(f"{self.top}/scripts")
        for name in ("Makefile", "scripts/commit", "scripts/install",
                     "scripts/owner"):
            shutil.copy(f"{SOURCE}/{name}", f"{self.top}/{name}")
        for name, text in (("meson.build", MESON), (".gitignore", "/build\n"),
                           ("include/tori/alloc.h", HEADER),
                           ("scripts/need", "#!/bin/sh\n")):
            with open(f"{self.top}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(f"{self.top}/scripts/need", 0o755)
        if ROOT:
            os.chmod(files, 0o755)
            for folder, _, names in os.walk(self.top):
                for path in [folder] + [f"{folder}/{name}" for name in names]:
                    os.chown(path, USER.pw_uid, USER.pw_gid)
            self.own = os.path.join(files, "own")
            os.mkdir(self.own)
            os.chown(self.own, USER.pw_uid, USER.pw_gid)
        for words in (["init", "-q"], ["add", "."],
                      ["-c", "user.name=u", "-c", "user.email=u@localhost",
                       "commit", "-qm", "all"]):
            self.command("git", *words, check=True)

    def command(self, *words, root=False, check=False):
        more = {} if root or not ROOT else {
            "user": USER.pw_uid, "group": USER.pw_gid, "extra_groups": []}
        return subprocess.run(words, cwd=self.top, text=True, check=check,
                              capture_output=True, env=ENVIRONMENT, umask=0o077,
                              **more)

    def install(self, *words, root=False):
        return self.command("make", "install", *words, root=root)

    def refuses(self, *words, root=False):
        """The one line of a refusal, after which all is as before."""
        before = self.listed()
        done = self.install(*words, root=root)
        equal(done.returncode, 2)
        lines = [line for line in (done.stdout + done.stderr).splitlines()
                 if not line.startswith("make: ")]
        assert len(lines) == 1 and lines[0].startswith("tori: "), (words, lines)
        equal(read(f"{self.top}/include/tori/alloc.h"), HEADER)
        equal(self.listed(), before)
        return lines[0]

    def listed(self):
        return sorted(os.path.join(folder, name)
                      for folder, _, names in os.walk(self.files)
                      for name in names)


@contextlib.contextmanager
def a_tree():
    with tempfile.TemporaryDirectory(prefix="tori-prefix-") as files:
        yield Tree(files)


def installed(prefix, tree):
    equal(read(f"{prefix}/include/tori/alloc.h"), HEADER)
    commit = tree.command("git", "rev-parse", "--short=12", "HEAD").stdout
    equal(read(f"{prefix}/lib/commit"), commit)


def onto_sources():
    """a prefix that is the folder of the sources or the build is refused"""
    with a_tree() as tree:
        top, link = tree.top, f"{tree.files}/link"
        os.symlink(top, link)
        os.mkdir(f"{tree.files}/other")
        os.symlink(f"{top}/include", f"{tree.files}/other/include")
        for words in ([f"PREFIX={top}"], [f"PREFIX={top}/"],
                      [f"PREFIX={top}/scripts/.."], [f"PREFIX={link}"],
                      [f"PREFIX={tree.files}/other"],
                      [f"PREFIX={top}/build"], [f"PREFIX={link}/build/"],
                      ["PREFIX=/", f"DESTDIR={top}"],
                      ["PREFIX=/small", f"DESTDIR={tree.files}"],
                      ["PREFIX=/", "DESTDIR=."]):
            assert "the sources" in tree.refuses(*words)
        for prefix in (".", "other", "~/tori", ""):
            assert "begin with /" in tree.refuses(f"PREFIX={prefix}")


def without_rights():
    """a folder that cannot be written is named, with what to do"""
    if not ROOT and os.access("/usr/local/bin", os.W_OK):
        raise Skip("everybody writes /usr/local here")
    with a_tree() as tree:
        line = tree.refuses()
        assert "/usr/local" in line and "make install PREFIX=" in line, line
        with open(f"{tree.files}/file", "w", encoding="utf-8"):
            pass
        tree.refuses(f"PREFIX={tree.files}/file")
        line = tree.refuses("PREFIX=/proc/tori", root=ROOT)
        assert "/proc" in line, line


def of_a_user():
    """a user installs below a folder of his own, and stages files for /usr"""
    with a_tree() as tree:
        own = tree.own if ROOT else tree.files
        done = tree.install(f"PREFIX={own}/to")
        equal((done.returncode, done.stderr), (0, ""))
        installed(f"{own}/to", tree)
        assert f"export PATH={own}/to/bin" in done.stdout, done.stdout
        done = tree.install("PREFIX=/usr", "DESTDIR=build/stage")
        equal((done.returncode, done.stderr), (0, ""))
        installed(f"{tree.top}/build/stage/usr", tree)
        assert "export" not in done.stdout, done.stdout


def by_root():
    """root installs, and all that is built is the owner's"""
    if not ROOT:
        raise Skip("needs root")
    with a_tree() as tree:
        done = tree.install(f"PREFIX={tree.files}/to", root=True)
        equal((done.returncode, done.stderr), (0, ""))
        installed(f"{tree.files}/to", tree)
        equal(os.stat(f"{tree.files}/to/lib/commit").st_uid, 0)
        equal(tree.command("scripts/commit", ".", root=True).stdout,
              read(f"{tree.files}/to/lib/commit"))
        equal([name for folder, folders, files in os.walk(tree.top)
               for name in (f"{folder}/{one}" for one in folders + files)
               if os.lstat(name).st_uid != USER.pw_uid], [])
        done = tree.install(f"PREFIX={tree.own}/to")
        equal((done.returncode, done.stderr), (0, ""))
        installed(f"{tree.own}/to", tree)


sys.exit(run([onto_sources, without_rights, of_a_user, by_root]))
