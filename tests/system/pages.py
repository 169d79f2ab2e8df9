#!/usr/bin/env python3
"""Usage: pages.py SOURCE-DIRECTORY

The pages of doc/: links lead somewhere, every figure says what it shows, in
alternative text for those who do not see it and in a caption, and what was measured
comes from a file of results. In TAP.
"""
import glob
import json
import os
import re
import sys

SOURCE = os.path.abspath(sys.argv[1])
PAGES = sorted(glob.glob(f"{SOURCE}/*.md")
               + glob.glob(f"{SOURCE}/doc/**/*.md", recursive=True))
FIGURE = re.compile(r"!\[([^]]*)\]\(([^)]+)\)|"
                    r'<img src="([^"]+)"(?: alt="([^"]*)")?')

# Pages whose measured figures are in doc/NAME.json, and what makes a number one.
MEASURED = ("README.md", "doc/choosing.md", "doc/boxes.md", "doc/speed.md",
            "doc/slurm-compare.md")
MARK = r"<!-- ([\w-]+): ([^>]*) -->"
NUMBER = r"[-+]?\d[\d.,]*(?: ?±\s?[\d.,]+)?"
UNIT = (r"(?:\s?%|[\s-](?:[mu]?s\b|h\b|hours|(?:micro|milli)?seconds|times\b|"
        r"[MKG]iB\b|\S+ (?:per|a) second))")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def name(path):
    return os.path.relpath(path, SOURCE)


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$|`[^`\n]*`", "", text, flags=re.M)


def anchors(text):
    """The names of the headings of a page, as forges make them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text,
                                            flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
            for head in heads}


def links():
    """every link of a page leads to a file, and to a heading that it has"""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)",
                                 without_code(read(page))):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            path = os.path.normpath(
                os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(path):
                yield f"{name(page)}: {target}: there is no such file"
            elif anchor and anchor not in anchors(read(path)):
                yield f"{name(page)}: {target}: there is no such heading"


def figures():
    """every figure has alternative text and a caption in italics after it"""
    for page in PAGES:
        blocks = re.split(r"\n\s*\n", read(page))
        for number, block in enumerate(blocks):
            shown = FIGURE.findall(block)
            if not shown:
                continue
            for alt, path, other, other_alt in shown:
                if len(alt or other_alt) < 15:
                    yield f"{name(page)}: {path or other}: no text"
                if not os.path.exists(os.path.join(os.path.dirname(page),
                                                   path or other)):
                    yield f"{name(page)}: {path or other}: no such file"
            after = blocks[number + 1] if number + 1 < len(blocks) else ""
            if not re.match(r"\*[^*].*[^*]\*$", after.strip(), re.S):
                yield f"{name(page)}: {shown[0][1] or shown[0][2]}: no caption"


def shown():
    """every figure is on a page"""
    pages = {os.path.normpath(os.path.join(os.path.dirname(page), path))
             for page in PAGES
             for path in re.findall(r"[\w./-]+\.(?:svg|png)", read(page))}
    for path in sorted(glob.glob(f"{SOURCE}/doc/figures/**", recursive=True)):
        if path.endswith((".svg", ".png")) \
                and os.path.normpath(path) not in pages:
            yield f"{name(path)}: no page has it"


def labels():
    """every curve has a title and names of its axes"""
    for path in sorted(glob.glob(f"{SOURCE}/doc/figures/*/*.svg")):
        text = read(path)
        if "GNUPLOT" in text and len(re.findall(
                r">[^<>]*[a-z]{3}[^<>]*</", text)) < 4:
            yield f"{name(path)}: fewer than four texts"


def listed():
    """doc/README.md names every page"""
    text = read(f"{SOURCE}/doc/README.md")
    for page in PAGES:
        path = os.path.relpath(page, f"{SOURCE}/doc")
        if not path.startswith("..") and path != "README.md" \
                and f"]({path})" not in text:
            yield f"doc/README.md does not name {path}"


def decisions():
    """the guide says of every kind of decision what a driver must do"""
    kinds = re.search(r"typedef enum tori_decision_kind \{(.*?)\}", re.sub(
        r"/\*.*?\*/", "", read(f"{SOURCE}/include/tori/sched.h"),
        flags=re.S), re.S)[1]
    rows = re.findall(r"^\| `(TORI_\w+)` \| [^|]+ \| [^|]+ \|$",
                      read(f"{SOURCE}/doc/guides/embed.md"), re.M)
    if re.findall(r"TORI_\w+", kinds) != rows:
        yield f"doc/guides/embed.md has {' '.join(rows)}"


def times():
    """no page has a --time with two meanings, which the commands refuse"""
    for page in PAGES:
        for line in read(page).split("\n"):
            found = re.search(r"^    .*tori.* --time[ =]\d+(:\d+)?( |$)", line)
            if found:
                yield f"{name(page)}: {line.strip()}"


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def is_table(text, table):
    """Whether a text is a table of results, and what it says about it."""
    rows, _, about = text.strip().partition("\n\n")
    head, _, *rows = [cells(line) for line in rows.split("\n")]
    return (head == table["columns"] and rows == table["rows"]
            and " ".join(about.split()) == f"*{table['conditions']}*")


def is_cell(text, table, row, column):
    """Whether a text is the only one of this row and column."""
    return [text] == [there[at] for there in table["rows"] if there[0] == row
                      for at, name in enumerate(table["columns"])
                      if name == column]


def measured():
    """what was measured is as in a file of results, of which all is shown"""
    results = {os.path.basename(path)[:-5]: json.loads(read(path))["tables"]
               for path in glob.glob(f"{SOURCE}/doc/*.json")}
    unseen = {(file, table) for file in results for table in results[file]}
    for page in MEASURED:
        text = read(f"{SOURCE}/{page}")
        for file, table, block in re.findall(MARK + r"\n(.*?)<!-- end -->",
                                             text, re.S):
            unseen.discard((file, table))
            if not is_table(block, results[file][table]):
                yield f"{page}: {table}: not as in doc/{file}.json"
        text = re.sub(MARK + r"\n.*?<!-- end -->", "", text, flags=re.S)
        for found, file, place in re.findall(f"({NUMBER}){MARK}", text):
            table, *where = re.split(r";\s+", place)
            unseen.discard((file, table))
            if not is_cell(found, results[file][table], *where):
                yield f"{page}: {found}: not as in doc/{file}.json, {place}"
        text = without_code(re.sub(NUMBER + MARK, "", text))
        text = re.sub(r"\]\([^)]*\)|95 %\s+interval", "", text)
        for found in re.findall(rf"{NUMBER}{UNIT}|\| *{NUMBER} *(?=\|)", text):
            yield f"{page}: {found}: no file of results has it"
    for file, table in sorted(unseen):
        yield f"doc/{file}.json: {table}: no page has it"


def main():
    tests = [links, figures, shown, labels, listed, decisions, times, measured]
    print(f"1..{len(tests)}")
    bad = 0
    for number, test in enumerate(tests, 1):
        wrong = list(test())
        for line in wrong:
            print(f"# {line}")
        bad += bool(wrong)
        print(f"{'not ' * bool(wrong)}ok {number} - {test.__doc__}")
    return bad > 0


sys.exit(main())
