// The machine as text: "torus:8x8x8", "mesh:2^10", "torus:16x16x8m".

export interface Machine {
    text: string;
    kind: string;
    sides: number[];
    wraps: boolean[]; // by dimension
    nodes: number;
}

export function parseMachine(text: string): Machine {
    const [kind = "", sizes = ""] = text.split(":");
    const sides: number[] = [];
    const wraps: boolean[] = [];
    for (const part of sizes.split("x")) {
        const found = /^(\d+)(?:\^(\d+))?([mt]?)$/.exec(part);
        if (!found) throw new Error(`not a machine: ${text}`);
        for (let i = 0; i < Number(found[2] ?? 1); i++) {
            sides.push(Number(found[1]));
            wraps.push(found[3] === "" ? kind !== "mesh" : found[3] === "t");
        }
    }
    return { text, kind, sides, wraps, nodes: sides.reduce((a, b) => a * b, 1) };
}

// Ids count through the last dimension first.
export function coordinates(machine: Machine, id: number): number[] {
    const at: number[] = [];
    for (let i = machine.sides.length - 1; i >= 0; i--) {
        const side = machine.sides[i] ?? 1;
        at[i] = id % side;
        id = Math.floor(id / side);
    }
    return at;
}

// How far apart neighbours along a dimension are by number, and how many there
// are.
export function sideAlong(machine: Machine, dim: number): { stride: number; side: number } {
    return { stride: machine.sides.slice(dim + 1).reduce((a, b) => a * b, 1), side: machine.sides[dim] ?? 1 };
}

export function nodeId(machine: Machine, at: number[]): number {
    return machine.sides.reduce((id, side, i) => id * side + ((at[i] ?? 0) % side), 0);
}

const numbers = (text: string, between: string) => text.split(between).map(Number);

export interface Place {
    box?: string;
    nodes?: string[];
}

// "0,0,4/3x4x4": where it begins, and its sides; it may wrap around.
function nodesOfBox(machine: Machine, box: string): number[] {
    const [origin = "", shape = ""] = box.split("/");
    const from = numbers(origin, ","), sides = numbers(shape, "x");
    let all = [0];
    machine.sides.forEach((side, i) => {
        const next: number[] = [];
        for (const id of all)
            for (let k = 0; k < (sides[i] ?? 1); k++) next.push(id * side + (((from[i] ?? 0) + k) % side));
        all = next;
    });
    return all;
}

export function nodesOf(machine: Machine, place: Place | string | undefined): number[] {
    if (!place) return [];
    if (typeof place === "string") return nodesOfBox(machine, place);
    if (place.box) return place.box.split(" ").flatMap(b => nodesOfBox(machine, b));
    return (place.nodes ?? []).map(n => nodeId(machine, numbers(n, ",")));
}

// Neighbours within a set, each pair once; of those that meet around the end,
// both ends.
export interface Links {
    inner: [number, number][];
    around: { from: number; to: number; dim: number }[];
}

export function linksWithin(machine: Machine, nodes: number[]): Links {
    const set = new Set(nodes);
    const links: Links = { inner: [], around: [] };
    for (const id of nodes) {
        const at = coordinates(machine, id);
        machine.sides.forEach((side, dim) => {
            const here = at[dim] ?? 0;
            const next = nodeId(machine, at.map((c, i) => (i === dim ? (c + 1) % side : c)));
            if (side < 2 || !set.has(next)) return;
            if (here + 1 < side) links.inner.push([id, next]);
            else if (machine.wraps[dim] && side > 2) links.around.push({ from: id, to: next, dim });
        });
    }
    return links;
}

// Where the dimensions go. The first three are space; further ones repeat the
// machine beside itself, along the same axes in turn, further apart each time.
function strides(machine: Machine, explode: number): { stride: number[]; length: number[] } {
    const stride: number[] = [], length = [1, 1, 1];
    machine.sides.forEach((side, i) => {
        const axis = i % 3, so = length[axis] ?? 1;
        stride[i] = i < 3 ? 1 + explode : so + 0.4 + 0.8 * Math.floor(i / 3) + explode;
        length[axis] = (stride[i] ?? 1) * (side - 1) + so;
    });
    return { stride, length };
}

const ways = ["to the right", "upwards", "to the front"];

export function axesText(machine: Machine): string {
    const to = (dims: number[]) => dims.map(i => `${i} ${ways[i % 3] ?? ""}`).join(", ");
    const all = machine.sides.map((_, i) => i), further = all.slice(3);
    if (isFolded(machine)) return "One dimension, in rows that go to and fro.";
    return `Dimension ${to(all.slice(0, 3))}${further.length ? `; copies along ${to(further)}` : ""}.`;
}

// A long line is folded: it would be too thin to see.
function isFolded(machine: Machine): boolean {
    return machine.sides.length === 1 && machine.nodes > 16;
}

function foldedPositions(machine: Machine, explode: number): Float32Array {
    const all = new Float32Array(3 * machine.nodes), step = 1 + explode;
    const row = Math.ceil(Math.sqrt(1.4 * machine.nodes)), rows = Math.ceil(machine.nodes / row);
    for (let id = 0; id < machine.nodes; id++) {
        const y = Math.floor(id / row), x = y % 2 ? row - 1 - (id % row) : id % row;
        all[3 * id] = step * (x - (row - 1) / 2);
        all[3 * id + 1] = step * ((rows - 1) / 2 - y);
    }
    return all;
}

export function positions(machine: Machine, explode: number): Float32Array {
    if (isFolded(machine)) return foldedPositions(machine, explode);
    const n = machine.sides.length, { stride, length } = strides(machine, explode);
    const all = new Float32Array(3 * machine.nodes), here = length.map(l => (1 - l) / 2), at = new Array<number>(n).fill(0);
    for (let id = 0; id < machine.nodes; id++) {
        all.set(here, 3 * id);
        // One step on: the last dimension first.
        for (let i = n - 1; i >= 0; i--) {
            const side = machine.sides[i] ?? 1, step = stride[i] ?? 1, c = (at[i] ?? 0) + 1;
            at[i] = c % side;
            here[i % 3] = (here[i % 3] ?? 0) + (c < side ? step : -step * (side - 1));
            if (c < side) break;
        }
    }
    return all;
}

// The edges of every copy of the first three dimensions, as pairs of corners.
export function frames(machine: Machine, at: Float32Array): number[] {
    const { sides } = machine, ends: number[] = [];
    const copies = sides.slice(3).reduce((a, b) => a * b, 1), block = { ...machine, sides: sides.slice(0, 3) };
    if (sides.length < 3 || copies > 512) return ends;
    for (let copy = 0; copy < copies; copy++) {
        const corner = (k: number) => {
            const id = copy + copies * nodeId(block, block.sides.map((side, i) => (k & (1 << i) ? side - 1 : 0)));
            return block.sides.map((_, i) => (at[3 * id + i] ?? 0) + (k & (1 << i) ? 0.5 : -0.5));
        };
        for (let k = 0; k < 8; k++)
            for (let i = 0; i < 3; i++) if (!(k & (1 << i))) ends.push(...corner(k), ...corner(k | (1 << i)));
    }
    return ends;
}
