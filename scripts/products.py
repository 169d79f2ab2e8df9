#!/usr/bin/env python3
"""Usage: products.py SOURCE-DIRECTORY > doc/figures/products.svg

The products of src/ and what depends on what, as a picture. Folders, libraries
and arrows come from the build's own files; the programs and what goes between
them at run time are named below. tests/system/walls.py checks that the picture
is current.
"""
import glob
import os
import re
import sys

# From the bottom up: the products of a row, their share of it, what each is.
ROWS = [
    [("lib", 1, "libtori: the library, usable alone")],
    [("common", 1, "what several programs share")],
    [("torid", 7, "torid and torid-local: the service"),
     ("gang", 2, "tori-gang: gangs"),
     ("papers", 2, "tori-paper: papers")],
    [("slurm", 2, "tori-slurm: bridge"),
     ("kube", 2, "tori-kube: bridge"),
     ("web", 2, "the dashboard"),
     ("cli", 5, "tori: the command")],
]
# Between programs at run time.
TALK = {("web", "torid"): "HTTP", ("cli", "torid"): "HTTP",
        ("cli", "gang"): "runs", ("cli", "papers"): "runs",
        ("slurm", "torid"): "orders", ("kube", "torid"): "orders"}
WIDTH, HEIGHT, GAP, SPACE, LEFT = 960, 96, 20, 64, 20
INK, PAPER, LINE = "#1f2937", "#ffffff", "#64748b"
FILL = {"lib": "#dbeafe", "common": "#e0e7ff", "torid": "#dcfce7",
        "gang": "#fef3c7", "papers": "#fae8ff", "slurm": "#ffe4e6",
        "kube": "#e0f2fe",
        "cli": "#f1f5f9", "web": "#f1f5f9"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def libraries(source):
    """The folder of each library, and the libraries that it needs."""
    home, needs = {}, {}
    for path in sorted(glob.glob(f"{source}/src/**/meson.build",
                                 recursive=True)):
        folder = os.path.relpath(os.path.dirname(path), f"{source}/src")
        text = read(path)
        for name, body in re.findall(
                r"^\s*(\w+) = declare_dependency\((.*?)\)\n", text,
                re.M | re.S):
            home[name] = folder
            needs[name] = set(re.findall(r"\w+", " ".join(re.findall(
                r"dependencies: (\[[^]]*\]|\w+)", body))))
            for listed in re.findall(r"dependencies: (\w+)\b", body):
                needs[name] |= set(re.findall(r"\w+", " ".join(re.findall(
                    rf"^\s*{listed} = (\[[^]]*\])", text, re.M | re.S))))
    # Programs, which are made at the top.
    for found in re.findall(r"dependencies: \[([^]]*)\]",
                            read(f"{source}/meson.build")):
        words = re.findall(r"\w+", found)
        if words and words[0] in home:
            needs[words[0]] |= set(words[1:])
    return home, needs


def product(folder):
    return folder.split("/")[0]


def arrows(home, needs):
    """Between products, without those that follow from others."""
    direct = {(product(home[a]), product(home[b])) for a in home
              for b in needs[a] if b in home
              and product(home[a]) != product(home[b])}
    return {(a, b) for a, b in direct if not any(
        (a, c) in direct and (c, b) in direct for _, c in direct)}


def folders(source, name):
    """The folders inside a product, in the order of the build."""
    if name == "web":
        return []
    order = re.findall(r"'([\w/]+)'", re.search(
        r"foreach folder : \[([^]]*)\]", read(f"{source}/src/meson.build"))[1])
    inner = [folder.split("/")[1] for folder in order
             if folder.startswith(name + "/")]
    return inner or sorted(
        os.path.basename(os.path.dirname(path))
        for path in glob.glob(f"{source}/src/{name}/*/"))


def wrapped(words, most):
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > most:
            lines.append("")
        lines[-1] += (" \u00b7 " if lines[-1] else "") + word
    return lines


def place(rows):
    """The box of each product."""
    boxes = {}
    for k, row in enumerate(rows):
        left, top = LEFT, 20 + (len(rows) - 1 - k) * (HEIGHT + SPACE)
        room = WIDTH - (len(row) - 1) * GAP
        for name, share, what in row:
            wide = room * share / sum(other for _, other, _ in row)
            boxes[name] = (left, top, wide, what)
            left += wide + GAP
    return boxes, len(rows) * (HEIGHT + SPACE) - SPACE + 40


def draw_box(name, box, inner):
    x, y, wide, what = box
    yield (f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" '
           f'height="{HEIGHT}" rx="8" fill="{FILL[name]}" stroke="{LINE}"/>')
    title = "web/" if name == "web" else f"src/{name}/"
    yield (f'<text x="{x + 14:.0f}" y="{y + 26:.0f}" font-weight="bold">'
           f"{title}</text>")
    yield f'<text x="{x + 14:.0f}" y="{y + 46:.0f}">{what}</text>'
    for i, line in enumerate(wrapped(inner, int(wide / 8))):
        yield (f'<text x="{x + 14:.0f}" y="{y + 70 + 18 * i:.0f}" '
               f'fill="{LINE}">{line}</text>')


def draw_arrow(start, end, spot, label):
    x1, top, wide, _ = start
    x2, bottom, other, _ = end
    low = max(x1, x2) + 14
    high = max(low, min(x1 + wide, x2 + other) - 14)
    if min(x1 + wide, x2 + other) > max(x1, x2):
        begin = finish = low + (high - low) * spot
    else:
        begin = x1 + wide * spot
        finish = x2 + other * spot
    y1, y2 = top + HEIGHT, bottom
    dash = ' stroke-dasharray="5 4"' if label else ""
    yield (f'<line x1="{begin:.0f}" y1="{y1:.0f}" x2="{finish:.0f}" '
           f'y2="{y2 - 6:.0f}" stroke="{LINE}" stroke-width="1.5" '
           f'marker-end="url(#head)"{dash}/>')
    if label:
        yield (f'<text x="{(begin + finish) / 2 + 8:.0f}" '
               f'y="{(y1 + y2) / 2 + 4:.0f}" font-size="12">{label}</text>')


def picture(source):
    home, needs = libraries(source)
    there = {product(folder) for folder in home.values()} | {"web", "cli"}
    rows = [[box for box in row if box[0] in there] for row in ROWS]
    boxes, high = place(rows)
    wide = WIDTH + 2 * LEFT
    lines = [(a, b, "") for a, b in sorted(arrows(home, needs))
             if (a, b) not in TALK]
    lines += [(a, b, what) for (a, b), what in sorted(TALK.items())
              if a in boxes and b in boxes]
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" '
           f'height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}" '
           f'font-family="DejaVu Sans, sans-serif" font-size="14" '
           f'fill="{INK}">')
    yield "<title>The products of tori and what depends on what</title>"
    yield (f'<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" '
           f'markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 '
           f'L8,4 L0,8 z" fill="{LINE}"/></marker></defs>')
    yield f'<rect width="{wide:.0f}" height="{high:.0f}" fill="{PAPER}"/>'
    for number, (a, b, what) in enumerate(lines):
        same = [n for n, (c, d, _) in enumerate(lines) if c == a]
        spot = (same.index(number) + 1) / (len(same) + 1)
        yield from draw_arrow(boxes[a], boxes[b], spot, what)
    for name, box in boxes.items():
        yield from draw_box(name, box, folders(source, name))
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(picture(sys.argv[1])))
