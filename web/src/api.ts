// Requests to torid, and its answers.
import type { Place } from "./machine";

export interface Job {
    id: number;
    name?: string;
    user?: string;
    queue?: string;
    state: "queued" | "running" | "ended";
    starting?: boolean;
    suspended?: boolean;
    hold?: string;
    only_placed?: boolean;
    attempt?: number; // which one this is, if it was started
    stop_reason?: string;
    requeue_reason?: string;
    move_reason?: string;
    checkpoint?: number;
    shape?: string;
    count?: number;
    wiring?: string;
    time_limit: number;
    priority?: number;
    submit: number;
    start?: number;
    end?: number;
    place?: Place;
    status?: number | null;
    signal?: number | null;
    why?: string; // what ended it
    waits?: string; // why, in words
    command?: string[];
    output?: string;
    after?: string | string[];
}

export interface Node {
    id: number;
    node: string;
    state: "free" | "busy" | "down" | "drained";
    why?: string; // a remark
}

export interface Link {
    link: string;
    state: string;
    why?: string;
}

export interface Reservation extends Place {
    id: number;
    name?: string;
    from: number;
    until: number;
    every?: string; // hours of the week at which it comes again
    times?: { from: number; until: number }[]; // those of the next weeks
    count?: number;
    jobs?: number[]; // that may run there, and those of
    users?: string[];
    groups?: string[];
    accounts?: string[];
}

export interface Move {
    job: number;
    from: string | null;
    to: string | null;
    from_nodes?: string[];
    to_nodes?: string[];
    nodes: number;
    stopped?: number; // how long it is
    redone?: number; // how much of its work it does again
}

export interface Help {
    change: string;
    to?: string | number;
    job?: number; // that would have to end
    choice?: number; // of alternatives: which to change
    moves?: Move[];
}

export interface Why {
    id: number;
    reason: string;
    text: string;
    place?: string | null; // the box, or boxes, with the fewest nodes that are not free
    missing?: number; // how many of its nodes are not
    blockers?: { job: number; nodes: number }[]; // running jobs there
    down?: string[]; // nodes there that are out of service
    helps?: Help[];
}

export interface Forecast {
    id: number;
    start: number | null; // null: nobody can tell
    place?: string | null; // a box, or boxes
    nodes?: string[]; // or nodes
    condition?: string; // the start holds if this happens
    pushes?: { job: number; how: string }[]; // running jobs that give way
    unsure?: string[]; // why the start is not a promise, beside what holds for all
}

export interface Expected extends Forecast {
    without: Forecast; // if nothing changes
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
    place?: string | null;
    moves: Move[];
    nodes_moved: number;
    least: boolean;
    bound: number;
    start_before?: number | null; // of the job, without the moves
    start_after?: number | null; // and with them
}

// The end of a file, or why torid cannot show it.
export interface Output {
    file: string;
    text?: string;
    size?: number;
    from?: number;
    why?: string;
}

export interface User {
    user: string;
    queued: number;
    running: number;
    nodes: number;
    usage: number;
    share: number;
    penalty: number;
    account?: string;
}

export interface Account {
    account: string;
    shares: number;
    target: number;
    usage: number;
    share: number;
}

interface Limits {
    queued: number;
    running: number;
    nodes: number;
    rate: number;
}

export interface Queue {
    queue: string;
    priority: number;
    tier: number;
    preempted: string;
    max_time: number;
    max_nodes: number;
    limits: Limits;
    user_limits?: Limits; // of those of each user
    allow?: string[];
    deny?: string[];
    on?: string[]; // nodes and boxes, if not all
    hours?: string[] | string;
    queued: number;
    running: number;
    nodes: number;
}

// A row of the record of changes.
export interface Change {
    number: number;
    time: number;
    user: string;
    what: string;
    job?: number;
    node?: string;
    link?: string;
    reservation?: number;
    was?: Record<string, unknown>;
    is?: Record<string, unknown>;
    why?: string;
}

export interface Me {
    user: string;
    role: "reader" | "user" | "operator";
}

export interface Happening {
    event: string;
    now?: number;
    job?: Job;
    node?: string;
    link?: string;
    state?: string;
    reservation?: Reservation;
}

export class Refused extends Error {
    constructor(readonly status: number, message: string) {
        super(message);
    }
}

// A failure, in words for people. A request that got no answer is a TypeError.
export function problemText(error: unknown): string {
    if (error instanceof TypeError) return "torid does not answer.";
    return error instanceof Error ? error.message : "It failed.";
}

