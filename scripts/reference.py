#!/usr/bin/env python3
"""Usage: reference.py SOURCE-DIRECTORY BUILD-DIRECTORY OUT
       reference.py --filter HEADER

The reference as HTML pages that open from disk: OUT/library, which doxygen makes
from the public headers, OUT/api.html, from what torid says of its HTTP API, and
OUT/index.html. With --filter it prints a header with its comments as doxygen wants
them: one before a declaration or after a member is about that.
"""
import contextlib
import html
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

STYLE = """body { max-width: 60em; margin: 2em auto; padding: 0 1em;
  font: 16px/1.5 sans-serif; color: #1a1a1a; background: #fff }
code, pre { font-size: 90%; background: #f3f4f6 }
pre { padding: .5em; overflow-x: auto }
table { border-collapse: collapse; margin: .5em 0 }
th, td { text-align: left; vertical-align: top; padding: .2em .8em .2em 0;
  border-bottom: 1px solid #ddd }
h2 { margin-top: 2em; border-top: 1px solid #ddd; padding-top: 1em }
.method { font-weight: bold }"""


# ---- the library ----

def marked(text, name):
    """A header whose comments are doxygen's."""
    text = re.sub(r"\A/\* (\S+ - )?", f"/** @file {name}\n * @brief ", text)
    # A comment that follows something on its line is about that.
    text = re.sub(r"(?m)^([ \t]*[^\s/*#][^\n]*?)/\* ", r"\1/**< ", text)
    text = re.sub(r"(?m)^(    |)/\* ", r"\1/** ", text)
    # Indented lines are examples and lists.
    lines, inside = [], False
    for line in text.split("\n"):
        code = re.match(r" \*   +\S", line)
        if code and not inside:
            lines.append(" * @code")
        if inside and not code and not re.match(r" \*   ", line):
            lines.append(" * @endcode")
            inside = False
        inside = inside or bool(code)
        lines.append(line if inside
                     else re.sub(r"`([^`]+)`", r"<tt>\1</tt>", line))
    return "\n".join(lines)


def first_page(text):
    """The leading comment of a marked header once more, as the first page. In <pre>
    the names of headers are links."""
    about = text.partition("*/")[0].partition("@brief")[2]
    about = re.sub(r"\w", lambda first: first[0].upper(), about, count=1)
    about = about.replace("@code", "<pre>").replace("@endcode", "</pre>")
    return "/** @mainpage libtori\n *" + about + "*/\n"


def library(source, out, version):
    settings = {
        "PROJECT_NAME": "libtori", "PROJECT_NUMBER": version,
        "PROJECT_BRIEF": '"Place and schedule jobs on meshes and tori"',
        "INPUT": f"{source}/include/tori", "FILE_PATTERNS": "*.h",
        "OUTPUT_DIRECTORY": out, "HTML_OUTPUT": "library",
        "GENERATE_LATEX": "NO", "EXTRACT_ALL": "YES", "QUIET": "YES",
        "WARNINGS": "NO", "OPTIMIZE_OUTPUT_FOR_C": "YES",
        "TYPEDEF_HIDES_STRUCT": "YES", "STRIP_FROM_PATH": f"{source}/include",
        "SORT_MEMBER_DOCS": "NO", "HAVE_DOT": "NO", "MARKDOWN_SUPPORT": "NO",
        "SEARCHENGINE": "NO", "VERBATIM_HEADERS": "NO",
        "HTML_TIMESTAMP": "NO", "MACRO_EXPANSION": "NO",
        "INPUT_FILTER":
            f'"{sys.executable} {os.path.abspath(__file__)} --filter"',
        "EXTENSION_MAPPING": "h=C"}
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True,
                   stdout=subprocess.DEVNULL)


# ---- the API ----

def ask(where, path):
    """What a server on a Unix socket answers, from JSON."""
    client = http.client.HTTPConnection("torid")
    client.sock = socket.socket(socket.AF_UNIX)
    with contextlib.closing(client):
        client.sock.connect(where)
        client.request("GET", path)
        return json.load(client.getresponse())


def described(build):
    """What torid says of its API."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        with open(log, "w", encoding="utf-8") as said:
            torid = subprocess.Popen(
                [f"{build}/torid", "--machine", "mesh:2", "--state",
                 f"{folder}/state", "--socket", f"{folder}/socket",
                 "--executor", "none"], stderr=said)
        try:
            while torid.poll() is None:
                try:
                    return ask(f"{folder}/socket", "/openapi.json")
                except OSError:
                    time.sleep(0.02)
        finally:
            torid.terminate()
            torid.wait()
        with open(log, encoding="utf-8") as said:
            raise SystemExit(f"reference.py: torid: {said.read()}")


def text_of(value):
    return html.escape(str(value))


def type_of(schema):
    """A type in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{text_of(name)}">{text_of(name)}</a>'
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(type_of(one) for one in schema[key])
    if "enum" in schema:
        return "one of " + ", ".join(f"<code>{text_of(one)}</code>"
                                     for one in schema["enum"])
    kind = schema.get("type", "any")
    kinds = kind if isinstance(kind, list) else [kind]
    said = " or ".join(text_of(one) for one in kinds)
    if "array" in kinds and "items" in schema:
        said += " of " + type_of(schema["items"])
    return said


