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