// Something between the browser and torid may answer without JSON.
async function readAnswer(answer: Response): Promise<{ error?: { message?: string } }> {
    try {
        return (await answer.json()) as { error?: { message?: string } };
    } catch {
        if (answer.ok) throw new TypeError("no JSON");
        return {};
    }
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const said = await readAnswer(answer);
    if (!answer.ok) throw new Refused(answer.status, said.error?.message ?? `torid's address answers with status ${answer.status}.`);
    return said as T;
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

const nodePath = (node: string) => `/v1/nodes/${encodeURIComponent(node)}`;

export const api = {
    me: () => ask<Me>("GET", "/v1/whoami"),
    machine: () => ask<{ machine: string; nodes: number; free: number; last_job: number }>("GET", "/v1/machine"),
    jobs: (state: string) => pages<Job>(`/v1/jobs?state=${state}&`, "jobs"),
    job: (id: number) => ask<Job>("GET", `/v1/jobs/${id}`),
    ended: async (after: number, limit: number) => (await ask<{ jobs: Job[] }>("GET", `/v1/jobs?state=ended&after=${after}&limit=${limit}`)).jobs,
    nodes: (state: string) => pages<Node>(`/v1/nodes?state=${state}&`, "nodes"),
    links: async () => (await ask<{ links: Link[] }>("GET", "/v1/links")).links,
    reservations: async () => (await ask<{ reservations: Reservation[] }>("GET", "/v1/reservations")).reservations,
    users: () => ask<{ users: User[]; accounts?: Account[] }>("GET", "/v1/users"),
    queues: async () => (await ask<{ queues: Queue[] }>("GET", "/v1/queues")).queues,
    changes: (of: "since" | "job", value: number) => pages<Change>(`/v1/changes?${of}=${value}&`, "changes"),
    why: (id: number) => ask<{ jobs: Why[] }>("GET", `/v1/jobs/${id}/why`),
    history: (after: number) => pages<Sample>("/v1/history?", "samples", after),
    forecast: () => ask<{ jobs: Forecast[]; unsure?: string[] }>("GET", "/v1/forecast"),
    test: (job: object) => ask<{ jobs: Expected[]; rejected: unknown[] }>("POST", "/v1/what-if", { jobs: [job] }),
    submit: (job: object) => ask<{ ids: number[] }>("POST", "/v1/jobs", job),
    change: (id: number, to: object) => ask<Job>("PATCH", `/v1/jobs/${id}`, to),
    output: (id: number) => ask<Output>("GET", `/v1/jobs/${id}/output?tail=65536`),
    suspend: (id: number) => ask<Job>("POST", `/v1/jobs/${id}/suspend`),
    requeue: (id: number, why: string) => ask<Job>("POST", `/v1/jobs/${id}/requeue`, why ? { why } : {}),
    cancel: (id: number) => ask<Job>("DELETE", `/v1/jobs/${id}`),
    defrag: (request: { for: number }) => ask<Defrag>("POST", "/v1/defrag", request),
    move: (plan: { moves: Move[]; for: number; why?: string }) => ask<{ moved: number }>("POST", "/v1/moves", plan),
    drain: (node: string, why: string) => ask("PATCH", nodePath(node), { state: "drain", ...(why ? { why } : {}) }),
    resume: (node: string) => ask("PATCH", nodePath(node), { state: "resume" }),
    reserve: (what: object) => ask<{ id: number }>("POST", "/v1/reservations", what),
    unreserve: (id: number) => ask("DELETE", `/v1/reservations/${id}`),
    signIn: (by: { token: string } | { code: string }) => ask<Me>("POST", "/signin", by),
    signOut: () => ask("POST", "/signout"),
};

const eventNames = ["submitted", "started", "ended", "requeued", "moved", "suspended", "resumed", "changed", "node", "link", "window", "reset"];

// Call `changed` soon after anything happens, and not more often than that; and
// `live` when torid comes and goes. A browser tries again by itself unless torid
// refuses, as when it has just begun.
export function watch(changed: () => Promise<void>, live: (is: boolean) => void, happened: (what: Happening) => void) {
    let due: ReturnType<typeof setTimeout> | undefined;
    let busy = false;
    const soon = (after = 150) => {
        due ??= setTimeout(() => {
            due = undefined;
            if (busy) return soon();
            busy = true;
            changed().then(() => live(true), () => {
                live(false);
                soon(2000);
            }).finally(() => (busy = false));
        }, after);
    };
    const open = () => {
        const events = new EventSource("/v1/events");
        for (const name of eventNames)
            events.addEventListener(name, message => {
                happened(JSON.parse((message as MessageEvent<string>).data) as Happening);
                soon();
            });
        events.onopen = () => soon();
        events.onerror = () => {
            live(false);
            soon(1000);
            if (events.readyState === EventSource.CLOSED) setTimeout(open, 3000);
        };
    };
    open();
}
