// What torid is asked, and what it tells.
import type { Place } from "./machine";

export interface Job {
    id: number;
    name?: string;
    user?: string;
    state: "queued" | "running" | "ended";
    shape?: string;
    count?: number;
    wiring?: string;
    time_limit: number;
    priority?: number;
    submit: number;
    start?: number;
    end?: number;
    place?: Place;
    status?: number;
    waits?: string; // why, in words
}

export interface Node {
    id: number;
    node: string;
    state: "free" | "busy" | "down" | "drained";
    why?: string; // a remark
}

export interface Move {
    job: number;
    from: string | null;
    to: string | null;
    from_nodes?: string[];
    to_nodes?: string[];
}

export interface Help {
    change: string;
    to?: string | number;
    place?: string;
    moves?: Move[];
}

export interface Why {
    id: number;
    reason: string;
    text: string;
    place?: string;
    blockers?: { job: number; nodes: number }[];
    start?: number;
    helps?: Help[];
}

export interface Forecast {
    id: number;
    start: number;
    place?: string | Place;
}

// How it was at a time.
export interface Sample {
    time: number;
    busy: number;
    free: number;
    queued: number;
    running: number;
    largest?: number; // nodes of the largest free box
}

export interface Defrag {
    possible: boolean;
    place?: string;
    moves: Move[];
    reason?: string;
}

export class Refused extends Error {
    constructor(readonly status: number, message: string) {
        super(message);
    }
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const said = (await answer.json()) as T & { error?: { message: string } };
    if (!answer.ok) throw new Refused(answer.status, said.error?.message ?? `${answer.status}`);
    return said;
}

async function pages<T>(path: string, list: string, from?: number): Promise<T[]> {
    const all: T[] = [];
    let after = from;
    do {
        const more = after === undefined ? "" : `&after=${after}`;
        const page = await ask<Record<string, unknown>>("GET", `${path}limit=1000${more}`);
        all.push(...((page[list] as T[] | undefined) ?? []));
        after = page["next"] as number | undefined;
    } while (after !== undefined);
    return all;
}

export const api = {
    machine: () => ask<{ machine: string; nodes: number; free: number }>("GET", "/v1/machine"),
    jobs: (state: string) => pages<Job>(`/v1/jobs?state=${state}&`, "jobs"),
    nodes: (state: string) => pages<Node>(`/v1/nodes?state=${state}&`, "nodes"),
    why: (id: number) => ask<{ jobs: Why[] }>("GET", `/v1/jobs/${id}/why`),
    history: (after: number) => pages<Sample>("/v1/history?", "samples", after),
    forecast: () => ask<{ jobs: Forecast[] }>("GET", "/v1/forecast"),
    defrag: (request: { for: number }) => ask<Defrag>("POST", "/v1/defrag", request),
    setNode: (node: string, state: "drain" | "resume") => ask("PATCH", `/v1/nodes/${encodeURIComponent(node)}`, { state }),
    cancel: (id: number) => ask("DELETE", `/v1/jobs/${id}`),
    signIn: (by: { token: string } | { code: string }) => ask("POST", "/signin", by),
};

// Call `changed` soon after anything happens, and not more often than that.
export function watch(changed: () => Promise<void>, live: (is: boolean) => void) {
    let due: ReturnType<typeof setTimeout> | undefined;
    let busy = false;
    const soon = () => {
        due ??= setTimeout(() => {
            due = undefined;
            if (busy) return soon();
            busy = true;
            changed().catch(() => live(false)).finally(() => (busy = false));
        }, 150);
    };
    const events = new EventSource("/v1/events");
    for (const name of ["submitted", "started", "ended", "requeued", "moved", "suspended", "resumed", "changed", "node", "link", "window", "reset"])
        events.addEventListener(name, soon);
    events.onmessage = soon;
    events.onopen = () => {
        live(true);
        soon();
    };
    events.onerror = () => live(false);
}
