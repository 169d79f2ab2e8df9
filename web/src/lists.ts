// Views that are lists: history, users, queues, reservations, nodes, events.
import { api, problemText, type Happening, type Job, type Reservation } from "./api";
import { byId, el, field, formOf, link, table } from "./dom";
import { nodesOf } from "./machine";
import { happenings, hashOf, isOperator, loadEnded, world } from "./state";
import { asked, clock, dateOf, duration, elapsed, exitText, outcomeNames, outcomeOf, percent, placeText, plural, title } from "./words";

export interface View {
    title: string;
    show: () => HTMLElement[] | Promise<HTMLElement[]>;
    once?: boolean; // it is made once, and not again when something happens
}

const number = (name: string): [string, string] => [name, "number"];
const text = (name: string): [string, string] => [name, ""];
const jobLink = (job: Job) => link(hashOf({ job: job.id }), title(job));
const hours = (seconds: number) => (seconds / 3600).toFixed(1);

// What an operator does here; what went wrong is said below it.
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
    return has(past.search, title(job), job.why, job.output) && (!past.user || job.user === past.user) && (!past.queue || (job.queue ?? "default") === past.queue)
        && (!past.outcome || outcomeOf(job) === past.outcome) && (!past.since || end >= past.since) && (!past.until || end <= past.until);
}

// What is typed counts at once.
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
    return [table("jobs that have ended", [text("job"), text("user"), text("queue"), text("asked for"), text("ended"), text("outcome"), text("exit status"), number("ran"), number("nodes"), number("node-hours"), text("output")],
        jobs.slice(0, 1000).map(job => [jobLink(job), job.user, job.queue, asked(job), clock(job.end ?? 0), outcomeOf(job), exitText(job), duration(elapsed(job)), `${count(job)}`, hours(count(job) * elapsed(job)), job.output])),
    el("p", {}, `${jobs.length < all.length ? `${jobs.length} of ` : ""}${plural(all.length, "job")}, ${hours(used)} node-hours.`),
    ...(first > 1 && all.length ? [doing(act => el("button", { type: "button", click: () => void act(async () => {
        await loadEnded(true);
        await reshow();
    }) }, "Older jobs"))] : [])];
}

// ---- users and queues ----

async function showUsers(): Promise<HTMLElement[]> {
    const users = await api.users(), rank = [...users].sort((a, b) => b.usage - a.usage || (a.user < b.user ? -1 : 1));
    return [el("p", {}, "Usage is in node-hours as of the last whole minute; old usage counts less. The penalty is taken from the priority of a user's jobs."),
        table("users", [text("user"), number("running"), number("nodes"), number("waiting"), number("usage"), number("share"), text("of all"), number("penalty")],
            rank.map(u => [link(`#/user/${encodeURIComponent(u.user)}`, u.user), `${u.running}`, `${u.nodes}`, `${u.queued}`, hours(u.usage), `${percent(100 * u.share)} %`,
                el("span", { class: "share", style: `width:${10 * u.share}rem` }), `${u.penalty}`]))];
}

async function showQueues(): Promise<HTMLElement[]> {
    const of = (n: number, most: number) => (most ? `${n} of ${most}` : `${n}`);
    return [table("queues", [text("queue"), number("running"), number("nodes"), number("waiting"), number("priority"), number("tier"), text("if preempted"), number("longest time"), number("most nodes"), number("per minute")],
        (await api.queues()).map(q => [link(`#/queue/${encodeURIComponent(q.queue)}`, q.queue), of(q.running, q.limits.running), of(q.nodes, q.limits.nodes), of(q.queued, q.limits.queued),
            `${q.priority}`, `${q.tier}`, q.preempted, q.max_time ? duration(q.max_time) : "any", q.max_nodes ? `${q.max_nodes}` : "any", q.limits.rate ? `${q.limits.rate}` : "any"]))];
}

// ---- reservations ----

function reservationForm(): HTMLElement {
    return doing(act => formOf("Reserve", [field("name", "name"), field("nodes", "nodes or boxes, such as 0,0,0/4x4x8", { required: true }),
        field("from", "from", { type: "datetime-local" }), field("until", "until", { type: "datetime-local", required: true })],
    ({ name, nodes = "", from, until = "" }) => act(async () => {
        const time = (of: string) => new Date(of).getTime() / 1000;
        await api.reserve({ nodes: nodes.split(/\s+/), until: time(until), ...(name ? { name } : {}), ...(from ? { from: time(from) } : {}) });
    })));
}

