// When reservations are, which jobs run until when, and which will start when, as
// SVG: a bar for each.
import type { Forecast, Job, Reservation } from "./api";
import { jobCss } from "./colour";
import { clock, dateOf, duration, reservationName, timeOf, title } from "./words";

interface Bar {
    job?: Job;
    text: string;
    from: number;
    to: number;
    kind: "kept" | "runs" | "waits";
}

const row = 18, top = 20, most = 200, days = 2 * 86400;

function bars({ running, queued, forecast, reservations }: Jobs, now: number): Bar[] {
    const starts = new Map(forecast.map(f => [f.id, f.start])), all: Bar[] = [];
    for (const job of running) {
        const from = job.start ?? now;
        all.push({ job, text: title(job), from, to: Math.max(from + job.time_limit, now), kind: "runs" });
    }
    for (const job of queued) {
        const from = starts.get(job.id);
        if (from != null) all.push({ job, text: title(job), from, to: from + job.time_limit, kind: "waits" });
    }
    all.sort((a, b) => a.from - b.from || (a.job?.id ?? 0) - (b.job?.id ?? 0));
    const kept = reservations.flatMap(r => (r.times ?? [r]).map(({ from, until }) => ({ text: reservationName(r), from, to: until, kind: "kept" as const })));
    return [...kept.sort((a, b) => a.from - b.from).filter((bar, i) => i === 0 || bar.from < now + days), ...all];
}

function make(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
    if (text !== undefined) made.textContent = text;
    return made;
}

// Round times by the clock here, at most so many.
function ticks(from: number, to: number, some: number): number[] {
    const steps = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800];
    const step = steps.find(s => (to - from) / s <= some) ?? 2592000, zone = 60 * new Date(1000 * from).getTimezoneOffset();
    const all: number[] = [];
    for (let t = Math.ceil((from - zone) / step) * step + zone; t <= to; t += step) all.push(t);
    return all;
}

const shorten = (text: string, letters: number) => (text.length > letters ? `${text.slice(0, letters - 1).trim()}…` : text);

// The date where a day begins, otherwise the time.
function tickText(t: number): string {
    const time = timeOf(t);
    return time === "00:00:00" ? dateOf(t).slice(5) : time.endsWith(":00") ? time.slice(0, 5) : time;
}

export interface Jobs {
    running: Job[];
    queued: Job[];
    forecast: Forecast[];
    reservations: Reservation[];
}

// Reservations that are far away do not make the rest small.
function spanOf(all: Bar[], now: number): [number, number] {
    const jobs = all.filter(b => b.kind !== "kept"), from = Math.min(now, ...jobs.map(b => b.from)), to = Math.max(now + 60, ...jobs.map(b => b.to));
    const kept = all.filter(b => b.kind === "kept" && b.from < Math.max(to, now + 86400));
    return [from, Math.min(Math.max(to, ...kept.map(b => b.to)), Math.max(to, now + days))];
}

export function drawGantt(into: SVGSVGElement, jobs: Jobs, now: number, select: (id: number) => void) {
    const every = bars(jobs, now), all = every.slice(0, most), others = every.length - all.length;
    const width = Math.max(320, into.clientWidth), left = Math.min(200, 0.34 * width), height = top + row * (all.length + (others ? 1 : 0)) + 6;
    const [from, to] = spanOf(all, now);
    const x = (t: number) => left + ((Math.max(from, Math.min(to, t)) - from) / (to - from)) * (width - left - 8);
    into.replaceChildren();
    into.setAttribute("viewBox", `0 0 ${width} ${height}`);
    into.setAttribute("height", `${height}`);
    if (others) into.append(make("text", { x: left, y: height - 8, class: "small" }, `and ${others} more`));
    for (const t of ticks(from, to, (width - left) / 65)) {
        into.append(make("line", { x1: x(t), x2: x(t), y1: top - 4, y2: height, class: "tick" }));
        into.append(make("text", { x: x(t), y: 11, "text-anchor": "middle", class: "small" }, tickText(t)));
    }
    all.forEach((bar, i) => {
        const y = top + row * i, { job, kind, text } = bar, colour = job ? { fill: jobCss(job.id), stroke: jobCss(job.id) } : {};
        const group = make("g", { class: `bar ${kind}`, ...(job ? { "data-job": job.id } : {}) });
        group.append(make("title", {}, `${job ? "job" : "reservation"} ${text}: ${clock(bar.from)}, for ${duration(bar.to - bar.from)}${kind === "waits" ? " (forecast)" : ""}`));
        group.append(make("text", { x: left - 6, y: y + 12, "text-anchor": "end", class: "small" }, shorten(text, left / 6.8)));
        group.append(make("rect", { x: x(bar.from), y: y + 2, width: Math.max(2, x(bar.to) - x(bar.from)), height: row - 4, rx: 2, ...colour }));
        if (job) group.addEventListener("click", () => select(job.id));
        into.append(group);
    });
    into.append(make("line", { x1: x(now), x2: x(now), y1: top - 4, y2: height, class: "now" }));
}
