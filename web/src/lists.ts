// Views that are lists: history, users, queues, reservations, nodes, events.
import { api, problemText, type Change, type Happening, type Job, type Node as OneNode, type Queue, type Reservation } from "./api";
import { byId, el, field, formOf, link, table } from "./dom";
import { nodesOf } from "./machine";
import { findJob, happenings, hashOf, isOperator, loadEnded, world } from "./state";
import { asked, clock, dateOf, duration, elapsed, exitText, hours, outcomeNames, outcomeOf, percent, placeText, plural, reservationName, someOf, title } from "./words";

export interface View {
    title: string;
    show: () => HTMLElement[] | Promise<HTMLElement[]>;
    once?: boolean; // it is made once, and not again when something happens
}

const number = (name: string): [string, string] => [name, "number"];
const text = (name: string): [string, string] => [name, ""];
const jobLink = (job: Job) => link(hashOf({ job: job.id }), title(job));
const aside = (name: string): [string, string] => [name, "aside"]; // not on a phone

// "12, 15", each a link.
const jobLinks = (ids: number[]) => el("span", {}, ...ids.flatMap((id, i) => [i ? ", " : "", link(hashOf({ job: id }), `${id}`)]));
const nodeLink = (node: string) => (/^[\d,]+$/.test(node) ? link(`#/node/${node}`, node) : node);

// An action of an operator; its failure is shown below it.
function doing(make: (act: (what: () => Promise<unknown>) => Promise<void>) => HTMLElement): HTMLElement {
    const said = el("p", { class: "error", role: "alert" });
    const act = async (what: () => Promise<unknown>) => {
        try {
            said.textContent = "";
            await what();
        } catch (error) {
            said.textContent = problemText(error);
        }
    };
    return el("div", {}, make(act), said);
}

// ---- history ----

const past = { search: "", user: "", queue: "", outcome: "", since: "", until: "" };

function isPastWanted(job: Job): boolean {
    const has = (text: string, ...of: (string | undefined)[]) => !text || of.some(word => word?.toLowerCase().includes(text.toLowerCase()));
    const end = dateOf(job.end ?? 0);
    return has(past.search, title(job), job.why, job.output) && has(past.user, job.user) && has(past.queue, job.queue ?? "default")
        && (!past.outcome || outcomeOf(job) === past.outcome) && (!past.since || end >= past.since) && (!past.until || end <= past.until);
}

// Typed text counts at once.
function historyForm(): HTMLElement[] {
    const form: HTMLFormElement = el("form", { class: "fields", id: "past", "aria-label": "Filters", submit: event => event.preventDefault(), input: () => {
        for (const [name, value] of new FormData(form)) past[name as keyof typeof past] = `${value as string}`.trim();
        void reshow();
    } }, field("search", "search", { type: "search", value: past.search }), field("user", "user", { value: past.user }), field("queue", "queue", { value: past.queue }),
    field("outcome", "outcome", {}, ["", ...outcomeNames]), field("since", "ended since", { type: "date", value: past.since }), field("until", "until", { type: "date", value: past.until }));
    (form.elements.namedItem("outcome") as HTMLSelectElement).value = past.outcome;
    return [form];
}

async function showHistory(): Promise<HTMLElement[]> {
    if (!world.ended) await loadEnded();
    const all = [...(world.ended?.values() ?? [])], jobs = all.filter(isPastWanted).sort((a, b) => (b.end ?? 0) - (a.end ?? 0) || b.id - a.id);
    const count = (job: Job) => (job.start === undefined ? 0 : nodesOf(world.machine, job.place).length);
    const first = Math.min(...all.map(job => job.id)), used = jobs.reduce((sum, job) => sum + count(job) * elapsed(job), 0);
    return [table("jobs that have ended", [["job", "name"], text("user"), aside("queue"), aside("asked for"), ["ended", "time"], text("outcome"), aside("exit status"), number("ran"), ["nodes", "number aside"], ["node-hours", "number aside"], aside("output")],
        jobs.slice(0, 1000).map(job => [jobLink(job), job.user, job.queue, asked(job), clock(job.end ?? 0), outcomeOf(job), exitText(job), duration(elapsed(job)), `${count(job)}`, hours(count(job) * elapsed(job)), job.output])),
    el("p", {}, `${jobs.length < all.length ? `${jobs.length} of ` : ""}${plural(all.length, "job")}, ${hours(used)} node-hours.`),
    ...(first > 1 && all.length ? [doing(act => el("button", { type: "button", click: () => void act(async () => {
        await loadEnded(true);
        await reshow();
    }) }, "Older jobs"))] : [])];
}

