// How full the machine was and how long the queue: what torid has noted minute
// by minute, and how it is now.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { api, type Sample } from "./api";
import { axisStyle, byId, el, onScheme } from "./dom";
import { clock, dateOf, percent, timeOf } from "./words";

const hour = 3600, day = 24 * hour;
const spans: [string, number][] = [["6 hours", 6 * hour], ["1 day", day], ["2 weeks", 14 * day], ["1 year", 365 * day]];

// Two samples that are further apart than this were not taken by one torid:
// older ones are kept less often.
function gapAfter(age: number): number {
    return age < day ? 5 * 60 : age < 14 * day ? 45 * 60 : 12 * hour;
}

type Row = [time: number, busy: number | null, largest: number | null, queued: number | null];

function rowOf(sample: Sample, nodes: number): Row {
    const usable = sample.busy + sample.free;
    return [sample.time, usable ? (100 * sample.busy) / usable : 0, sample.largest === undefined ? null : (100 * sample.largest) / nodes, sample.queued];
}

export class History {
    readonly plot: uPlot;
    private samples: Sample[] = [];
    private current: Sample | undefined; // not noted yet
    private span = 6 * hour;

    constructor(private readonly into: HTMLElement, private readonly nodes: number) {
        const axis = axisStyle();
        const paths = uPlot.paths.stepped?.({ align: 1 });
        const series = (label: string, stroke: string, scale: string, dash: number[] = []): uPlot.Series =>
            ({ label, stroke, scale, dash, width: 1.5, points: { show: false }, ...(paths ? { paths } : {}), value: (_, v: number | null | undefined) => (v == null ? "?" : percent(v)) });
        this.plot = new uPlot({
            width: into.clientWidth || 400,
            height: 190,
            scales: {
                x: { range: () => [this.now() - this.span, this.now()] },
                "%": { range: [0, 100] },
                jobs: { range: (_, __, most) => [0, Math.max(5, most)] },
            },
            axes: [
                { ...axis, values: (_, times, __, ___, step) => times.map(t => (step < day ? timeOf(t).slice(0, 5) : dateOf(t).slice(5))) },
                { ...axis, scale: "%", label: "% of nodes", size: 42, labelSize: 20 },
                { ...axis, scale: "jobs", side: 1, label: "jobs", size: 42, labelSize: 20, grid: { show: false } },
            ],
            series: [
                { label: "at", value: (_, t: number | null) => (t === null ? "" : clock(t)) },
                series("busy, %", "#0072b2", "%"),
                series("largest free box, %", "#009e73", "%", [2, 3]),
                series("waiting jobs", "#d55e00", "jobs", [8, 4]),
            ],
            hooks: { setCursor: [plot => plot.cursor.idx ?? this.showLast()] },
        }, [[], [], [], []], into);
        new ResizeObserver(() => this.plot.setSize({ width: into.clientWidth, height: 190 })).observe(into);
        onScheme(() => this.plot.redraw());
        this.offerSpans();
    }

    private now(): number {
        return Date.now() / 1000;
    }

    // The last values, unless the pointer is at others.
    private showLast() {
        this.plot.setLegend({ idx: this.plot.data[0].length - 1 });
    }

    private offerSpans() {
        const choice = byId<HTMLSelectElement>("span");
        choice.append(...spans.map(([text, seconds]) => el("option", { value: `${seconds}`, selected: seconds === this.span }, text)));
        choice.addEventListener("change", () => {
            this.span = Number(choice.value);
            this.draw();
        });
    }

    // Ask for what was noted since the last time.
    async load() {
        this.samples.push(...await api.history(this.samples.at(-1)?.time ?? 0));
        this.draw();
    }

    // The largest free box is looked for once a minute. Until then the last one
    // counts, unless it cannot be free any more.
    show(busy: number, free: number, queued: number, running: number) {
        const { time = 0, largest } = this.samples.at(-1) ?? {};
        this.current = { time: this.now(), busy, free, queued, running };
        if (largest !== undefined && largest <= free && time > this.now() - gapAfter(0)) this.current.largest = largest;
        this.draw();
    }

    private draw() {
        const now = this.now(), from = now - this.span, rows: Row[] = [];
        const all = this.current ? [...this.samples, this.current] : this.samples;
        all.forEach((sample, i) => {
            const next = all[i + 1]?.time ?? sample.time;
            if (next < from) return;
            rows.push(rowOf(sample, this.nodes));
            if (next - sample.time > gapAfter(now - sample.time)) rows.push([sample.time + 60, null, null, null]);
        });
        const column = <K extends 1 | 2 | 3>(k: K) => rows.map(row => row[k]);
        this.plot.setData([rows.map(row => row[0]), column(1), column(2), column(3)]);
        if (this.plot.cursor.idx === null) this.showLast();
        this.into.setAttribute("aria-label", this.describe(rows));
    }

    // The picture in words.
    private describe(rows: Row[]): string {
        const busy = rows.map(row => row[1]).filter(value => value !== null);
        const mean = busy.reduce((sum, value) => sum + value, 0) / (busy.length || 1);
        const largest = this.samples.at(-1)?.largest;
        return `${percent(mean)} % of the nodes were busy on average, ${percent(busy.at(-1) ?? 0)} % are now.`
            + (largest === undefined ? "" : ` The largest free box has ${largest} nodes.`);
    }
}
