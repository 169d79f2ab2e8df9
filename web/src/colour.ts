// A colour for each job, the same as long as it lives. Hues go around by the
// golden angle, so jobs with close numbers differ; three lightnesses in turn
// keep them apart for those who see fewer hues. Jobs that touch get hues that
// differ, as far as there are such, and so do the last few jobs.
import { sideAlong, type Machine } from "./machine";

const lightness = [0.52, 0.7, 0.6], golden = 137.508, tries = 24, apart = 45, few = 12;
const turns = new Map<number, number>(); // how often the hue of a job was passed on

const hueOf = (id: number, turn = turns.get(id) ?? 0) => ((id + turn) * golden) % 360;

function hueDistance(a: number, b: number): number {
    const far = Math.abs(a - b) % 360;
    return Math.min(far, 360 - far);
}

// Which jobs have nodes beside which.
function touching(owner: Int32Array, machine: Machine): Map<number, Set<number>> {
    const found = new Map<number, Set<number>>();
    const add = (a: number, b: number) => found.set(a, (found.get(a) ?? new Set()).add(b));
    for (let dim = machine.apart; dim < machine.sides.length; dim++) {
        const { stride, side } = sideAlong(machine, dim);
        for (let id = 0; id < machine.nodes; id++) {
            const a = owner[id] ?? 0, b = Math.floor(id / stride) % side + 1 < side ? owner[id + stride] ?? 0 : 0;
            if (!a || !b || a === b) continue;
            add(a, b);
            add(b, a);
        }
    }
    return found;
}

// Jobs that are new choose; the others keep what they have.
export function chooseColours(owner: Int32Array, machine: Machine) {
    const beside = touching(owner, machine), living = new Set(owner);
    for (const id of turns.keys()) if (!living.has(id)) turns.delete(id);
    for (const id of [...living].filter(job => job && !turns.has(job)).sort((a, b) => a - b)) {
        const near = [...(beside.get(id) ?? [])].filter(job => turns.has(job)).map(job => hueOf(job)), others = [...turns.keys()].slice(-few).map(job => hueOf(job));
        const distance = (turn: number, from: number[]) => Math.min(180, ...from.map(hue => hueDistance(hue, hueOf(id, turn))));
        const all = Array.from({ length: tries }, (_, turn) => turn), good = all.filter(turn => distance(turn, near) >= apart);
        turns.set(id, good.find(turn => distance(turn, others) >= apart / 2) ?? good[0] ?? all.reduce((best, turn) => (distance(turn, near) > distance(best, near) ? turn : best), 0));
    }
}

export function jobColour(id: number): [number, number, number] {
    return hsl(hueOf(id), 0.62, lightness[id % 3] ?? 0.6);
}

export function jobCss(id: number): string {
    const [r, g, b] = jobColour(id).map(x => Math.round(255 * x));
    return `rgb(${r} ${g} ${b})`;
}

function hsl(h: number, s: number, l: number): [number, number, number] {
    const part = (n: number) => {
        const k = (n + h / 30) % 12;
        return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    };
    return [part(0), part(8), part(4)];
}