// ---- users and queues ----

// As a number, and as a bar.
const shareCells = (share: number) => [`${percent(100 * share)} %`, el("span", { class: "share", style: `width:${10 * share}rem` })];

async function showUsers(): Promise<HTMLElement[]> {
    const { users, accounts = [] } = await api.users(), rank = [...users].sort((a, b) => b.usage - a.usage || (a.user < b.user ? -1 : 1));
    return [el("p", {}, "Usage is counted where the configuration has a half-life or a usage weight. It is in node-hours as of the last whole minute, and old usage counts less. The penalty is taken from the priority of a user's jobs."),
        table("users", [text("user"), ...(accounts.length ? [text("account")] : []), number("running"), number("nodes"), number("waiting"), number("usage"), number("share"), ["", "aside"], number("penalty")],
            rank.map(u => [link(`#/user/${encodeURIComponent(u.user)}`, u.user), ...(accounts.length ? [u.account] : []), `${u.running}`, `${u.nodes}`, `${u.queued}`, hours(u.usage), ...shareCells(u.share), `${u.penalty}`])),
        ...(accounts.length ? [table("accounts", [text("account"), number("shares"), number("target"), number("usage"), number("share"), ["", "aside"]],
            accounts.map(a => [a.account, `${a.shares}`, `${percent(100 * a.target)} %`, hours(a.usage), ...shareCells(a.share)]))] : [])];
}

async function showQueues(): Promise<HTMLElement[]> {
    const of = (n: number, most: number) => (most ? `${n} of ${most}` : `${n}`);
    const who = ({ allow, deny }: Queue) => [allow ? allow.join(" ") : "all", ...(deny ? [`not ${deny.join(" ")}`] : [])].join(", ");
    const perUser = ({ user_limits: l }: Queue) => (l ? [l.running ? `${l.running} running` : "", l.nodes ? plural(l.nodes, "node") : "", l.queued ? `${l.queued} waiting` : "", l.rate ? `${l.rate} a minute` : ""] : []).filter(Boolean).join(", ") || "any";
    return [table("queues", [text("queue"), number("running"), number("nodes"), number("waiting"), number("priority"), number("tier"), text("if preempted"), number("longest job"), number("largest job"), number("per minute"), text("of each user"), text("open to"), text("nodes"), text("hours")],
        (await api.queues()).map(q => [link(`#/queue/${encodeURIComponent(q.queue)}`, q.queue), of(q.running, q.limits.running), of(q.nodes, q.limits.nodes), of(q.queued, q.limits.queued),
            `${q.priority}`, `${q.tier}`, q.preempted, q.max_time ? duration(q.max_time) : "any", q.max_nodes ? plural(q.max_nodes, "node") : "any", q.limits.rate ? `${q.limits.rate}` : "any",
            perUser(q), who(q), q.on ? someOf(q.on) : "all", [q.hours ?? "always"].flat().join(", ")]))];
}

// ---- reservations ----

function reservationForm(): HTMLElement {
    return doing(act => formOf("Reserve", [field("name", "name"), field("nodes", "nodes or boxes, such as 0,0,0/4x4x8", { required: true }),
        field("from", "from", { type: "datetime-local" }), field("until", "until", { type: "datetime-local" }), field("every", "or every", { placeholder: "Mon 08:00-10:00" }),
        field("users", "for users"), field("why", "reason")],
    ({ name, nodes = "", from, until, every, users, why }) => act(async () => {
        const time = (of: string) => new Date(of).getTime() / 1000;
        await api.reserve({ nodes: nodes.split(/\s+/), ...(until ? { until: time(until) } : {}), ...(from ? { from: time(from) } : {}), ...(every ? { every } : {}),
            ...(name ? { name } : {}), ...(users ? { users: users.split(/[\s,]+/) } : {}), ...(why ? { why } : {}) });
    })));
}

