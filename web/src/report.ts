// The report that `tori report` writes: everything is within it, and it opens
// from disk.
import "./style.css";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { jobCss } from "./colour";
import { axisStyle, byId, el, onScheme } from "./dom";
import { jointsOf, nodeText, parseMachine, type Machine } from "./machine";
import { lanesOf, levels, mean, parseRuns, rangesOf, Timeline, type Moment, type Run } from "./replay";
import { MachineScene } from "./scene";
import { listenToView } from "./view";
import { duration } from "./words";

interface Measure {
    mean: number;
    half_interval: number | null;
    difference: number | null;
    difference_half: number | null;
}

interface Standing {
    scene: string;
    policy: string;
    load: number | null;
    seeds: number;
    jobs_run: number; // over all seeds
    rejected: number;
    killed: number;
    compared: number;
    response: Measure;
    wait: Measure;
    bounded_slowdown: Measure;
    utilization: Measure;
    average: Measure;
}

interface Group {
    name: string;
    scene: string;
    policy: string;
    seeds: number; // that have jobs of the group
    jobs_run: number;
    rejected: number;
    killed: number;
    compared: number;
    wait: Measure;
    longer: number | null; // seconds more than with the first policy
    longer_half: number | null;
    bounded_slowdown: Measure;
}

type MeasureName = "response" | "wait" | "bounded_slowdown" | "utilization" | "average";

interface Data {
    about: string;
    verdict: string; // which policy is best at what, one line each
    standings: Standing[];
    by: Group[]; // with --by: the same for each group of jobs
    machine: string;
    replay: string; // which simulation
    jobs: string; // csv
}

// A scale of 0 is a time, whose unit depends on how long it is.
const measures: [MeasureName, string, number][] = [
    ["response", "response", 0], ["wait", "wait", 0], ["bounded_slowdown", "bounded slowdown", 1],
    ["utilization", "utilization, %", 100], ["average", "distance, hops", 1]];

const units: [string, number][] = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

// The largest unit of which there are two; a measure that is not a time has none.
function unitOf(scale: number, most: number): [string, number] {
    if (scale) return ["", scale];
    const [text, seconds] = units.find(([, s]) => most >= 2 * s) ?? ["s", 1];
    return [text, 1 / seconds];
}

async function readData(): Promise<Data> {
    const letters = atob(byId("data").textContent.trim()), packed = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text()) as Data;
}

// ---- the comparison ----

