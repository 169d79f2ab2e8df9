#!/usr/bin/env python3
"""Usage: slice_seeds.py SEED...

The experiment of slice-packer-torus (M. Nanyonga, 2026) on failures at 25, 50,
75 and 95 % of busy nodes, by its rules and with the random numbers of Python's
`random`, as it draws them. Its own seed is 20260902. For every seed: how many of
40 jobs can move to a box of the same shape.
"""
import random
import sys

SIDE, FAILURES = 16, 40
FULL = (1 << SIDE) - 1


def list_shapes(nodes):
    """Least diameter first, then the widest cut; a side of 16 is a ring."""
    shapes = []
    for x in range(1, SIDE + 1):
        for y in range(1, SIDE + 1):
            z, left = divmod(nodes, x * y)
            if left or not 1 <= z <= SIDE:
                continue
            shape = (x, y, z)
            diameter = sum(SIDE // 2 if e == SIDE else e - 1 for e in shape)
            cut = min(nodes // e * (2 if e == SIDE else 1)
                      for e in shape if e > 1)
            shapes.append((diameter, -cut, shape))
    return [shape for _, _, shape in sorted(shapes)]


def mark(busy, origin, shape, value):
    row = ((1 << shape[2]) - 1) << origin[2]
    for x in range(origin[0], origin[0] + shape[0]):
        for y in range(origin[1], origin[1] + shape[1]):
            busy[x][y] = busy[x][y] | row if value else busy[x][y] & ~row


def shrink(rows, length):
    """Where `length` of them in a row are free, bit by bit."""
    out = []
    for i in range(len(rows) - length + 1):
        free = FULL
        for row in rows[i:i + length]:
            free &= row
        out.append(free)
    return out


def find_first(busy, shape):
    planes = []
    for plane in busy:
        rows = []
        for row in plane:
            free = window = ~row & FULL
            for k in range(1, shape[2]):
                window &= free >> k
            rows.append(window)
        planes.append(shrink(rows, shape[1]))
    for x in range(SIDE - shape[0] + 1):
        for y in range(SIDE - shape[1] + 1):
            free = FULL
            for k in range(shape[0]):
                free &= planes[x + k][y]
            if free:
                return x, y, (free & -free).bit_length() - 1
    return None


def place(busy, shapes):
    for shape in shapes:
        origin = find_first(busy, shape)
        if origin:
            mark(busy, origin, shape, True)
            return origin, shape
    return None


def fail(part, shapes, rng):
    """Fill a machine, let a node fail, and look for the same shape."""
    busy, jobs, held = [[0] * SIDE for _ in range(SIDE)], [], 0
    while held < part * SIDE ** 3:
        nodes = rng.choice([256, 512])
        job = place(busy, shapes[nodes])
        if not job:
            break
        jobs.append(job)
        held += nodes
    origin, shape = rng.choice(jobs)
    node = tuple(o + rng.randrange(e) for o, e in zip(origin, shape))
    mark(busy, origin, shape, False)
    mark(busy, node, (1, 1, 1), True)
    return find_first(busy, shape) is not None


def main():
    shapes = {nodes: list_shapes(nodes) for nodes in (256, 512)}
    for seed in sys.argv[1:]:
        rng = random.Random(int(seed))
        moved = [sum(fail(part, shapes, rng) for _ in range(FAILURES))
                 for part in (0.25, 0.5, 0.75, 0.95)]
        print(seed, *moved, flush=True)


main()
