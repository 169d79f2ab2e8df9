#!/usr/bin/env python3
"""Usage: reference.py BUILD-DIRECTORY [--only NAME...]

`make reference` has every function of the public headers with what is said about
it, and every route of torid. In TAP.
"""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from service import BUILD, Skip, equal, read, run

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def text_of(path):
    """The words of a page, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", read(path))).split())


def made():
    """every function and every route is on a page"""
    if not shutil.which("doxygen"):
        raise Skip("no doxygen")
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([sys.executable, f"{SOURCE}/scripts/reference.py",
                        SOURCE, BUILD, out], check=True)
        pages = {os.path.basename(path): text_of(path)
                 for path in glob.glob(f"{out}/library/*.html")}
        assert "These rules hold for all of them" in pages["index.html"]
        missing = []
        for path in glob.glob(f"{SOURCE}/include/tori/*.h"):
            text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
            name = os.path.basename(path)[:-2]
            missing += [one for one in re.findall(r"\b(tori_\w+) \(", text)
                        if one not in pages[f"{name}_8h.html"]]
        equal(missing, [])
        # What a comment says before a function is beside it.
        assert "Find the moves after which a request fits" \
            in pages["room_8h.html"].split("Function Documentation")[1]
        # What a comment says after a member is beside it.
        assert "it may be neither moved nor ended" \
            in pages["structtori__room__job.html"]
        api = text_of(f"{out}/api.html")
        with open(f"{out}/openapi.json", encoding="utf-8") as file:
            paths = json.load(file)["paths"]
        assert len(paths) > 20, paths
        equal([path for path in paths if path not in api], [])
        assert "time_limit" in api and "how long it may run" in api
        for page in glob.glob(f"{out}/*.html"):
            for target in re.findall(r'href="([^"#]+)"', read(page)):
                assert os.path.exists(f"{out}/{target}"), target


sys.exit(run([made]))