function number(value: number, digits: number): string {
    return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

// Nothing that is measured is below zero, and a share is at most all.
const within = (value: number, scale: number) => Math.min(scale === 100 ? 1 : Infinity, Math.max(0, value));

// "3.14 (0.00 to 7.40) h": in one unit for all, by the largest.
function cellOf(measure: Measure | undefined, scale: number, most: number): string {
    if (!measure || measure.mean === null) return "";
    const { mean: value, half_interval: half } = measure, [unit, by] = unitOf(scale, most);
    const digits = by * value >= 100 ? 0 : by * value >= 10 ? 1 : 2;
    const ends = half === null ? "" : ` (${[value - half, value + half].map(end => number(by * within(end, scale), digits)).join(" to ")})`;
    return `${number(by * value, digits)}${ends}${unit && ` ${unit}`}`;
}

function differenceOf(measure: Measure | undefined): string {
    if (!measure || measure.difference === null) return "";
    if (measure.difference === 0 && !measure.difference_half) return "0"; // it is the first
    const half = measure.difference_half === null ? "" : ` ± ${number(100 * measure.difference_half, 1)}`;
    return `${number(100 * measure.difference, 1)}${half}`;
}

function showTable(data: Data) {
    const counts: [string, (s: Standing) => number][] = [["jobs run", s => s.jobs_run], ["rejected", s => s.rejected], ["killed", s => s.killed], ["compared", s => s.compared]];
    const head = ["scene", "policy", "response vs the first, %", ...measures.map(m => m[1]), ...counts.map(c => c[0])];
    const rows = data.standings.map(s => el("tr", {}, el("td", {}, s.scene), el("td", {}, s.policy), el("td", {}, differenceOf(s.response)),
        ...measures.map(([name, , scale]) => el("td", {}, cellOf(s[name], scale, Math.max(...data.standings.map(t => t[name]?.mean ?? 0))))), ...counts.map(([, of]) => el("td", {}, number(of(s), 0)))));
    byId("standings").replaceChildren(el("thead", {}, el("tr", {}, ...head.map(text => el("th", { scope: "col" }, text)))), el("tbody", {}, ...rows));
    byId("verdict").replaceChildren(...data.verdict.split("\n").filter(line => line).map(line => el("li", {}, line)));
}

function secondsOf(group: Group): string {
    if (group.longer === null) return "";
    return `${number(group.longer, 0)}${group.longer_half ? ` ± ${number(group.longer_half, 0)}` : ""}`;
}

function showBy(data: Data) {
    const head = ["scene", "jobs of", "policy", "seeds", "jobs run", "rejected", "killed", "compared", "wait", "wait vs the first, s", "wait vs the first, %", "bounded slowdown"];
    const rows = data.by.map(g => el("tr", {}, ...[g.scene, g.name, g.policy, ...[g.seeds, g.jobs_run, g.rejected, g.killed, g.compared].map(n => number(n, 0)),
        cellOf(g.wait, 0, Math.max(...data.by.map(o => o.wait.mean))), secondsOf(g), differenceOf(g.wait), cellOf(g.bounded_slowdown, 1, 0)].map(text => el("td", {}, text))));
    byId("by").hidden = rows.length === 0;
    byId("by-table").replaceChildren(el("thead", {}, el("tr", {}, ...head.map(text => el("th", { scope: "col" }, text)))), el("tbody", {}, ...rows));
}

// ---- plots ----

// As wide as its longest number.
const axisWidth = (_: uPlot, values: string[] | null) => 20 + 8 * Math.max(2, ...(values ?? []).map(value => value.length));

const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b15928"];

function plotInto(into: HTMLElement, options: Partial<uPlot.Options>, data: uPlot.AlignedData): uPlot {
    into.replaceChildren();
    const plot = new uPlot({ width: into.clientWidth || 400, height: 260, series: [], ...options }, data, into);
    new ResizeObserver(() => plot.setSize({ width: into.clientWidth, height: 260 })).observe(into);
    onScheme(() => plot.redraw());
    return plot;
}

// The name of a line in a plot: a policy, and all of its scene but the load.
const lineOf = (s: Standing) => `${s.scene.replace(/(^| )load \S+/, "")} ${s.policy}`.trim();

let plotted: uPlot | undefined;

// A line for each, between the ends of its intervals.
function showLoads(data: Data, name: MeasureName, title: string, scale: number) {
    const [unit, by] = unitOf(scale, Math.max(...data.standings.map(s => s[name]?.mean ?? 0)));
    const loads = [...new Set(data.standings.map(s => s.load))].filter((l): l is number => l !== null).sort((a, b) => a - b);
    if (loads.length < 2) {
        byId("plot").replaceChildren(el("p", {}, "There is only one load."));
        return;
    }
    const lines = [...new Set(data.standings.map(lineOf))];
    const series: uPlot.Series[] = [{ label: "load" }], values: (number | null)[][] = [loads], bands: uPlot.Band[] = [];
    lines.forEach((text, i) => {
        const colour = palette[i % palette.length] ?? "#000";
        const at = loads.map(load => data.standings.find(s => lineOf(s) === text && s.load === load)?.[name]);
        const line = (way: number) => at.map(m => (m && m.mean !== null ? by * within(m.mean + way * (m.half_interval ?? 0), scale) : null));
        bands.push({ series: [series.length + 1, series.length + 2], fill: `${colour}22` });
        series.push({ label: text || name, stroke: colour, width: 2, points: { show: true, size: 6 } },
            { label: "upper end", stroke: `${colour}55`, width: 1 }, { label: "lower end", stroke: `${colour}55`, width: 1 });
        values.push(line(0), line(1), line(-1));
    });
    const axis = axisStyle();
    plotted = plotInto(byId("plot"), { scales: { x: { time: false }, y: { range: (_, __, most) => [0, 1.05 * (most || 1)] } }, legend: { show: false }, series, bands, axes: [{ ...axis, label: "offered load" }, { ...axis, label: unit ? `${title}, ${unit}` : title, size: axisWidth }] }, values as uPlot.AlignedData);
    byId("plot").append(el("ul", { class: "legend" }, ...lines.map((text, i) =>
        el("li", {}, el("span", { class: "swatch", style: `background:${palette[i % palette.length] ?? ""}` }), text || name))));
}

function showOverTime(runs: Run[], nodes: number) {
    const from = Math.min(...runs.map(r => r.submit).slice(0, 100000)), to = runs.reduce((t, r) => Math.max(t, r.finish), 0);
    const n = 1000, times = Array.from({ length: n }, (_, i) => from + ((to - from) * i) / (n - 1));
    const busy = levels(runs, times, r => r.start, r => r.finish, r => (100 * r.nodes) / nodes);
    const queue = levels(runs, times, r => r.submit, r => r.start, () => 1);
    const axis = axisStyle();
    plotInto(byId("over-time"), {
        scales: { x: { time: false }, y: { range: [0, 100] }, jobs: {} },
        series: [{ label: "day" }, { label: "busy nodes, %", stroke: palette[0] ?? "", width: 1.5 }, { label: "waiting jobs", stroke: palette[1] ?? "", width: 1.5, scale: "jobs" }],
        axes: [{ ...axis, label: "days" }, { ...axis, label: "busy nodes, %", size: axisWidth }, { ...axis, label: "waiting jobs", scale: "jobs", side: 1, size: axisWidth, grid: { show: false } }],
    }, [times.map(t => t / 86400), busy, queue]);
}

// Bars in a table: the same for eyes and for those who read it aloud.
function showBars(into: HTMLElement, what: string, rows: [string, number, number][]) {
    const most = Math.max(...rows.map(r => r[1]), 1);
    into.replaceChildren(el("table", { class: "bars" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, what), el("th", { scope: "col" }, "jobs"), el("th", { scope: "col" }, "mean wait"))),
        el("tbody", {}, ...rows.map(([name, wait, n]) => el("tr", {}, el("td", {}, name), el("td", {}, `${n}`),
            el("td", {}, el("span", { class: "length", style: `width:${((60 * wait) / most).toFixed(1)}%` }), duration(wait)))))));
}

