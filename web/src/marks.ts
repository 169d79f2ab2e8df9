// Lines and texts around nodes: outlines of sets of them, links that are down,
// and what is written beside the machine.
import { coordinates, nodeId, sideAlong, spaceOf, type Machine } from "./machine";

// The edges of the body that some nodes make, as pairs of points. Where two of
// its faces lie in one plane, there is no edge.
export function outline(machine: Machine, at: Float32Array, nodes: number[], half: number): number[] {
    const set = new Set(nodes), ends: number[] = [], dims = spaceOf(machine);
    const beside = (id: number, axis: number, way: number) => {
        const dim = dims[axis];
        if (dim === undefined) return -1;
        const { stride, side } = sideAlong(machine, dim), c = Math.floor(id / stride) % side + way;
        return c >= 0 && c < side && set.has(id + way * stride) ? id + way * stride : -1;
    };
    const edge = (id: number, middle: number[], along: number) => {
        for (const way of [-1, 1])
            for (let k = 0; k < 3; k++) ends.push((at[3 * id + k] ?? 0) + half * ((middle[k] ?? 0) + (k === along ? way : 0)));
    };
    for (const id of nodes)
        for (let a = 0; a < 3; a++)
            for (const way of [-1, 1]) {
                if (beside(id, a, way) >= 0) continue; // not a face of the body
                for (let b = 0; b < 3; b++)
                    for (const to of b === a ? [] : [-1, 1]) {
                        const next = beside(id, b, to), c = 3 - a - b;
                        if (next >= 0 && beside(next, a, way) < 0) continue;
                        edge(id, [0, 1, 2].map(k => (k === a ? way : k === b ? to : 0)), c);
                    }
            }
    return ends;
}

// "0,0,4-0,0,5", or a port, "3,1,0,0 +1": where it leaves a node, and where it
// arrives, if both are seen in one line. A link around the end is two stubs.
export interface Cut {
    from: number;
    axis: number;
    way: number;
}

export function cutsOf(machine: Machine, text: string): Cut[] {
    const read = (word = "") => word.split(",").map(Number), apart = machine.apart;
    const port = /^([\d,]+) ([+-])(\d+)$/.exec(text);
    if (port) return [{ from: nodeId(machine, read(port[1])), axis: (Number(port[3]) - apart) % 3, way: port[2] === "+" ? 1 : -1 }];
    const [a = [], b = []] = text.split("-").map(read);
    const dim = a.findIndex((c, i) => c !== b[i]);
    if (dim < apart || a.length !== machine.sides.length || b.length !== a.length) return [];
    const far = (b[dim] ?? 0) - (a[dim] ?? 0), way = Math.abs(far) === 1 ? far : -Math.sign(far);
    return [{ from: nodeId(machine, a), axis: (dim - apart) % 3, way }, { from: nodeId(machine, b), axis: (dim - apart) % 3, way: -way }];
}

// Numbers along the edges of the machine, or of cubes: which node they are at,
// and how far from it.
export interface Tick {
    text: string;
    node: number;
    by: [number, number, number];
}

// A machine of more nodes has no texts.
export const written = 5000;

export function ticksOf(machine: Machine): Tick[] {
    const { sides, apart, nodes } = machine;
    if (nodes > written) return [];
    if (apart) return cubeTicks(machine);
    if (sides.length === 1 && nodes > 16) return [];
    const last = sides.map(side => side - 1), put: Tick[] = [];
    const away: [number, number, number][] = [[0, -0.9, 0], [-0.9, 0, 0], [0.9, -0.4, 0]];
    spaceOf(machine).forEach((dim, axis) => {
        const side = sides[dim] ?? 1, step = Math.ceil(side / 8);
        for (let c = 0; c < side; c += step) {
            const at = sides.map((_, i) => (i === dim ? c : i === 2 && axis < 2 ? last[2] ?? 0 : i === 0 && axis === 2 ? last[0] ?? 0 : 0));
            put.push({ text: c === 0 ? `dim ${dim}: 0` : `${c}`, node: nodeId(machine, at), by: away[axis] ?? [0, 0, 0] });
        }
    });
    return put;
}

// What they are.
export function ticksText(machine: Machine): string {
    return !ticksOf(machine).length ? "" : machine.apart ? " Numbers above cubes are theirs." : " Numbers along the edges are coordinates.";
}

function cubeTicks(machine: Machine): Tick[] {
    const size = machine.sides.slice(machine.apart).reduce((a, b) => a * b, 1), cubes = machine.nodes / size;
    if (cubes > 128) return [];
    return Array.from({ length: cubes }, (_, i) => {
        const top = coordinates(machine, i * size).map((c, k) => (k === machine.apart + 1 ? (machine.sides[k] ?? 1) - 1 : c));
        return { text: coordinates(machine, i * size).slice(0, machine.apart).join(","), node: nodeId(machine, top), by: [0, 0.9, 0] };
    });
}