function showReservations(): HTMLElement[] {
    const where = (r: Reservation) => placeText({ place: r } as unknown as Job);
    const inside = (r: Reservation) => [...new Set(nodesOf(world.machine, r).map(id => world.owner[id]))].filter(id => id && !r.jobs?.includes(id));
    return [table("reservations", [text("reservation"), text("from"), text("until"), number("nodes"), text("where"), text("jobs that run there now"), text("change")],
        world.reservations.map(r => [`${r.id}${r.name ? ` ${r.name}` : ""}`, clock(r.from), clock(r.until), `${nodesOf(world.machine, r).length}`, where(r),
            el("span", {}, ...inside(r).flatMap((id, i) => [i ? ", " : "", link(hashOf({ job: id ?? 0 }), `${id}`)])),
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

function showNodes(): HTMLElement[] {
    const { machine, owner, broken, links } = world, busy = owner.reduce((n, job) => n + (job ? 1 : 0), 0);
    const out = [...broken.values()], count = (state: string) => out.filter(n => n.state === state).length, idle = out.filter(n => !owner[n.id]).length;
    return [el("p", {}, `${machine.nodes} nodes: ${busy} busy, ${machine.nodes - busy - idle} free, ${count("drained")} drained, ${count("down")} down. ${plural(links.length, "link")} down.`),
        table("nodes out of service", [text("node"), text("state"), text("reason"), text("job")], out.slice(0, 1000).map(n => [link(hashOf({ node: n.id }), n.node), n.state, n.why,
            owner[n.id] ? link(hashOf({ job: owner[n.id] ?? 0 }), `${owner[n.id]}`) : ""])),
        table("links that are down", [text("link"), text("state"), text("reason")], links.map(l => [l.link, l.state, l.why]))];
}

// ---- events ----

function eventRow({ event, now, job, node, link: of, state, reservation }: Happening): (Node | string)[] {
    const about = job ? jobLink(job) : node ? link(`#/node/${node}`, node) : of ?? (reservation ? `reservation ${reservation.name ?? reservation.id}` : "");
    const more = job ? (event === "ended" ? `${outcomeOf(job)}${job.why ? `: ${job.why}` : ""}` : event === "started" || event === "moved" ? placeText(job) : `${job.user ?? ""}, ${asked(job)}`) : state ?? "";
    return [now ? clock(now) : "", event === "window" ? "reservation" : event, about, more];
}

function showEvents(): HTMLElement[] {
    return [el("p", {}, happenings.length ? "Since the dashboard was opened, the last first." : "Nothing has happened since the dashboard was opened."),
        table("events", [text("at"), text("event"), text("about"), ["more", "wide"]], happenings.map(eventRow))];
}

// ---- changes ----

// Times and texts as people write them.
function valueText(name: string, value: unknown): string {
    if (typeof value === "number" && ["from", "until", "begin"].includes(name)) return clock(value);
    if (typeof value === "number" && name === "time_limit") return duration(value);
    return typeof value === "string" ? value : JSON.stringify(value);
}

async function showChanges(): Promise<HTMLElement[]> {
    const days = 7, all = await api.changes(Math.floor(Date.now() / 1000) - days * 86400);
    const values = (of: Record<string, unknown> | undefined) => Object.entries(of ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${valueText(name, value)}`).join(", ");
    return [el("p", {}, `Who changed what in the last ${days} days, the last first. Operators see all changes, others those that they made and those of their own jobs.`),
        table("changes", [text("at"), text("user"), text("what"), text("about"), ["was", "wide"], ["is", "wide"], ["reason", "wide"]],
            all.reverse().slice(0, 1000).map(c => [clock(c.time), c.user, c.what,
                c.job ? link(hashOf({ job: c.job }), `job ${c.job}`) : c.node ?? c.link ?? (c.reservation ? `reservation ${c.reservation}` : ""), values(c.was), values(c.is), c.why]))];
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
