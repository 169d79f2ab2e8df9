// The machine as text: "torus:8x8x8", "mesh:2^10", "torus:16x16x8m",
// "2*pod:64/4x4x4".

export interface Machine {
    text: string;
    kind: string;
    sides: number[];
    wraps: boolean[]; // by dimension
    apart: number; // of a pod: so many dimensions count cubes and pods
    several: boolean; // the first of those counts pods
    nodes: number;
}

const product = (sides: number[]) => sides.reduce((a, b) => a * b, 1);

export function parseMachine(text: string): Machine {
    const [, pods = "1", kind = "", sizes = "", cube] = /^(?:(\d+)\*)?(\w+):([^/]*)(?:\/(.*))?$/.exec(text) ?? [];
    const sides: number[] = [], wraps: boolean[] = [];
    const several = Number(pods) > 1;
    if (several) sides.push(Number(pods));
    const read = (part: string) => {
        const found = /^(\d+)(?:\^(\d+))?([mtu]?)$/.exec(part);
        if (!found) throw new Error(`not a machine: ${text}`);
        for (let i = 0; i < Number(found[2] ?? 1); i++) {
            sides.push(Number(found[1]));
            wraps[sides.length - 1] = kind !== "pod" && (found[3] === "" ? kind !== "mesh" : found[3] !== "m");
        }
    };
    sizes.split("x").forEach(read);
    const apart = cube === undefined ? 0 : sides.length;
    cube?.split("x").forEach(read);
    return { text, kind, sides, wraps, apart, several, nodes: product(sides) };
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
    return { stride: product(machine.sides.slice(dim + 1)), side: machine.sides[dim] ?? 1 };
}

export function nodeId(machine: Machine, at: number[]): number {
    return machine.sides.reduce((id, side, i) => id * side + ((at[i] ?? 0) % side), 0);
}

const numbers = (text: string, between: string) => text.split(between).map(Number);

export interface Place {
    box?: string;
    boxes?: string[]; // or several, such as the pieces of a slice
    across?: string; // how many of those there are along each dimension of a cube
    box_wiring?: string;
    nodes?: string[];
}

interface Box {
    from: number[];
    sides: number[];
}

// "0,0,4/3x4x4": where it begins, and its sides; it may wrap around. There may
// be several, and words after those that are told.
const boxWord = /^\d[\d,]*\/\d[\dx]*$/;

function boxesOf(place: Place | string | undefined): Box[] {
    const words = typeof place === "string" ? place.split(" ") : place?.boxes ?? place?.box?.split(" ") ?? [];
    return words.filter(word => boxWord.test(word)).map(word => {
        const [origin = "", shape = ""] = word.split("/");
        return { from: numbers(origin, ","), sides: numbers(shape, "x") };
    });
}

function nodesOfBox(machine: Machine, { from, sides }: Box): number[] {
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
    if (typeof place === "object" && place.nodes) return place.nodes.map(n => nodeId(machine, numbers(n, ",")));
    return boxesOf(place).flatMap(box => nodesOfBox(machine, box));
}

// ---- slices of a pod ----

// A + face of a piece and the - face that it is joined with, node by node.
export interface Joint {
    dim: number;
    from: number[];
    to: number[];
}

// The first piece of the ring that goes on with another: of itself, or, in a
// twisted torus, where the short sides lead to the middle of the long ones.
function ringStart(machine: Machine, across: number[], i: number, d: number, twisted: boolean): number {
    const step = (k: number) => product(across.slice(k + 1)), at = (k: number) => Math.floor(i / step(k)) % (across[k] ?? 1);
    const lengths = across.map((n, k) => n * (machine.sides[machine.apart + k] ?? 1)), short = Math.min(...lengths);
    const first = i - at(d) * step(d);
    if (!twisted || lengths[d] !== short) return first;
    return across.reduce((to, n, k) => (lengths[k] === short ? to : to + (at(k) < n / 2 ? n / 2 : -n / 2) * step(k)), first);
}

// What the switches join: each piece with the next one, and, where the slice is
// a ring, the last with a first.
export function jointsOf(machine: Machine, place: Place | undefined): Joint[] {
    const pieces = boxesOf(place), wiring = place?.box_wiring;
    const across = place?.across ? numbers(place.across, "x") : machine.sides.slice(machine.apart).map(() => 1);
    const found: Joint[] = [];
    if (!machine.apart || !wiring || wiring === "none" || product(across) !== pieces.length) return found;
    across.forEach((n, d) => {
        const dim = machine.apart + d, last = (machine.sides[dim] ?? 1) - 1, step = product(across.slice(d + 1)), twisted = wiring === "twisted";
        const rings = twisted || wiring === "torus" || wiring[dim] === "t";
        const face = (box: Box | undefined, at: number) => (box ? nodesOfBox(machine, {
            from: box.from.map((c, i) => (i === dim ? at : c)), sides: box.sides.map((s, i) => (i === dim ? 1 : s)) }) : []);
        pieces.forEach((piece, i) => {
            const ends = Math.floor(i / step) % n === n - 1;
            if (ends && (!rings || (n === 1 && piece.sides[dim] === 1))) return;
            found.push({ dim, from: face(piece, last), to: face(pieces[ends ? ringStart(machine, across, i, d, twisted) : i + step], 0) });
        });
    });
    return found;
}

