#!/usr/bin/env python3
"""Usage: install.py SOURCE-DIRECTORY BUILD-DIRECTORY

Install into a folder of the build directory, and use what is there as others
would: the examples are compiled and linked by what pkg-config says, with the
shared library and without, and print what is in their NAME.txt. In TAP.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

COMPILERS = {".c": ["cc", "-std=c17"], ".cc": ["c++", "-std=c++11"]}


class Skip(Exception):
    pass


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})


def must(*command, **environment):
    done = run(*command, **environment)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


class Tree:
    """What was installed, and programs that use it."""

    def __init__(self, source, build):
        self.source = source
        self.build = build
        self.stage = os.path.join(build, "installed")
        shutil.rmtree(self.stage, ignore_errors=True)
        must("meson", "install", "-C", build, "--no-rebuild", "--quiet",
             "--destdir", self.stage)
        found = glob.glob(f"{self.stage}/**/tori.pc", recursive=True)
        self.pc = os.path.dirname(found[0])
        self.lib = os.path.dirname(self.pc)

    def flags(self, *options):
        prefix = must("pkg-config", "--variable=prefix", "tori",
                      PKG_CONFIG_PATH=self.pc).strip()
        return must("pkg-config", f"--define-variable=prefix={self.stage}{prefix}",
                    *options, "tori", PKG_CONFIG_PATH=self.pc).split()

    def example(self, path, compile_flags, link_flags, kind=None):
        """Compile, link and run an example: what it prints is known."""
        name, own = os.path.splitext(os.path.basename(path))
        compiler = COMPILERS[kind or own]
        if not shutil.which(compiler[0]):
            raise Skip(f"no {compiler[0]}")
        program = os.path.join(self.stage, name)
        must(*compiler, "-Wall", "-Wpedantic", "-Werror",
             *compile_flags, "-o", program, path, "-pthread", *link_flags)
        with open(f"{self.source}/examples/{name}.txt",
                  encoding="utf-8") as expected:
            if must(program) != expected.read():
                raise RuntimeError(f"{program} prints something else")

    def shared(self, path):
        if not glob.glob(f"{self.lib}/libtori.so"):
            raise Skip("no shared library is installed")
        self.example(path, self.flags("--cflags"),
                     self.flags("--libs") + [f"-Wl,-rpath,{self.lib}"])

    def as_cxx(self, path):
        self.example(path, self.flags("--cflags") + ["-x", "c++"],
                     ["-x", "none"] + self.flags("--libs")
                     + [f"-Wl,-rpath,{self.lib}"], ".cc")

    def static(self, path):
        """No shared library at all, not even the C library's."""
        if not glob.glob(f"{self.lib}/libtori.a"):
            raise Skip("no static library is installed")
        self.example(path, self.flags("--cflags") + ["-static"],
                     self.flags("--static", "--libs"))

    def version(self):
        asked = f"{self.stage}/version.c"
        with open(asked, "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <tori/version.h>\n"
                       "int main (void)\n{\n"
                       'printf ("%d.%d.%d %s", TORI_VERSION_MAJOR, '
                       "TORI_VERSION_MINOR, TORI_VERSION_PATCH, "
                       "tori_version ());\nreturn 0;\n}\n")
        must("cc", *self.flags("--cflags"), "-o", f"{self.stage}/version",
             asked, *self.flags("--libs"), f"-Wl,-rpath,{self.lib}")
        says = must("pkg-config", "--modversion", "tori",
                    PKG_CONFIG_PATH=self.pc).strip()
        if must(f"{self.stage}/version") != f"{says} {says}":
            raise RuntimeError(f"headers or library are not of {says}")

    def package(self):
        """`import tori`, with the library that belongs to it."""
        found = glob.glob(f"{self.stage}/usr/**/*-packages/tori/_where.py",
                          recursive=True)
        if not found:
            raise Skip("no package for Python is installed")
        folder = os.path.dirname(os.path.dirname(found[0]))
        with open(found[0], encoding="utf-8") as file:
            library = re.search(r'LIBRARY = "(.*)"', file.read())[1]
        if must(sys.executable, "-c",
                "import sys, types; where = types.ModuleType('tori._where'); "
                "where.LIBRARY = sys.argv[1]; "
                "sys.modules['tori._where'] = where; import tori; "
                "print(tori.Machine('mesh:4x4').nodes)",
                self.stage + library, PYTHONPATH=folder) != "16\n":
            raise RuntimeError("the package does not know its machine")

    def as_the_guide_says(self):
        """make install PREFIX=..., then the line of the guide."""
        prefix = os.path.join(self.stage, "prefix")
        must("make", "-C", self.source, f"BUILD={self.build}",
             f"PREFIX={prefix}", "install")
        must("meson", "configure", self.build, "-Dprefix=/usr/local")
        with open(f"{self.source}/doc/guides/embed.md",
                  encoding="utf-8") as guide:
            line = re.search(r"^ +(cc program\.c .*)$", guide.read(), re.M)
        shutil.copy(f"{self.source}/examples/embed.c",
                    f"{self.stage}/program.c")
        says = must("sh", "-c", f"cd {self.stage} && {line[1]} && ./a.out",
                    PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")
        with open(f"{self.source}/examples/embed.txt",
                  encoding="utf-8") as expected:
            if says != expected.read():
                raise RuntimeError("the program prints something else")
        for file in ("share/man/man1/tori-place.1",
                     "share/man/man3/tori_alloc_place.3",
                     "share/man/man5/tori-files.5",
                     "share/bash-completion/completions/tori",
                     "share/zsh/site-functions/_tori",
                     "share/fish/vendor_completions.d/tori.fish"):
            if not os.path.exists(f"{prefix}/{file}"):
                raise RuntimeError(f"{file} is not installed")

    def cmake(self):
        """An example by CMake, and a version that there is not."""
        if not shutil.which("cmake"):
            raise Skip("no cmake")
        project = f"{self.stage}/cmake"
        for asked, good in (("0.1", True), ("0.2", False), ("1.0", False)):
            shutil.rmtree(project, ignore_errors=True)
            os.mkdir(project)
            with open(f"{project}/CMakeLists.txt", "w",
                      encoding="utf-8") as file:
                file.write("cmake_minimum_required (VERSION 3.10)\n"
                           "project (embed C)\n"
                           f"find_package (tori {asked} REQUIRED)\n"
                           "add_executable (embed "
                           f"{self.source}/examples/embed.c)\n"
                           "target_link_libraries (embed tori::tori)\n")
            done = run("cmake", "-S", project, "-B", f"{project}/out",
                       f"-Dtori_DIR={self.lib}/cmake/tori")
            if (done.returncode == 0) != good:
                raise RuntimeError(f"{asked}: {done.stdout}{done.stderr}")
            if not good:
                continue
            must("cmake", "--build", f"{project}/out")
            with open(f"{self.source}/examples/embed.txt",
                      encoding="utf-8") as expected:
                if must(f"{project}/out/embed") != expected.read():
                    raise RuntimeError("the program prints something else")

    def plugin(self):
        """An allocator for the command, by the line in its comment."""
        if not os.path.exists(f"{self.lib}/libtori.so"):
            raise Skip("no shared library is installed")
        path = f"{self.stage}/plugin.so"
        must("cc", "-shared", "-fPIC", "-Wall", "-Werror",
             *self.flags("--cflags"), "-o", path,
             f"{self.source}/examples/plugin.c", *self.flags("--libs"),
             f"-Wl,-rpath,{self.lib}")
        says = must(f"{self.build}/tori", "place", "--machine", "mesh:4x4", "--count", "3",
                    "--alloc", path)
        if "3,1/1x3" not in says:
            raise RuntimeError(f"it chooses other nodes: {says}")

    def cases(self):
        yield "import tori", self.package, ()
        yield "make install, as the guide says", self.as_the_guide_says, ()
        yield "the version is one", self.version, ()
        yield "embed.c by CMake", self.cmake, ()
        yield "cubes.c as C++", self.as_cxx, (
            f"{self.source}/examples/cubes.c",)
        for path in sorted(glob.glob(f"{self.source}/examples/*.c")
                           + glob.glob(f"{self.source}/examples/*.cc")):
            name = os.path.basename(path)
            if name == "plugin.c":
                yield "plugin.c in the command", self.plugin, ()
                continue
            yield f"{name} with the shared library", self.shared, (path,)
            yield f"{name} without", self.static, (path,)


def main():
    cases = list(Tree(*sys.argv[1:3]).cases())
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, case, arguments) in enumerate(cases, 1):
        try:
            case(*arguments)
            print(f"ok {number} - {name}")
        except Skip as skip:
            print(f"ok {number} - {name} # SKIP {skip}")
        except RuntimeError as error:
            failed += 1
            print(f"not ok {number} - {name}")
            print("# " + str(error).replace("\n", "\n# "))
    return failed > 0


sys.exit(main())
