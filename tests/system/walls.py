#!/usr/bin/env python3
"""Usage: walls.py SOURCE-DIRECTORY BUILD-DIRECTORY

What the architecture promises, as tests in TAP: a folder of src/ includes only
what is below it; a struct of the library means one thing; the library has no
mutable globals, prints nothing and never exits; the shared library exports what
the public headers declare and nothing else; every public header stands alone;
every file says what it is, and none names a path of one machine.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

# Folders whose business it is to write reports.
MAY_PRINT = ("common/usage", "common/report", "common/process",
             "papers", "torid/executor", "torid/shell", "gang", "cli")
PRINTS_OR_EXITS = {
    "printf", "vprintf", "puts", "putchar", "perror", "__printf_chk",
    "__vprintf_chk", "stdout", "stderr", "exit", "_exit", "_Exit",
    "quick_exit", "abort", "atexit", "err", "errx", "warn", "warnx", "error",
}
ALLOWED = {"lib/base": {"stdout"}}  # an output file named "-"
# Jansson's allocator gets no argument: where it counts. Nor does the log of
# libmicrohttpd, which does not name the connection that it is about, nor recv, which
# it calls.
HOOKS = {"torid/service": {"json_shortages"},
         "torid/shell": {"received_fd", "deadline"}}
CONSTANT = (".text", ".rodata", ".data.rel.ro", ".note", "*UND*", "*ABS*")


class Skip(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def declared(header):
    """The functions that a header declares."""
    return re.findall(r"\b(tori_\w+) \(", without_comments(read(header)))


def folders_in_order(source):
    """The list that src/meson.build walks is the order of the folders."""
    listed = re.search(r"foreach folder : \[([^]]*)\]",
                       read(f"{source}/src/meson.build"))
    return re.findall(r"'([\w/]+)'", listed[1])


def run(*command, check=False, **options):
    return subprocess.run(command, capture_output=True, text=True, check=check,
                          **options)


class Walls:
    def __init__(self, source, build):
        self.source = source
        self.build = build
        # One that needs a library is not built where there is none.
        self.folders = [name for name in folders_in_order(source)
                        if os.path.isdir(f"{build}/src/{name}")]
        self.level = {name: i for i, name in enumerate(self.folders)}
        self.commands = json.loads(read(f"{build}/compile_commands.json"))
        self.home = self.homes_of_headers()

    def files(self, folder, pattern="*.[ch]"):
        where = f"{self.source}/src/{folder}/**/{pattern}"
        return sorted(glob.glob(where, recursive=True))

    def public(self):
        return sorted(glob.glob(f"{self.source}/include/tori/*.h"))

    def homes_of_headers(self):
        """The level of each public header: that of the folder that defines
        what it declares. One that declares no function, such as tori.h, is
        for the level of the highest."""
        defined = {name: self.level[folder] for folder in self.folders[:-1]
                   for name, kind, _ in self.symbols(folder)
                   if kind == "T" and name.startswith("tori_")}
        home = {}
        for path in self.public():
            levels = [defined[name] for name in declared(path)
                      if name in defined]
            home["tori/" + os.path.basename(path)] = max(
                levels or defined.values())
        return home

    # ---- each case returns a list of complaints ----

    def unique_header_names(self):
        """Also those of tests, which would hide what they are named after."""
        seen, complaints = {}, []
        tests = glob.glob(os.path.join(self.source, "tests/*/*.h"))
        for folder in [*self.folders, "tests"]:
            for path in (tests if folder == "tests"
                         else self.files(folder, "*.h")):
                name = os.path.basename(path)
                if name in seen:
                    complaints.append(f"{name} is in {seen[name]}, {folder}")
                seen[name] = folder
        return complaints

    def unique_tags(self):
        """In the library a struct, union or enum means one thing."""
        seen, complaints = {}, []
        for path in self.public() + [path for folder in self.folders
                                     if folder not in MAY_PRINT
                                     for path in self.files(folder)]:
            name = os.path.relpath(path, self.source)
            for tag in re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{",
                                  without_comments(read(path))):
                if tag in seen:
                    complaints.append(f"{tag} is in {seen[tag]} and in {name}")
                seen[tag] = name
        return complaints

    def folder_includes(self, folder):
        complaints = []
        below = {os.path.basename(path)
                 for f in self.folders[:self.level[folder] + 1]
                 for path in self.files(f, "*.h")}
        for path in self.files(folder):
            text = without_comments(read(path))
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
                if name not in below:
                    complaints.append(f'{path} includes "{name}"')
            for name in re.findall(r"#\s*include\s+<(tori/[^>]+)>", text):
                if self.home[name] > self.level[folder]:
                    complaints.append(f"{path} includes <{name}>")
        return complaints

    def public_includes(self):
        complaints = []
        for path in self.public():
            home = self.home["tori/" + os.path.basename(path)]
            for name in re.findall(r'#\s*include\s+[<"]([^>"]+)', read(path)):
                if name.startswith("tori/"):
                    if self.home[name] > home:
                        complaints.append(f"{path} includes <{name}>")
                elif not re.fullmatch(r"std\w+\.h", name):
                    complaints.append(f"{path} includes {name}")
        return complaints

    def include_flags(self, folder):
        for command in self.commands:
            path = os.path.join(command["directory"], command["file"])
            if os.path.dirname(os.path.realpath(path)) == os.path.realpath(
                    f"{self.source}/src/{folder}"):
                words = shlex.split(command["command"])
                return command["directory"], [w for w in words
                                              if w.startswith("-I")]
        raise LookupError(f"nothing of {folder} is compiled")

    def upward_does_not_compile(self, folder):
        """The build itself keeps the wall: with a folder's own flags, its own
        headers are found and those of the folders above are not."""
        where, flags = self.include_flags(folder)
        headers = [(other, os.path.basename(path))
                   for other in self.folders[self.level[folder]:]
                   for path in self.files(other, "*.h")]
        asked = "".join(f'#if __has_include("{name}")\n{name}\n#endif\n'
                        for _, name in headers)
        found = set(run("cc", *flags, "-E", "-P", "-x", "c", "-", cwd=where,
                        input=asked, check=True).stdout.split())
        return [f"{folder} {'sees' if name in found else 'misses'} "
                f"{other}/{name}" for other, name in headers
                if (name in found) != (other == folder)]

    def symbols(self, folder):
        library = glob.glob(f"{self.build}/src/{folder}/libtori-*.a")
        out = run("nm", "-f", "sysv", *library, check=True).stdout
        for line in out.splitlines():
            field = [f.strip() for f in line.split("|")]
            if len(field) == 7:
                yield field[0], field[2], field[6]

    def no_mutable_globals(self, folder):
        return [f"{name} in {section}"
                for name, kind, section in self.symbols(folder)
                if kind not in "UuwN" and not section.startswith(CONSTANT)
                and name not in HOOKS.get(folder, ())
                and not name.startswith((".", "$"))]

    def neither_prints_nor_exits(self, folder):
        allowed = ALLOWED.get(folder, set())
        return [f"uses {name}" for name, kind, _ in self.symbols(folder)
                if kind == "U" and name in PRINTS_OR_EXITS - allowed]

    def exports(self):
        library = f"{self.build}/include/libtori.so"
        out = run("nm", "-D", "--defined-only", library, check=True).stdout
        exported = {line.split()[-1].split("@")[0]
                    for line in out.splitlines() if " A " not in line}
        public = {name for path in self.public() for name in declared(path)}
        return ([f"{name} is exported, not declared"
                 for name in sorted(exported - public)]
                + [f"{name} is declared, not exported"
                   for name in sorted(public - exported)])

    def listed(self):
        """Names are listed one by one, in two files: no wildcard exports one
        by accident."""
        public = {name for path in self.public() for name in declared(path)}
        files = {"include/tori.map": r"^ +([\w*]+);",
                 "debian/libtori0.symbols": r"^ (tori_\w+)@"}
        bad = []
        for path, form in files.items():
            names = re.findall(form, without_comments(
                read(f"{self.source}/{path}")).split("local:")[0], re.M)
            bad += [f"{path}: {name} is not declared"
                    for name in sorted(set(names) - public)]
            bad += [f"{path}: {name} is missing"
                    for name in sorted(public - set(names))]
            if names != sorted(set(names)):
                bad.append(f"{path}: not in order, or a name twice")
        return bad

    def static_exports(self):
        library = f"{self.build}/include/libtori.a"
        out = run("nm", "-g", "--defined-only", library, check=True).stdout
        names = {line.split()[-1] for line in out.splitlines()
                 if len(line.split()) == 3}
        public = {name for path in self.public() for name in declared(path)}
        return [f"{name} is only in one of headers and archive"
                for name in sorted(names ^ public)]

    def header_alone(self, compiler, *flags):
        if not shutil.which(compiler):
            raise Skip(f"no {compiler}")
        complaints = []
        for path in self.public():
            text = f"#include <tori/{os.path.basename(path)}>\n"
            done = run(compiler, *flags, "-Wall", "-Wextra", "-Wpedantic",
                       "-Werror", "-fsyntax-only", f"-I{self.source}/include",
                       "-", input=text)
            if done.returncode != 0:
                complaints.append(f"{path}: {done.stderr}")
        return complaints

    def sized_structures(self):
        """test_sized.c calls every function that takes a structure which
        begins with its size."""
        text = "".join(without_comments(read(p)) for p in self.public())
        tested = read(f"{self.source}/tests/unit/test_sized.c")
        types = re.findall(r"typedef struct (\w+) \{\s*size_t size;", text)
        taken = rf"\b({'|'.join(types)}) \*"
        calls = re.findall(r"^\w[^;{}#]*?\b(tori_\w+) (\([^;{}]*\));", text,
                           re.M)
        return [f"{name} is not in test_sized.c" for name, given in calls
                if re.search(taken, given)
                and not re.search(rf"\b{name} \(", tested)]

    def sizes_by_name(self):
        """tori_struct_size knows every structure of the public headers."""
        text = "".join(without_comments(read(p)) for p in self.public())
        known = re.findall(r"SIZE \((\w+)\)",
                           read(f"{self.source}/src/lib/sim/sizes.c"))
        return [f"{name} is not in sizes.c" for name in re.findall(
            r"typedef struct (\w+) \{", text) if name not in known]

    def no_machine_paths(self):
        listed = run("git", "-C", self.source, "ls-files", "-z")
        if listed.returncode != 0:
            raise Skip("not a git checkout")
        pattern = re.compile(r"(?<![\w.])/(?:" + "|".join(
            ["ro" + "ot", "wo" + "rk", "ho" + "me", "fa" + "rm"]) + ")/")
        complaints = []
        for name in listed.stdout.split("\0"):
            path = f"{self.source}/{name}"
            if name and os.path.isfile(path) and pattern.search(read(path)):
                complaints.append(name)
        return complaints

    def every_test_is_listed(self):
        complaints = []
        for kind, where in (("test", "tests/unit"), ("fuzz", "tests/fuzz")):
            listed = "".join(read(path) for path in glob.glob(
                f"{self.source}/{where}/meson.build")
                or [f"{self.source}/tests/meson.build"])
            for path in glob.glob(f"{self.source}/{where}/{kind}_*.c"):
                name = os.path.basename(path)[len(kind) + 1:-2]
                if not re.search(rf"'({name}|(unit/)?{kind}_{name}\.c)'", listed):
                    complaints.append(f"{path} is never run")
        return complaints

    def every_source_is_explained(self):
        """A header is its own manual page, and a source file opens with what
        it is unless it has a header of its name, or of the name's begin."""
        complaints = []
        for folder in self.folders:
            headers = self.files(folder, "*.h")
            names = {os.path.basename(p)[:-2] for p in headers + self.public()}
            for path in headers:
                name = os.path.basename(path)
                if not read(path).startswith(f"/* {name} - "):
                    complaints.append(f"{path} has no title")
            for path in self.files(folder, "*.c"):
                name = os.path.basename(path)[:-2]
                if not (read(path).startswith("/*") or name in names
                        or name.split("_")[0] in names):
                    complaints.append(f"{path} does not say what it is")
        return complaints

    def picture_is_current(self):
        drawn = run(sys.executable, f"{self.source}/scripts/products.py",
                    self.source, check=True).stdout
        kept = read(f"{self.source}/doc/figures/products.svg")
        return [] if drawn == kept else ["make picture draws another one"]

    def starts_light(self):
        """Loading libcurl takes longer than most commands do."""
        listed = run("objdump", "-p", os.path.join(self.build, "tori"),
                     check=True).stdout
        return [line.strip() for line in listed.splitlines()
                if "NEEDED" in line and "curl" in line]

    def cases(self):
        yield "header names are unique", self.unique_header_names, ()
        yield "tags of the library are unique", self.unique_tags, ()
        for folder in self.folders:
            yield f"{folder} includes downwards", self.folder_includes, (
                folder,)
            if folder == self.folders[-1]:
                continue
            yield (f"{folder} cannot include upwards",
                   self.upward_does_not_compile, (folder,))
            yield (f"{folder} has no mutable globals",
                   self.no_mutable_globals, (folder,))
            if folder not in MAY_PRINT:
                yield (f"{folder} neither prints nor exits",
                       self.neither_prints_nor_exits, (folder,))
        yield "public headers include downwards", self.public_includes, ()
        yield "the shared library exports what is declared", self.exports, ()
        yield "its names are listed", self.listed, ()
        yield "so does the static one", self.static_exports, ()
        yield "public headers stand alone in C", self.header_alone, (
            "cc", "-std=c17", "-x", "c")
        yield "public headers stand alone in C++", self.header_alone, (
            "clang++", "-std=c++11", "-x", "c++")
        yield "structures without a size are tested", (
            self.sized_structures), ()
        yield "every structure has a size by name", self.sizes_by_name, ()
        yield "the command starts without libcurl", self.starts_light, ()
        yield "every test is listed", self.every_test_is_listed, ()
        yield "every file says what it is", self.every_source_is_explained, ()
        yield "the picture of the products is current", (
            self.picture_is_current), ()
        yield "no path of one machine", self.no_machine_paths, ()


def main():
    cases = list(Walls(*sys.argv[1:3]).cases())
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, case, arguments) in enumerate(cases, 1):
        try:
            complaints = case(*arguments)
        except Skip as skip:
            print(f"ok {number} - {name} # SKIP {skip}")
            continue
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}")
        for complaint in complaints:
            print("# " + complaint.replace("\n", "\n# "))
        failed += bool(complaints)
    return failed > 0


sys.exit(main())
