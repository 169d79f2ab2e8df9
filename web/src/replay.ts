// A schedule as `tori sim --log-format csv` writes it, and who is where when.
import type { Place } from "./machine";

export interface Run {
    id: number;
    submit: number;
    start: number;
    finish: number;
    nodes: number; // that it asked for
    user: string;
    lack: [number, number]; // seconds that it waited for nodes, and for a box
    place: string; // "0-3 8"
    slice: Place | undefined; // of a pod, if it is wired
}

function metadata(text: string): Record<string, string> {
    return Object.fromEntries(text.split(" ").map(part => part.split("=") as [string, string]));
}

// "wiring=torus across=1x2 boxes=0.0.0/1x4x4+2.0.0/1x4x4": a cell has no commas.
function sliceOf(about: Record<string, string>): Place | undefined {
    const { wiring, across, boxes } = about;
    return wiring && across && boxes ? { box_wiring: wiring, across, boxes: boxes.replaceAll(".", ",").split("+") } : undefined;
}

// Only the name of the workload may be quoted, and it has no comma that counts.
// A job that was rejected has no start.
export function parseRuns(csv: string): Run[] {
    const [head = "", ...lines] = csv.split("\n");
    const columns = head.split(",");
    const at = (name: string) => columns.indexOf(name) - columns.length;
    const id = columns.indexOf("job_id"), submit = at("submission_time"), asked = at("requested_number_of_resources");
    const start = at("starting_time"), finish = at("finish_time"), place = at("allocated_resources"), more = at("metadata");
    return lines.map(line => line.split(",")).filter(cell => cell.at(start)).map(cell => {
        const get = (i: number) => cell.at(i) ?? "";
        const about = metadata(get(more));
        return {
            id: Number(get(id)), submit: Number(get(submit)), start: Number(get(start)), finish: Number(get(finish)), nodes: Number(get(asked)),
            user: about["user"] ?? "", lack: [Number(about["numerical"] ?? 0), Number(about["topological"] ?? 0)], place: get(place), slice: sliceOf(about),
        };
    });
}

// The first and the last node of each range.
export function rangesOf(text: string): [number, number][] {
    return text.split(" ").map(part => {
        const [from = 0, to = from] = part.split("-").map(Number);
        return [from, to];
    });
}

export interface Moment {
    running: Run[];
    waiting: Run[];
}

// Intervals by their beginnings. A replay asks for those of a moment many times
// a second, and a year has 77,000 of them: how far all up to one reach tells
// where to begin.
class Spans {
    private readonly runs: Run[];
    private readonly reach: Float64Array;

    constructor(runs: Run[], private readonly from: (r: Run) => number, private readonly to: (r: Run) => number) {
        this.runs = [...runs].sort((a, b) => from(a) - from(b) || a.id - b.id);
        this.reach = new Float64Array(runs.length);
        this.runs.forEach((run, i) => (this.reach[i] = Math.max(to(run), this.reach[i - 1] ?? -Infinity)));
    }

    private firstBeyond(time: number): number {
        let low = 0, high = this.reach.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if ((this.reach[middle] ?? 0) > time) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    // Those that have begun by the last moment, and have not ended at the first.
    meeting(first: number, last: number): Run[] {
        const found: Run[] = [];
        for (let i = this.firstBeyond(first); i < this.runs.length; i++) {
            const run = this.runs[i];
            if (!run || this.from(run) > last) break;
            if (this.to(run) > first) found.push(run);
        }
        return found;
    }
}

export class Timeline {
    private readonly runs: Spans;
    private readonly waits: Spans;

    constructor(runs: Run[]) {
        this.runs = new Spans(runs, r => r.start, r => r.finish);
        this.waits = new Spans(runs, r => r.submit, r => r.start);
    }

    at(time: number): Moment {
        return { running: this.runs.meeting(time, time), waiting: this.waits.meeting(time, time) };
    }

    running(first: number, last: number): Run[] {
        return this.runs.meeting(first, last);
    }
}

// How much there is of something at each of some times: it comes and goes.
export function levels(runs: Run[], times: number[], from: (r: Run) => number, to: (r: Run) => number, amount: (r: Run) => number): number[] {
    const changes = runs.flatMap(r => [[from(r), amount(r)], [to(r), -amount(r)]] as [number, number][]).sort((a, b) => a[0] - b[0]);
    let level = 0, i = 0;
    return times.map(time => {
        for (let next = changes[i]; next !== undefined && next[0] <= time; next = changes[++i]) level += next[1];
        return level;
    });
}

export function mean(values: number[]): number {
    return values.length ? values.reduce((a, b) => a + b, 0) / values.length : NaN;
}

type Range = [number, number];

// Rows of a chart that are free. A job takes them in one piece if it can, the
// smallest that is large enough.
class Rows {
    private free: Range[];

    constructor(n: number) {
        this.free = [[0, n - 1]];
    }

    take(n: number): Range[] {
        const size = ([low, high]: Range) => high + 1 - low;
        const whole = this.free.filter(range => size(range) >= n).sort((a, b) => size(a) - size(b) || a[0] - b[0])[0];
        const taken: Range[] = [];
        for (const range of whole ? [whole] : [...this.free]) {
            const some = Math.min(n, size(range));
            if (some <= 0) break;
            taken.push([range[0], range[0] + some - 1]);
            range[0] += some;
            n -= some;
        }
        this.free = this.free.filter(range => size(range) > 0);
        return taken;
    }

    give(ranges: Range[]) {
        const all = [...this.free, ...ranges.map(([low, high]) => [low, high] as Range)].sort((a, b) => a[0] - b[0]);
        this.free = [];
        for (const range of all) {
            const last = this.free.at(-1);
            if (last && last[1] + 1 === range[0]) last[1] = range[1];
            else this.free.push(range);
        }
    }
}

// Rows for each job, as many as it has nodes, which no other has meanwhile. By
// the numbers of its nodes a box would be stripes.
export function lanesOf(runs: Run[], nodes: number): Map<number, Range[]> {
    const rows = new Rows(nodes), lanes = new Map<number, Range[]>();
    const size = (run: Run) => rangesOf(run.place).reduce((n, [low, high]) => n + high + 1 - low, 0);
    const ended = runs.filter(run => run.finish > run.start).sort((a, b) => a.finish - b.finish || a.id - b.id);
    let i = 0;
    for (const run of [...ended].sort((a, b) => a.start - b.start || a.id - b.id)) {
        for (let done = ended[i]; done && done.finish <= run.start; done = ended[++i]) rows.give(lanes.get(done.id) ?? []);
        lanes.set(run.id, rows.take(size(run)));
    }
    return lanes;
}
