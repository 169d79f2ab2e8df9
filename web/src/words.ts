// Times and jobs in words.
import type { Job } from "./api";

export function dateOf(seconds: number): string {
    const at = new Date(1000 * seconds), two = (n: number) => String(n).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function clock(seconds: number): string {
    const time = new Date(1000 * seconds).toTimeString().slice(0, 8), date = dateOf(seconds);
    return date === dateOf(Date.now() / 1000) ? time : `${date} ${time}`;
}

export function duration(seconds: number): string {
    const s = Math.max(0, Math.round(seconds));
    const parts: [number, string][] = [[Math.floor(s / 86400), "d"], [Math.floor(s / 3600) % 24, "h"], [Math.floor(s / 60) % 60, "min"], [s % 60, "s"]];
    const first = parts.findIndex(([n]) => n > 0);
    const said = parts.slice(first, first + 2).filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`);
    return first < 0 ? "0 s" : said.join(" ");
}

export function plural(n: number, what: string): string {
    return `${n} ${what}${n === 1 ? "" : "s"}`;
}

// Only all of it is 100 %, and only nothing is 0 %.
export function percent(value: number): string {
    const round = value.toFixed(0);
    if (round === "100" && value < 100) return (Math.floor(10 * value) / 10).toFixed(1);
    return round === "0" && value > 0 ? (Math.ceil(10 * value) / 10).toFixed(1) : round;
}

export function asked(job: Job): string {
    const what = job.shape ?? plural(job.count ?? 1, "node");
    return job.wiring && job.wiring !== "none" ? `${what} ${job.wiring}` : what;
}

export function title(job: Job): string {
    return job.name ? `${job.id} ${job.name}` : `${job.id}`;
}

export function placeText(job: Job): string {
    const { box, boxes, nodes } = job.place ?? {}, list = boxes ?? nodes;
    if (!list) return box ?? "";
    return (boxes ? `${boxes.length} pieces: ` : "") + (list.length > 3 ? `${list.slice(0, 3).join(" ")} and ${list.length - 3} more` : list.join(" "));
}

export function stateText(job: Job): string {
    if (job.state === "ended") return outcomeOf(job);
    if (job.state === "running") return job.starting ? "starting" : "running";
    return job.suspended ? "suspended" : job.hold ? "held" : "waiting";
}

export function elapsed(job: Job, now = Date.now() / 1000): number {
    return job.start === undefined ? 0 : (job.end ?? now) - job.start;
}

// How it ended, as `tori history` says it.
const outcomes: [string, string][] = [["time limit", "timeout"], ["cancelled", "cancelled"], ["depends on ended otherwise", "cancelled"],
    ["failed under it", "node failure"], ["took its place", "preempted"], ["outcome is unknown", "unknown"]];

export const outcomeNames = ["completed", "failed", ...new Set(outcomes.map(([, name]) => name))];

export function outcomeOf(job: Job): string {
    const found = outcomes.find(([text]) => job.why?.includes(text));
    return found ? found[1] : job.status === 0 ? "completed" : "failed";
}

export function exitText(job: Job): string {
    return job.signal != null ? `signal ${job.signal}` : job.status != null ? `${job.status}` : "";
}
