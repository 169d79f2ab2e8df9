#!/usr/bin/env python3
"""Usage: concepts.py DIRECTORY

Draw the pictures of doc/concepts.md. Each is an SVG file with a title for those
who cannot see it.
"""
import os
import sys

INK, QUIET, BUSY = "#333", "#999", "#d0d0d0"
BLUE, ORANGE, GREEN = "#4477aa", "#dd8833", "#449955"


class Picture:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'font-family="sans-serif" font-size="14">\n<title>{title}</title>',
            f'<rect width="{width}" height="{height}" fill="#fff"/>']

    def line(self, a, b, colour=QUIET, width=2, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<line x1="{a[0]}" y1="{a[1]}" x2="{b[0]}" y2="{b[1]}" '
            f'stroke="{colour}" stroke-width="{width}"{dash}/>')

    def arc(self, a, b, bend, colour=QUIET, width=2):
        """A curve from a to b, its middle so far below (or above)."""
        x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + 2 * bend
        self.parts.append(
            f'<path d="M {a[0]} {a[1]} Q {x:g} {y:g} {b[0]} {b[1]}" '
            f'fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def node(self, at, colour="#fff", text="", radius=11):
        self.parts.append(
            f'<circle cx="{at[0]}" cy="{at[1]}" r="{radius}" fill="{colour}" '
            f'stroke="{INK}"/>')
        if text:
            self.text((at[0], at[1] + 4), text, size=11,
                      colour=INK if colour in ("#fff", BUSY) else "#fff")

    def frame(self, a, b, colour, fill="none"):
        self.parts.append(
            f'<rect x="{a[0]}" y="{a[1]}" width="{b[0] - a[0]}" '
            f'height="{b[1] - a[1]}" rx="8" fill="{fill}" '
            f'stroke="{colour}" stroke-width="2.5"/>')

    def text(self, at, text, size=14, colour=INK, anchor="middle"):
        self.parts.append(
            f'<text x="{at[0]}" y="{at[1]}" text-anchor="{anchor}" '
            f'font-size="{size}" fill="{colour}">{text}</text>')

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.parts) + "\n</svg>\n")


def draw_box():
    """A mesh of 8x8 with a busy corner, and a box of 2x3."""
    it = Picture(350, 350, "A mesh of 8x8 nodes, with numbers from 0 to 7 at "
                 "its rows and columns. The 4x4 nodes of one corner "
                 "are busy; a box of 2x3 nodes beside them is marked.")

    def at(x, y):
        return 52 + 38 * y, 52 + 38 * x
    for i in range(8):
        it.text((14, at(i, 0)[1] + 5), i)
        it.text((at(0, i)[0], 22), i)
    it.frame((at(0, 4)[0] - 17, at(0, 4)[1] - 17),
             (at(1, 6)[0] + 17, at(1, 6)[1] + 17), BLUE, "#e4ecf5")
    for x in range(8):
        for y in range(8):
            if x < 7:
                it.line(at(x, y), at(x + 1, y))
            if y < 7:
                it.line(at(x, y), at(x, y + 1))
    for x in range(8):
        for y in range(8):
            inside = x < 2 and 4 <= y < 7
            it.node(at(x, y), BLUE if inside else BUSY if x < 4 and y < 4
                    else "#fff", radius=9)
    return it


def draw_line(it, top, colours, skips):
    """Eight nodes in a line with the links of a torus or a multi-torus, each
    in the colour of the job that has it."""
    at = [(60 + 60 * i, top) for i in range(8)]
    for i in range(7):
        it.line(at[i], at[i + 1], colours.get((i, i + 1), QUIET),
                4 if (i, i + 1) in colours else 1.5)
    for i in range(6):
        if skips:
            it.arc(at[i], at[i + 2], 22 if i % 2 else -22,
                   colours.get((i, i + 2), QUIET),
                   4 if (i, i + 2) in colours else 1.5)
    if not skips:
        it.arc(at[0], at[7], 48, colours.get((0, 7), QUIET),
               4 if (0, 7) in colours else 1.5)
    for i in range(8):
        it.node(at[i], BLUE if i < 4 else ORANGE if skips else "#fff", str(i))


def draw_ring():
    """A ring takes a whole line of a torus, and half of a multi-torus."""
    it = Picture(540, 300, "Two lines of eight nodes. On the torus, the ring of "
                 "a job on nodes 0 to 3 takes every link of the line. On the "
                 "multi-torus, rings on nodes 0 to 3 and on nodes 4 to 7 share "
                 "no link.")
    it.text((20, 30), "torus: a ring of four takes every link of the line",
            anchor="start")
    draw_line(it, 75, {**{(i, i + 1): BLUE for i in range(7)}, (0, 7): BLUE},
              False)
    it.text((20, 185), "multi-torus: two rings of four, side by side",
            anchor="start")
    draw_line(it, 240, {(0, 1): BLUE, (0, 2): BLUE, (1, 3): BLUE, (2, 3): BLUE,
                        (4, 5): ORANGE, (4, 6): ORANGE, (5, 7): ORANGE,
                        (6, 7): ORANGE}, True)
    return it


