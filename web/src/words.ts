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
    const said = parts.filter(([n]) => n > 0).slice(0, 2).map(([n, unit]) => `${n} ${unit}`);
    return said.join(" ") || "0 s";
}

export function asked(job: Job): string {
    const what = job.shape ?? `${job.count ?? 1} nodes`;
    return job.wiring && job.wiring !== "none" ? `${what} ${job.wiring}` : what;
}

export function title(job: Job): string {
    return job.name ? `${job.id} ${job.name}` : `${job.id}`;
}

// As `tori queue` has them.
const reasons: Record<string, string> = {
    starts: "starts now",
    numerical: "too few nodes are free",
    topological: "no box of its shape is free",
    wiring: "a box is free, but not the links of it",
    order: "jobs before it come first",
    reserved: "it would delay a job that has a reservation",
    window: "it would run into a maintenance window",
    held: "held",
    "not-yet": "its time has not come",
    nodes: "it has no place beside nodes out of service",
    never: "it can never run here",
    "gave-up": "the search for a place was given up",
};

export function reason(job: Job): string {
    return reasons[job.reason ?? ""] ?? job.reason ?? "";
}