function groups(runs: Run[], key: (r: Run) => string): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const run of runs) {
        const waits = found.get(key(run)) ?? [];
        waits.push(run.start - run.submit);
        found.set(key(run), waits);
    }
    return found;
}

function showGroups(runs: Run[]) {
    const power = (n: number) => Math.ceil(Math.log2(Math.max(1, n)));
    const sizes = [...groups(runs, r => `${power(r.nodes)}`)].sort((a, b) => Number(a[0]) - Number(b[0]));
    showBars(byId("by-size"), "nodes", sizes.map(([p, waits]) => [Number(p) < 2 ? `${2 ** Number(p)}` : `${2 ** (Number(p) - 1) + 1} to ${2 ** Number(p)}`, mean(waits), waits.length]));
    const users = [...groups(runs, r => r.user)].sort((a, b) => b[1].length - a[1].length).slice(0, 20);
    showBars(byId("by-user"), "user", users.map(([user, waits]) => [user === "-1" ? "not known" : user, mean(waits), waits.length]));
}

// ---- the replay ----

class Replay {
    private readonly scene: MachineScene;
    private readonly from: number;
    private readonly to: number;
    private time: number;
    private playing = false;
    private last = 0;
    private readonly timeline: Timeline;
    private readonly chart: Chart;
    owner: Int32Array;
    moment: Moment = { running: [], waiting: [] };

