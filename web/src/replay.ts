// A schedule as `tori sim --log-format csv` writes it, and who is where when.

export interface Run {
    id: number;
    submit: number;
    start: number;
    finish: number;
    nodes: number; // that it asked for
    user: string;
    lack: [number, number]; // seconds that it waited for nodes, and for a box
    place: string; // "0-3 8"
}

function metadata(text: string): Record<string, string> {
    return Object.fromEntries(text.split(" ").map(part => part.split("=") as [string, string]));
}

// Only the name of the workload may be quoted, and it has no comma that counts.
export function parseRuns(csv: string): Run[] {
    const [head = "", ...lines] = csv.split("\n");
    const columns = head.split(",");
    const at = (name: string) => columns.indexOf(name) - columns.length;
    const id = columns.indexOf("job_id"), submit = at("submission_time"), asked = at("requested_number_of_resources");
    const start = at("starting_time"), finish = at("finish_time"), place = at("allocated_resources"), more = at("metadata");
    return lines.filter(line => line !== "").map(line => {
        const cell = line.split(",");
        const get = (i: number) => cell.at(i) ?? "";
        const about = metadata(get(more));
        return {
            id: Number(get(id)), submit: Number(get(submit)), start: Number(get(start)), finish: Number(get(finish)), nodes: Number(get(asked)),
            user: about["user"] ?? "", lack: [Number(about["numerical"] ?? 0), Number(about["topological"] ?? 0)], place: get(place),
        };
    });
}

export function nodesOfRanges(text: string): number[] {
    const all: number[] = [];
    for (const part of text.split(" ")) {
        const [from = 0, to = from] = part.split("-").map(Number);
        for (let i = from; i <= to; i++) all.push(i);
    }
    return all;
}

export interface Moment {
    running: Run[];
    waiting: Run[];
}

export function momentOf(runs: Run[], time: number): Moment {
    const moment: Moment = { running: [], waiting: [] };
    for (const run of runs) {
        if (run.start <= time && time < run.finish) moment.running.push(run);
        else if (run.submit <= time && time < run.start) moment.waiting.push(run);
    }
    moment.waiting.sort((a, b) => a.submit - b.submit || a.id - b.id);
    return moment;
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