def members(schema):
    rows = schema.get("properties", {})
    if not rows:
        return f"<p>{type_of(schema)}</p>"
    must = set(schema.get("required", ()))
    return "<table><tr><th>member<th>type<th>meaning</tr>" + "".join(
        f"<tr><td><code>{text_of(name)}</code>{'*' * (name in must)}"
        f"<td>{type_of(row)}<td>{text_of(row.get('description', ''))}</tr>"
        for name, row in rows.items()) + "</table>"


def content(part):
    return "".join(
        f"<p><code>{text_of(kind)}</code>: "
        + (members(body["schema"]) if body.get("schema", {}).get("properties")
           else type_of(body.get("schema", {}))) + "</p>"
        for kind, body in part.get("content", {}).items())


def route(method, path, about, schemas):
    def look(part):
        while "$ref" in part:
            where = part["$ref"].split("/")[1:]
            part = schemas
            for word in where:
                part = part[word]
        return part
    yield f'<h2 id="{method}{text_of(path)}"><span class="method">' \
          f"{method.upper()}</span> <code>{text_of(path)}</code></h2>"
    yield f"<p>{text_of(about.get('summary', ''))}. " \
          f"{text_of(about.get('description', ''))}</p>"
    rows = [look(one) for one in about.get("parameters", ())]
    if rows:
        yield "<table><tr><th>parameter<th>in<th>type<th>meaning</tr>"
        for one in rows:
            yield f"<tr><td><code>{text_of(one['name'])}</code>" \
                  f"<td>{text_of(one['in'])}<td>" \
                  f"{type_of(one.get('schema', {}))}" \
                  f"<td>{text_of(one.get('description', ''))}</tr>"
        yield "</table>"
    if "requestBody" in about:
        yield "<h3>It takes</h3>" + content(look(about["requestBody"]))
    yield "<h3>It answers</h3>"
    for code, answer in about.get("responses", {}).items():
        answer = look(answer)
        yield f"<p><b>{text_of(code)}</b> " \
              f"{text_of(answer.get('description', ''))}</p>{content(answer)}"


def page(title, lines):
    return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">'
            f"<title>{title}</title><style>{STYLE}</style><body>\n"
            + "\n".join(lines) + "\n</body></html>\n")


def api(spec):
    paths = spec["paths"]
    yield "<h1>The HTTP API of torid</h1>"
    yield f"<p>OpenAPI {text_of(spec['openapi'])}, version " \
          f"{text_of(spec['info']['version'])}. A member with * is needed. " \
          "doc/http-api.md tells how requests are made, and has every code of " \
          "an error.</p><ul>"
    for path, methods in paths.items():
        for method, about in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield f'<li><a href="#{method}{text_of(path)}"><b>' \
                      f"{method.upper()}</b> <code>{text_of(path)}</code></a> " \
                      f"{text_of(about.get('summary', ''))}" \
                      + " (an old name)" * bool(about.get("deprecated"))
    yield "</ul>"
    for path, methods in paths.items():
        for method, about in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield from route(method, path, about, spec)
    yield "<h1>Objects</h1>"
    for name, schema in spec.get("components", {}).get("schemas", {}).items():
        yield f'<h2 id="{text_of(name)}">{text_of(name)}</h2>'
        yield f"<p>{text_of(schema.get('description', ''))}</p>"
        yield members(schema)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if sys.argv[1] == "--filter":
        with open(sys.argv[2], encoding="utf-8") as file:
            name = os.path.basename(sys.argv[2])
            text = marked(file.read(), "tori/" + name)
            print(text + (first_page(text) if name == "tori.h" else ""))
        return
    source, build, out = (os.path.abspath(path) for path in sys.argv[1:4])
    os.makedirs(out, exist_ok=True)
    spec = described(build)
    library(source, out, spec["info"]["version"])
    write(f"{out}/openapi.json",
          json.dumps(spec, indent=1, ensure_ascii=False) + "\n")
    write(f"{out}/api.html", page("The HTTP API of torid", api(spec)))
    write(f"{out}/index.html", page("tori: reference", [
        "<h1>tori: reference</h1>",
        '<ul><li><a href="library/index.html">The library</a>: every header, '
        "structure and function of libtori",
        '<li><a href="api.html">The HTTP API of torid</a>: every route, member '
        'and answer; also as <a href="openapi.json">openapi.json</a>',
        "<li>Commands: <code>tori help</code>, and their manual pages",
        "<li>Guides and concepts: <code>doc/README.md</code></ul>"]))


main()