    constructor(runs: Run[], private readonly machine: Machine, lanes: Map<number, [number, number][]>) {
        this.scene = new MachineScene(byId<HTMLCanvasElement>("scene"), machine, byId("labels"));
        this.from = runs.reduce((t, r) => Math.min(t, r.submit), Infinity);
        this.to = runs.reduce((t, r) => Math.max(t, r.finish), 0);
        this.time = this.from;
        this.owner = new Int32Array(machine.nodes);
        this.timeline = new Timeline(runs);
        this.chart = new Chart(this.timeline, machine.nodes, this.from, lanes);
        this.listen();
        this.seek(this.from + (this.to - this.from) / 10);
    }

    seek(time: number) {
        this.time = Math.max(this.from, Math.min(this.to, time));
        this.moment = this.timeline.at(this.time);
        this.owner = new Int32Array(this.machine.nodes);
        for (const run of this.moment.running) for (const [low, high] of rangesOf(run.place)) this.owner.fill(run.id, low, high + 1);
        this.scene.show(this.owner, new Map(), new Map(this.moment.running.map(run => [run.id, jointsOf(this.machine, run.slice)])));
        byId<HTMLInputElement>("scrub").value = `${Math.round((1000 * (this.time - this.from)) / (this.to - this.from || 1))}`;
        byId("clock").textContent = duration(this.time - this.from);
        this.showTables();
        this.chart.show(this.time, this.playing);
    }

    private showTables() {
        const since = (t: number) => duration(t - this.from);
        const swatch = (id: number) => el("span", { class: "swatch", style: `background:${jobCss(id)}` });
        byId("running").replaceChildren(...this.moment.running.slice(0, 200).map(r => el("tr", { "data-job": `${r.id}` },
            el("td", {}, swatch(r.id), `${r.id}`), el("td", {}, `${r.nodes}`), el("td", {}, since(r.start)), el("td", {}, since(r.finish)))));
        byId("waiting").replaceChildren(...this.moment.waiting.slice(0, 200).map(r => el("tr", { "data-job": `${r.id}` },
            el("td", {}, `${r.id}`), el("td", {}, `${r.nodes}`), el("td", {}, since(r.submit)),
            el("td", {}, [r.lack[0] ? `nodes: ${duration(r.lack[0])}` : "", r.lack[1] ? `a box: ${duration(r.lack[1])}` : ""].filter(Boolean).join(", ")))));
    }

    private frame(now: number) {
        if (!this.playing) return;
        const speed = Number(byId<HTMLSelectElement>("speed").value);
        this.seek(this.time + ((now - this.last) / 1000) * speed);
        this.last = now;
        if (this.time >= this.to) this.play(false);
        else requestAnimationFrame(t => this.frame(t));
    }

    private play(is: boolean) {
        this.playing = is;
        byId("play").textContent = is ? "pause" : "play";
        this.last = performance.now();
        if (is) requestAnimationFrame(t => this.frame(t));
    }

    private listen() {
        const scrub = byId<HTMLInputElement>("scrub");
        for (const [text, speed] of [["a minute a second", 60], ["an hour a second", 3600], ["a day a second", 86400]] as [string, number][])
            byId("speed").append(el("option", { value: `${speed}`, selected: speed === 3600 }, text));
        byId("play").addEventListener("click", () => this.play(!this.playing));
        scrub.addEventListener("input", () => this.seek(this.from + ((this.to - this.from) * Number(scrub.value)) / 1000));
        listenToView(this.scene, this.machine, id => {
            const job = this.owner[id], node = nodeText(this.machine, id);
            return job ? `${node}: job ${job}` : `${node}: free`;
        });
    }
}