function showReservations(): HTMLElement[] {
    const inside = (r: Reservation) => [...new Set(nodesOf(world.machine, r).map(id => world.owner[id] ?? 0))].filter(id => id && !r.jobs?.includes(id));
    const forWhom = (r: Reservation) => [...(r.jobs ?? []).map(id => `job ${id}`), ...(r.users ?? []), ...(r.groups ?? []).map(g => `@${g}`), ...(r.accounts ?? []).map(a => `account ${a}`)].join(", ");
    return [table("reservations", [text("reservation"), ["from", "time"], ["until", "time"], aside("every"), ["nodes", "number aside"], text("where"), aside("for"), text("jobs that run there now"), text("")],
        world.reservations.map(r => [r.name ? `${r.id} ${r.name}` : `${r.id}`, clock(r.from), clock(r.until), r.every ?? "", `${nodesOf(world.machine, r).length}`, placeText(r), forWhom(r) || "nobody", jobLinks(inside(r)),
            isOperator() ? doing(act => el("button", { type: "button", click: () => void act(() => api.unreserve(r.id)) }, "Remove")) : ""])),
    link("#/time", "On the time axis")];
}

// ---- nodes ----

function nodeForms(): HTMLElement[] {
    const find = formOf("Show", [field("node", "node", { required: true, placeholder: world.machine.sides.map(() => 0).join(",") })], ({ node = "" }) => {
        location.hash = `#/node/${node}`;
    });
    if (!isOperator()) return [find];
    return [find, doing(act => formOf("Drain", [field("nodes", "node or box, such as 0,0,0/1x8x8", { required: true }), field("why", "reason", { required: true })],
        ({ nodes = "", why = "" }) => act(() => api.drain(nodes, why))))];
}

// Those that went for one reason.
function groupNodes(out: OneNode[]): OneNode[][] {
    const groups = new Map<string, OneNode[]>();
    for (const node of out) groups.set(`${node.state} ${node.why ?? ""}`, [...(groups.get(`${node.state} ${node.why ?? ""}`) ?? []), node]);
    return [...groups.values()];
}

function whichNodes(group: OneNode[]): HTMLElement {
    const most = 8, others = group.length - most;
    return el("span", {}, ...group.slice(0, most).flatMap((n, i) => [i ? " " : "", nodeLink(n.node)]), others > 0 ? ` and ${others} more, up to ${group.at(-1)?.node ?? ""}` : "");
}

function showNodes(): HTMLElement[] {
    const { machine, owner, broken, links } = world, busy = owner.reduce((n, job) => n + (job ? 1 : 0), 0);
    const out = [...broken.values()], count = (state: string) => out.filter(n => n.state === state).length, idle = out.filter(n => !owner[n.id]).length;
    return [el("p", {}, `${machine.nodes} nodes: ${busy} busy, ${machine.nodes - busy - idle} free, ${count("drained")} drained, ${count("down")} down. ${plural(links.length, "link")} down.`),
        table("nodes out of service", [text("state"), ["reason", "wide"], number("nodes"), text("which"), text("jobs that still run there")], groupNodes(out).map(group => [group[0]?.state, group[0]?.why, `${group.length}`,
            whichNodes(group), jobLinks([...new Set(group.map(n => owner[n.id] ?? 0))].filter(id => id))])),
        ...(links.length ? [table("links that are down", [text("link"), text("state"), text("reason")], links.map(l => [l.link, l.state, l.why]))] : [])];
}

// ---- events ----

const days = 7, eventsMost = 500;
const aWeekAgo = () => Math.floor(Date.now() / 1000) - days * 86400;

function moreOf({ event, job, state }: Happening): string {
    if (!job) return state ?? "";
    const outcome = outcomeOf(job);
    if (event === "ended") return job.why && job.why !== outcome ? `${outcome}: ${job.why}` : outcome;
    return event === "started" || event === "moved" ? placeText(job.place) : event === "requeued" ? job.requeue_reason ?? "" : `${job.user ?? ""}, ${asked(job)}`;
}

