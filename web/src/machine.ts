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

// Where a node is drawn. The first three dimensions are space; further ones
// repeat the machine beside itself, along the same axes in turn.
export function positions(machine: Machine, explode: number): Float32Array {
    const n = machine.sides.length;
    const gap = 1.5;
    const stride: number[] = [];
    const length = [1, 1, 1];
    for (let i = 0; i < n; i++) {
        const side = machine.sides[i] ?? 1;
        const axis = i % 3;
        stride[i] = i < 3 ? 1 + explode : (length[axis] ?? 1) + gap;
        length[axis] = (stride[i] ?? 1) * (side - 1) + (i < 3 ? 1 : length[axis] ?? 1);
    }
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