// Bars by time, as high as jobs have nodes. They are thousands, and drawn anew
// only when the chosen moment comes near an end of what is shown; a line follows it.
class Chart {
    private readonly canvas = byId<HTMLCanvasElement>("chart");
    private readonly span = 86400;
    private from = NaN;

    constructor(private readonly timeline: Timeline, private readonly nodes: number, private readonly zero: number, private readonly lanes: Map<number, [number, number][]>) {
        new ResizeObserver(() => this.draw()).observe(this.canvas);
    }

    show(time: number, playing: boolean) {
        const part = (time - this.from) / this.span;
        if (!(part > 0.05 && part < 0.95)) {
            this.from = time - this.span * (playing ? 0.1 : 0.5);
            this.draw();
        }
        byId("now").style.left = `${(100 * (time - this.from)) / this.span}%`;
    }

    private draw() {
        const width = this.canvas.clientWidth, height = 280, { from, span } = this;
        const pen = this.canvas.getContext("2d");
        if (!pen || isNaN(from)) return;
        this.canvas.width = width;
        this.canvas.height = height + 24;
        for (const run of this.timeline.running(from, from + span)) {
            const x = ((run.start - from) / span) * width, w = Math.max(1, ((run.finish - run.start) / span) * width);
            pen.fillStyle = jobCss(run.id);
            for (const [low, high] of this.lanes.get(run.id) ?? []) {
                const y = (low / this.nodes) * height, h = Math.max(1, ((high + 1 - low) / this.nodes) * height);
                pen.fillRect(x, y, w, h > 4 ? h - 1 : h);
                this.drawNumber(pen, run.id, x, y, w, h);
            }
        }
        this.drawHours(pen, width, height);
    }

    // Only if there is room for it.
    private drawNumber(pen: CanvasRenderingContext2D, id: number, x: number, y: number, w: number, h: number) {
        const text = `${id}`, colour = pen.fillStyle, from = Math.max(0, x);
        pen.font = "11px sans-serif";
        pen.textAlign = "left";
        if (h < 13 || x + w - from < 8 * text.length + 4) return;
        pen.fillStyle = "#000";
        pen.fillText(text, from + 3, y + h / 2 + 4);
        pen.fillStyle = colour;
    }

    // Every third hour since the first submission.
    private drawHours(pen: CanvasRenderingContext2D, width: number, height: number) {
        const step = 10800, first = Math.ceil((this.from - this.zero) / step);
        pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--ink");
        pen.font = "12px sans-serif";
        pen.textAlign = "center";
        for (let i = Math.max(0, first); i * step < this.from - this.zero + this.span; i++) {
            const x = ((i * step + this.zero - this.from) / this.span) * width;
            if (x < 16 || x > width - 16) continue; // it would be cut
            pen.fillRect(x, height, 1, 5);
            pen.fillText(i % 8 === 0 ? `day ${i / 8}` : `${3 * (i % 8)} h`, x, height + 18);
        }
    }
}

async function main() {
    const data = await readData();
    const machine = parseMachine(data.machine), runs = parseRuns(data.jobs);
    byId("about").textContent = data.about;
    byId("replay-about").textContent = `${data.replay}: ${runs.length} jobs on ${data.machine}.`;
    showTable(data);
    showBy(data);
    const measure = byId<HTMLSelectElement>("measure");
    measure.append(...measures.map(([name, text]) => el("option", { value: name }, text)));
    const plot = () => {
        const chosen = measures.find(m => m[0] === measure.value);
        if (chosen) showLoads(data, ...chosen);
    };
    measure.addEventListener("change", plot);
    plot();
    const lanes = lanesOf(runs, machine.nodes), replay = new Replay(runs, machine, lanes);
    showOverTime(runs, machine.nodes);
    showGroups(runs);
    // For tests: what is where.
    Object.assign(window, { tori: { replay, runs, lanes, plot: () => plotted } });
}

main().catch((error: unknown) => {
    byId("about").textContent = error instanceof Error ? error.message : "the report cannot be shown";
});
