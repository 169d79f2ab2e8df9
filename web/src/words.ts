// Times and jobs in words.
import type { Forecast, Job } from "./api";
import type { Place } from "./machine";

export function dateOf(seconds: number): string {
    const at = new Date(1000 * seconds), two = (n: number) => String(n).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function timeOf(seconds: number): string {
    return new Date(1000 * seconds).toTimeString().slice(0, 8);
}

// "14:05:09" today, "11-19 14:05" this year, "2025-11-19 14:05".
export function clock(seconds: number): string {
    const date = dateOf(seconds), today = dateOf(Date.now() / 1000), minutes = timeOf(seconds).slice(0, 5);
    if (date === today) return timeOf(seconds);
    return date.slice(0, 4) === today.slice(0, 4) ? `${date.slice(5)} ${minutes}` : `${date} ${minutes}`;
}

const doubts = new Map([
    ["fair-share", "fair share changes the order of the queue while jobs run"],
    ["order", "jobs that come later may go before others, by the order of the queue"],
    ["priority", "jobs of a higher priority that come later, or get one, go before others"],
    ["policy", "nothing is planned, so jobs that come later may delay others"],
    ["unplanned", "it has no planned start yet, so jobs that come later may delay it"],
]);

// Why a start is not a promise, as `tori forecast` says it.
export function doubtText(why: string): string {
    return `Not a promise: ${doubts.get(why) ?? why}.`;
}

export function duration(seconds: number): string {
    const s = Math.max(0, Math.round(seconds));
    const parts: [number, string][] = [[Math.floor(s / 86400), "d"], [Math.floor(s / 3600) % 24, "h"], [Math.floor(s / 60) % 60, "min"], [s % 60, "s"]];
    const first = parts.findIndex(([n]) => n > 0);
    const said = parts.slice(first, first + 2).filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`);
    return first < 0 ? "0 s" : said.join(" ");
}

// As torid reads it: "1h30m".
export function spanText(seconds: number): string {
    const parts: [number, string][] = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "m"], [seconds % 60, "s"]];
    return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`).join("") || "0s";
}

// "320", "32.5", "0.04": three digits, if there are as many.
export function hours(seconds: number): string {
    const n = seconds / 3600;
    return n === 0 ? "0" : n < 0.005 ? "< 0.01" : n.toFixed(n >= 100 ? 0 : n >= 10 ? 1 : 2);
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

// Some words, and how many others there are.
export function someOf(words: string[], most = 3): string {
    return words.length > most ? `${words.slice(0, most).join(" ")} and ${words.length - most} more` : words.join(" ");
}

export function placeText({ box, boxes, nodes }: Place = {}): string {
    return boxes ? `${boxes.length} pieces: ${someOf(boxes)}` : nodes ? someOf(nodes) : box ?? "";
}

// When and where it will start: "at 14:05:09, in 3 h, on 0,0,0/4x4x4".
export function startText({ start, place, nodes, condition }: Forecast, now = Date.now() / 1000): string {
    const boxes = place?.split(" ").filter(word => word.includes("/")) ?? [];
    const where = placeText(boxes.length > 1 ? { boxes } : nodes ? { nodes } : { box: boxes[0] ?? "" });
    const when = (start ?? 0) - now < 5 ? "at once" : `at ${clock(start ?? 0)}, in ${duration((start ?? 0) - now)}`;
    return `${when}${where && `, on ${where}`}${condition ? `, if ${condition}` : ""}`;
}

export function reservationName({ id, name }: { id: number; name?: string }): string {
    return name || `reservation ${id}`;
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