def draw_fold():
    """A ring of eight on a line, and in a box of 2x4."""
    it = Picture(560, 210, "Left: a ring of eight ranks on a line of eight "
                 "nodes, folded, so that no two neighbours are more than two "
                 "hops apart. Right: the same ring around a box of 2x4 nodes, "
                 "with neighbours one hop apart.")
    it.text((150, 30), "a folded ring on a line")
    ranks = [0, 7, 1, 6, 2, 5, 3, 4]
    at = {rank: (35 + 34 * i, 115) for i, rank in enumerate(ranks)}
    for rank in range(8):
        a, b = at[rank], at[(rank + 1) % 8]
        if abs(a[0] - b[0]) < 40:
            it.line(a, b, BLUE, 3)
        else:
            it.arc(a, b, -24 if rank < 4 else 24, BLUE, 3)
    for rank, place in at.items():
        it.node(place, BLUE, str(rank))
    it.text((430, 30), "a fold: the ring in a box of 2x4")
    box = {i: (350 + 52 * i, 85) for i in range(4)}
    box.update({7 - i: (350 + 52 * i, 145) for i in range(4)})
    for i in range(8):
        it.line(box[i], box[(i + 1) % 8], BLUE, 3)
    for i in range(1, 3):
        it.line(box[i], box[7 - i])
    for rank, place in box.items():
        it.node(place, BLUE, str(rank))
    return it


def draw_cube(it, at, number, chosen):
    x, y = at
    colour = BLUE if chosen else QUIET
    fill = "#e4ecf5" if chosen else "#fff"
    it.parts.append(
        f'<path d="M {x} {y} l 14 -14 h 48 v 48 l -14 14 h -48 z" '
        f'fill="{fill}" stroke="{colour}" stroke-width="2.5"/>')
    it.parts.append(
        f'<path d="M {x} {y} h 48 v 48 M {x + 48} {y} l 14 -14" fill="none" '
        f'stroke="{colour}" stroke-width="2.5"/>')
    it.text((x + 24, y + 30), str(number))


def draw_slice():
    """Two cubes of a pod, joined by switches."""
    it = Picture(560, 230, "A pod of six cubes above optical switches. The "
                 "switches join cubes 1 and 4 to a slice; their free "
                 "neighbours are not in it.")
    for i in range(6):
        draw_cube(it, (30 + 88 * i, 50), i, i in (1, 4))
    it.frame((30, 165), (530, 205), INK, "#f4f4f4")
    it.text((90, 190), "optical switches", size=13)
    for i in range(6):
        x = 54 + 88 * i
        it.line((x - 10, 98), (x - 10, 165), QUIET, 1.5)
        it.line((x + 10, 98), (x + 10, 165), QUIET, 1.5)
    for a, b, bend in ((54 + 88 + 10, 54 + 4 * 88 - 10, 12),
                       (54 + 88 - 10, 54 + 4 * 88 + 10, 20)):
        it.line((a, 98), (a, 165), BLUE, 4)
        it.line((b, 98), (b, 165), BLUE, 4)
        it.arc((a, 165), (b, 165), bend, BLUE, 4)
    return it


def draw_tree():
    """The queue tree over eight processors."""
    it = Picture(560, 260, "A binary tree over eight processors. The root has "
                 "the run queue of the whole machine, each node below that of "
                 "a half, a quarter or one processor. Jobs A and B are in the "
                 "queue of the root, C in that of the left half, D and E in "
                 "those of two quarters of the right half.")
    levels = [[(280, 35)], [(150, 95), (410, 95)],
              [(85 + 130 * i, 155) for i in range(4)],
              [(52 + 65 * i, 215) for i in range(8)]]
    for depth in range(3):
        for i, at in enumerate(levels[depth]):
            for child in (2 * i, 2 * i + 1):
                it.line(at, levels[depth + 1][child])
    queues = {(0, 0): "A B", (1, 0): "C", (2, 2): "D", (2, 3): "E"}
    for depth, level in enumerate(levels):
        for i, at in enumerate(level):
            jobs = queues.get((depth, i), "")
            if depth == 3:
                it.node(at, "#fff", str(i))
                continue
            it.frame((at[0] - 26, at[1] - 14), (at[0] + 26, at[1] + 14),
                     GREEN if jobs else QUIET, "#eaf5ec" if jobs else "#fff")
            it.text((at[0], at[1] + 5), jobs)
    it.text((540, 40), "slot 1: A", 12, anchor="end")
    it.text((540, 56), "slot 2: B", 12, anchor="end")
    it.text((540, 72), "slot 3: C, D, E", 12, anchor="end")
    return it


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, draw in (("box", draw_box), ("ring", draw_ring),
                       ("fold", draw_fold), ("slice", draw_slice),
                       ("tree", draw_tree)):
        draw().write(os.path.join(sys.argv[1], f"{name}.svg"))


if __name__ == "__main__":
    main()
