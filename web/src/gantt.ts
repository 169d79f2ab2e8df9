// Who runs until when, and who will start when, as SVG: a bar for each job.
import type { Forecast, Job } from "./api";
import { jobCss } from "./colour";
import { clock, dateOf, duration, title } from "./words";

interface Bar {
    job: Job;
    from: number;
    to: number;
    runs: boolean;
}

const row = 18, left = 110, top = 20, most = 200;

function bars(running: Job[], queued: Job[], forecast: Forecast[], now: number): Bar[] {
    const starts = new Map(forecast.map(f => [f.id, f.start]));
    const all = running.map(job => {
        const from = job.start ?? now;
        return { job, from, to: Math.max(from + job.time_limit, now), runs: true };
    });
    for (const job of queued) {
        const from = starts.get(job.id);
        if (from !== undefined) all.push({ job, from, to: from + job.time_limit, runs: false });
    }
    return all.sort((a, b) => a.from - b.from || a.job.id - b.job.id);
}

function make(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
    if (text !== undefined) made.textContent = text;
    return made;
}

// Round times, about five of them.
function ticks(from: number, to: number): number[] {
    const steps = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800];
    const step = steps.find(s => (to - from) / s <= 6) ?? 2592000;
    const all: number[] = [];
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) all.push(t);
    return all;
}

// The date where a day begins, otherwise the time.
function tickText(t: number): string {
    const time = clock(t).slice(-8);
    return time === "00:00:00" ? dateOf(t).slice(5) : time.endsWith(":00") ? time.slice(0, 5) : time;
}

export function drawGantt(into: SVGSVGElement, jobs: { running: Job[]; queued: Job[]; forecast: Forecast[] }, now: number, select: (id: number) => void) {
    const every = bars(jobs.running, jobs.queued, jobs.forecast, now), all = every.slice(0, most), others = every.length - all.length;
    const width = Math.max(320, into.clientWidth), height = top + row * (all.length + (others ? 1 : 0)) + 6;
    const from = Math.min(now, ...all.map(b => b.from)), to = Math.max(now + 60, ...all.map(b => b.to));
    const x = (t: number) => left + ((t - from) / (to - from)) * (width - left - 8);
    into.replaceChildren();
    into.setAttribute("viewBox", `0 0 ${width} ${height}`);
    into.setAttribute("height", `${height}`);
    if (others) into.append(make("text", { x: left, y: height - 8, class: "small" }, `and ${others} more`));
    for (const t of ticks(from, to)) {
        into.append(make("line", { x1: x(t), x2: x(t), y1: top - 4, y2: height, class: "tick" }));
        into.append(make("text", { x: x(t), y: 11, "text-anchor": "middle", class: "small" }, tickText(t)));
    }
    all.forEach((bar, i) => {
        const y = top + row * i;
        const group = make("g", { class: bar.runs ? "bar runs" : "bar waits", "data-job": bar.job.id });
        group.append(make("title", {}, `job ${title(bar.job)}: ${clock(bar.from)}, for ${duration(bar.to - bar.from)}${bar.runs ? "" : " (forecast)"}`));
        group.append(make("text", { x: left - 6, y: y + 12, "text-anchor": "end", class: "small" }, title(bar.job).slice(0, 16)));
        group.append(make("rect", { x: x(bar.from), y: y + 2, width: Math.max(2, x(bar.to) - x(bar.from)), height: row - 4, rx: 2, fill: jobCss(bar.job.id), stroke: jobCss(bar.job.id) }));
        group.addEventListener("click", () => select(bar.job.id));
        into.append(group);
    });
    into.append(make("line", { x1: x(now), x2: x(now), y1: top - 4, y2: height, class: "now" }));
}