function eventRow(of: Happening): (Node | string)[] {
    const { event, now, job, node, link: cut, reservation } = of;
    return [now ? clock(now) : "", event === "window" ? "reservation" : event, job ? jobLink(job) : node ? nodeLink(node) : cut ?? (reservation ? reservationName(reservation) : ""), moreOf(of)];
}

// What jobs and the record of changes tell of the time before. An attempt that was
// not the last one of its job is not among it.
function earlier(changes: Change[]): Happening[] {
    const first = Math.min(...happenings.map(h => h.now ?? Infinity)), all: Happening[] = [];
    const add = (event: string, now: number | undefined, rest: Partial<Happening>) => now !== undefined && now < first && all.push({ event, now, ...rest });
    for (const job of [...world.queued, ...world.running, ...(world.ended?.values() ?? [])]) {
        add("submitted", job.submit, { job });
        add("started", job.start, { job });
        add("ended", job.end, { job });
    }
    for (const { time, what, job, node, link: cut, reservation, user, why } of changes) {
        const found = findJob(job), state = `by ${user}${why ? `: ${why}` : ""}`;
        if (job === undefined || (found && what !== "cancel"))
            add(what, time, { state, ...(found ? { job: found } : {}), ...(node ? { node } : {}), ...(cut ? { link: cut } : {}), ...(reservation ? { reservation: { id: reservation, from: 0, until: 0 } } : {}) });
    }
    return all.sort((a, b) => (b.now ?? 0) - (a.now ?? 0));
}

async function showEvents(): Promise<HTMLElement[]> {
    if (!world.ended) await loadEnded();
    const all = [...happenings, ...earlier(await api.changes("since", aWeekAgo()))].slice(0, eventsMost);
    return [el("p", {}, "What has happened, the last first. Attempts of a job before its last one are seen only if the dashboard was open."),
        table("events", [["at", "time"], text("event"), text("about"), ["more", "wide"]], all.map(eventRow))];
}

// ---- changes ----

// Times and texts as people write them.
function valueText(name: string, value: unknown): string {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return `(${valuesText(value as Record<string, unknown>)})`;
    if (typeof value === "number" && ["from", "until", "begin"].includes(name)) return clock(value);
    if (typeof value === "number" && ["time_limit", "max-time"].includes(name)) return duration(value);
    return typeof value === "string" ? value : JSON.stringify(value);
}

function valuesText(of: Record<string, unknown> = {}): string {
    return Object.entries(of).filter(([name, value]) => value !== "" && name !== "why").map(([name, value]) => `${name.replaceAll(/[_-]/g, " ")} ${valueText(name, value)}`).join(", ");
}

async function showChanges(): Promise<HTMLElement[]> {
    const all = await api.changes("since", aWeekAgo());
    return [el("p", {}, `Who changed what in the last ${days} days, the last first. Operators see all changes, others those that they made and those of their own jobs.`),
        table("changes", [["at", "time"], text("user"), text("what"), text("about"), ["was", "wide"], ["is", "wide"], ["reason", "wide"]],
            all.reverse().slice(0, 1000).map(c => [clock(c.time), c.user, c.what,
                c.job ? link(hashOf({ job: c.job }), `job ${c.job}`) : c.node ? nodeLink(c.node) : c.link ?? (c.reservation ? `reservation ${c.reservation}` : ""), valuesText(c.was), valuesText(c.is), c.why]))];
}

export const lists: Record<string, View> = {
    history: { title: "History", show: showHistory },
    users: { title: "Users and shares", show: showUsers },
    queues: { title: "Queues", show: showQueues },
    reservations: { title: "Reservations", show: showReservations },
    nodes: { title: "Nodes", show: showNodes },
    events: { title: "Events", show: showEvents },
    changes: { title: "Changes", show: showChanges },
};

// Forms stay as they are while the list below them changes.
export const forms: Record<string, () => HTMLElement[]> = {
    history: historyForm,
    reservations: () => (isOperator() ? [reservationForm()] : []),
    nodes: nodeForms,
};

let shown: View | undefined;

export function showList(view: View | undefined): Promise<void> {
    shown = view;
    return reshow();
}

async function reshow() {
    const view = shown, parts = await view?.show();
    if (view && view === shown && parts) byId("list").replaceChildren(...parts);
}