// The cube of a node: "5", "0,3", "5 of pod 1".
export function cubeText(machine: Machine, id: number): string {
    const at = coordinates(machine, id).slice(0, machine.apart);
    return machine.several ? `${at.slice(1).join(",")} of pod ${at[0] ?? 0}` : at.join(",");
}

// "5,3,1,2 (cube 5)"
export function nodeText(machine: Machine, id: number): string {
    return coordinates(machine, id).join(",") + (machine.apart ? ` (cube ${cubeText(machine, id)})` : "");
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
            if (side < 2 || dim < machine.apart || !set.has(next)) return;
            if (here + 1 < side) links.inner.push([id, next]);
            else if (machine.wraps[dim] && side > 2) links.around.push({ from: id, to: next, dim });
        });
    }
    return links;
}

// ---- where it is drawn ----

// The dimensions that are space: the first three, of a pod those of a cube.
export function spaceOf(machine: Machine): number[] {
    return machine.sides.map((_, i) => i).slice(machine.apart, machine.apart + 3);
}

type Vector = [number, number, number];

// Cubes that have a number alone stand in rows, from the top.
function columnsOf(cubes: number): number {
    return Math.ceil(Math.sqrt(cubes));
}

// How far each coordinate of each dimension moves a node. Dimensions beyond the
// third repeat the machine beside itself, along the same axes in turn, further
// apart each time; cubes and pods are copies, too.
function offsets(machine: Machine, explode: number): { of: Vector[][]; length: Vector } {
    const { sides, apart, several } = machine, length: Vector = [1, 1, 1], of: Vector[][] = [];
    const along = (dim: number, axis: number, gap: number) => {
        const side = sides[dim] ?? 1, stride = (length[axis] ?? 1) + gap;
        of[dim] = Array.from({ length: side }, (_, c) => [0, 1, 2].map(k => (k === axis ? c * stride : 0)) as Vector);
        length[axis] = (length[axis] ?? 1) + stride * (side - 1);
    };
    const inRows = (dim: number, gap: number) => {
        const n = sides[dim] ?? 1, columns = columnsOf(n), rows = Math.ceil(n / columns), [wide, high] = [length[0] + gap, length[1] + gap + 0.4 * length[2]]; // seen from above
        of[dim] = Array.from({ length: n }, (_, c) => [wide * (c % columns), high * (rows - 1 - Math.floor(c / columns)), 0]);
        length[0] += wide * (columns - 1);
        length[1] += high * (rows - 1);
    };
    sides.slice(apart).forEach((_, i) => along(apart + i, i % 3, i < 3 ? explode : 0.4 + 0.8 * Math.floor(i / 3) + explode));
    const first = several ? 1 : 0, gap = 2 + 2 * explode;
    if (apart - first === 1) inRows(first, gap);
    else sides.slice(first, apart).forEach((_, i) => along(first + i, i % 3, gap));
    if (several) along(0, 0, 3 * gap);
    return { of, length };
}

const ways = ["to the right", "upwards", "to the front"];

export function axesText(machine: Machine): string {
    const { apart, several } = machine, first = several ? 1 : 0;
    const to = (dims: number[], from = 0) => dims.map(i => `${i} ${ways[(i - from) % 3] ?? ""}`).join(", ");
    const all = machine.sides.map((_, i) => i), further = all.slice(apart + 3);
    if (isFolded(machine)) return "One dimension, in rows that go to and fro.";
    const cubes = apart === 0 ? "" : apart - first === 1 ? "; cubes in rows, from the top" : `; cubes along ${to(all.slice(first, apart), first)}`;
    return `Dimension ${to(spaceOf(machine), apart)}${further.length ? `; copies along ${to(further, apart)}` : ""}${cubes}${several ? "; pods to the right" : ""}.`;
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
    const { of, length } = offsets(machine, explode);
    let all = Float32Array.from(length.map(l => (1 - l) / 2));
    for (const moves of of) {
        const next = new Float32Array(all.length * moves.length);
        for (let k = 0, n = 0; k < all.length; k += 3)
            for (const move of moves) for (let i = 0; i < 3; i++) next[n++] = (all[k + i] ?? 0) + (move[i] ?? 0);
        all = next;
    }
    return all;
}

// The edges of every copy of what is space, as pairs of corners.
export function frames(machine: Machine, at: Float32Array): number[] {
    const { sides, apart } = machine, ends: number[] = [], along = spaceOf(machine).map(dim => sideAlong(machine, dim));
    const outer = product(sides.slice(0, apart)), inner = product(sides.slice(apart + 3));
    if ((along.length < 3 && !apart) || outer * inner > 2048) return ends;
    for (let copy = 0; copy < outer * inner; copy++) {
        const first = Math.floor(copy / inner) * (machine.nodes / outer) + (copy % inner);
        const corner = (k: number) => {
            const far = along.reduce((to, { stride, side }, i) => (k & (1 << i) ? to + stride * (side - 1) : to), first);
            return [0, 1, 2].map(i => (at[3 * far + i] ?? 0) + (i >= along.length ? 0 : k & (1 << i) ? 0.5 : -0.5));
        };
        for (let k = 0; k < 1 << along.length; k++)
            for (let i = 0; i < along.length; i++) if (!(k & (1 << i))) ends.push(...corner(k), ...corner(k | (1 << i)));
    }
    return ends;
}
