// The card of the selected job or node, with what may be done to it.
import { api, problemText, type Change, type Defrag, type Help, type Job, type Node, type Why } from "./api";
import { byId, el, facts, field, formOf, link } from "./dom";
import { cubeText, nodeId, nodesOf } from "./machine";
import { changes, findJob, forecastOf, hashOf, isOperator, mayChange, nearestOf, nodeOf, route, why, world } from "./state";
import { asked, clock, doubtText, duration, elapsed, exitText, hours, placeText, plural, reservationName, someOf, spanText, startText, stateText, title } from "./words";

// Moves that would make room, and who would be where after them.
export interface Room {
    found: Defrag;
    owner: Int32Array;
    after: boolean; // that is shown
}

export let room: Room | undefined;
let lost = false; // the answer says that torid does not
let refresh: () => Promise<void>, redraw: () => void;

export function listenToCard(reload: () => Promise<void>, draw: () => void) {
    [refresh, redraw] = [reload, draw];
}

export function answer(...what: HTMLElement[]) {
    lost = false;
    byId("answer").replaceChildren(...what);
}

// Another job or node is selected.
export function clearCard() {
    room = undefined;
    answer();
}

// torid is there again.
export function forgetLoss() {
    if (lost) answer();
}

async function act(what: () => Promise<unknown>) {
    try {
        await what();
        await refresh();
    } catch (error) {
        answer(el("p", { class: "error" }, problemText(error)));
        lost = error instanceof TypeError;
    }
}

const button = (text: string, click: () => void, id = "") => el("button", { type: "button", click, ...(id ? { id } : {}) }, text);

// ---- jobs ----

const helpWords: Record<string, string> = { count: "fewer nodes", shape: "another shape", wiring: "another wiring", estimate: "a shorter time limit", job: "the end of job", moves: "moves" };

function helpText({ change, to, job, choice }: Help): string {
    const what = helpWords[change] ?? change, request = choice ? `, instead of its request ${choice}` : "";
    return job === undefined ? `${what}: ${change === "estimate" ? duration(Number(to)) : to ?? ""}${request}` : `${what} ${job}`;
}

// At most this many jobs or nodes are named, as by the command; the rest is counted.
const named = 6;

function listOf<T>(begin: string, all: T[], item: (one: T) => HTMLElement | string): (HTMLElement | string)[] {
    const rest = all.length > named ? ` and ${all.length - named} more` : "";
    return all.length ? [begin, ...all.slice(0, named).flatMap((one, i) => [i ? ", " : " ", item(one)]), rest] : [];
}

// In the words of `tori why`.
function nearestText({ place, missing = 0, blockers = [], down = [] }: Why): HTMLElement {
    return el("p", { id: "nearest" }, `nearest place: ${place ?? ""} lacks ${missing ? plural(missing, "node") : "only links"}`,
        ...listOf("; in the way:", blockers, ({ job, nodes }) => link(hashOf({ job }), `job ${job} (${nodes ? plural(nodes, "node") : "links"})`)),
        ...listOf("; out of service:", down, node => link(hashOf({ node: nodeId(world.machine, node.split(",").map(Number)) }), node)));
}

function reasonOf(of: Why): HTMLElement[] {
    const parts: HTMLElement[] = [el("h3", {}, "Why it waits"), el("p", {}, of.text)];
    if (nearestOf(of)) parts.push(nearestText(of));
    const expected = forecastOf(of.id);
    if (expected?.start != null) parts.push(el("p", {}, `It is expected to start ${startText(expected)}.`), ...[...world.unsure, ...expected.unsure ?? []].map(why => el("p", {}, doubtText(why))));
    if (expected?.pushes?.length)
        parts.push(el("p", {}, "It pushes out: ", ...expected.pushes.flatMap(({ job, how }, i) => [i ? ", " : "", link(hashOf({ job }), `job ${job}`), ` (${how})`])));
    if (of.helps?.length)
        parts.push(el("h3", {}, "What would start it now"), el("ul", {}, ...of.helps.map(h => el("li", {}, helpText(h)))));
    return parts;
}

// The changes of a job, the last first.
function changesOf(): HTMLElement[] {
    if (!changes.length) return [];
    const said = ({ time, user, what, why: because }: Change) => `${clock(time)} ${what} by ${user}${because ? `: ${because}` : ""}`;
    return [el("h3", {}, "Changes"), el("ul", { id: "changes" }, ...changes.map(c => el("li", {}, said(c))).reverse())];
}

// Which cubes are joined in which dimension.
function jointText(job: Job): string {
    const dims = new Map<number, string[]>(), most = 8;
    for (const { dim, from, to } of world.joints.get(job.id) ?? [])
        dims.set(dim, [...(dims.get(dim) ?? []), `${cubeText(world.machine, from[0] ?? 0)} to ${cubeText(world.machine, to[0] ?? 0)}`]);
    return [...dims].map(([dim, pairs]) => `dimension ${dim}: ${pairs.slice(0, most).join(", ")}${pairs.length > most ? ` and ${pairs.length - most} more` : ""}`).join("; ");
}

function jobFacts(job: Job): HTMLElement {
    const ends = job.state === "running" && job.start !== undefined ? clock(job.start + job.time_limit) : undefined;
    return facts([["user", job.user], ["queue", job.queue], ["state", stateText(job)], ["asks for", asked(job)],
        ["time limit", duration(job.time_limit)], ["priority", job.priority ? `${job.priority}` : undefined],
        ["depends on", [job.after ?? []].flat().join(", ")], ["submitted", clock(job.submit)],
        ["started", job.start ? clock(job.start) : undefined], ["ends by", ends], ["ended", job.end ? clock(job.end) : undefined],
        [job.state === "running" ? "runs for" : "ran", job.start && !job.suspended ? duration(elapsed(job)) : undefined], ["attempt", (job.attempt ?? 0) > 1 ? `${job.attempt}` : undefined],
        ["exit status", exitText(job)], ["because", job.state === "ended" ? job.why : undefined],
        ["place", placeText(job.place)], ["moved", job.move_reason], ["requeued", job.requeue_reason], ["stopped", job.stop_reason], ["joins cubes", jointText(job)],
        ["command", job.command?.join(" ").slice(0, 300)],
        ["output", job.output]]);
}

function jobActions(job: Job): HTMLElement {
    const actions = el("div", { class: "actions" });
    if (job.output && job.start !== undefined && mayChange(job)) actions.append(button("Output", () => void showOutput(job), "output"));
    if (job.state === "ended") return actions;
    if (job.state === "queued" && !job.suspended) actions.append(button("Make room", () => void makeRoom(job), "make-room"));
    if (!mayChange(job)) return actions;
    if (job.state === "queued") {
        const held = job.hold === "user" || job.hold === "operator";
        actions.append(button(job.suspended ? "Resume" : held ? "Release" : "Hold", () => void act(() => api.change(job.id, { hold: !held && !job.suspended })), job.suspended ? "resume" : "hold"));
    }
    if (job.state === "running") actions.append(button("Suspend", () => void act(() => api.suspend(job.id)), "suspend"));
    if (job.state === "running" || job.suspended) actions.append(button("Requeue…", () => answer(requeueForm(job)), "requeue"));
    actions.append(button("Change…", () => answer(changeForm(job)), "change"), button("Cancel…", () => confirmCancel(job), "cancel"));
    return actions;
}

// The end of what it has written.
async function showOutput(job: Job) {
    answer(el("p", {}, "Reading…"));
    try {
        const { file, text, size = 0, from = 0, why } = await api.output(job.id);
        if (route.job !== job.id) return;
        if (why !== undefined) return answer(el("h3", {}, "Output"), el("p", {}, `It is in ${file}. torid cannot show it: ${why}. "tori logs ${job.id}" reads it.`));
        const pre = el("pre", { id: "output-text", class: "scroll", tabindex: "0", role: "region", "aria-label": `Output of job ${job.id}` }, text || "Nothing yet.");
        answer(el("h3", {}, "Output"), el("p", {}, file), from > 0 ? el("p", {}, `The last ${size - from} of ${size} bytes.`) : el("p", {}, plural(size, "byte")), pre,
            el("div", { class: "actions" }, button("Read again", () => void showOutput(job))));
        pre.scrollTop = pre.scrollHeight;
    } catch (error) {
        answer(el("p", { class: "error" }, problemText(error)));
        lost = error instanceof TypeError;
    }
}

function requeueForm(job: Job): HTMLElement {
    const form = formOf("Requeue", [field("why", "reason", { required: true })], ({ why = "" }) => act(async () => {
        await api.requeue(job.id, why);
        answer();
    }));
    return el("div", {}, el("p", {}, `Job ${title(job)} is stopped and waits again: ${duration(lostBy(job))} of work are lost.`), form);
}

function confirmCancel(job: Job) {
    const cost = job.state === "running" ? ` It has run for ${duration(elapsed(job))} on ${plural(nodesOf(world.machine, job.place).length, "node")}.` : "";
    answer(el("p", {}, `Cancel job ${title(job)}?${cost}`), el("div", { class: "actions" },
        button("Cancel the job", () => {
            answer();
            void act(() => api.cancel(job.id));
        }, "confirm"), button("Keep it", () => answer())));
}

// Only what is another value is sent.
function changeForm(job: Job): HTMLElement {
    const waits = job.state === "queued", now: Record<string, string> = {
        name: job.name ?? "", time_limit: spanText(job.time_limit),
        ...(waits ? { priority: `${job.priority ?? 0}`, queue: job.queue ?? "", ...(job.shape ? { shape: job.shape } : { count: `${job.count ?? 1}` }) } : {}) };
    const words: Record<string, string> = { time_limit: "time limit", count: "nodes" };
    return formOf("Change", Object.keys(now).map(name => field(name, words[name] ?? name, { value: now[name] ?? "" })), values => act(async () => {
        const to: Record<string, string | number> = {};
        for (const [name, value] of Object.entries(values)) if (value !== now[name]) to[name] = /^-?\d+$/.test(value) && name !== "name" ? Number(value) : value;
        await api.change(job.id, to);
        answer();
    }));
}

// ---- making room ----

function ownerAfter(found: Defrag): Int32Array {
    const { machine, owner } = world, after = owner.map(job => (found.moves.some(m => m.job === job) ? 0 : job));
    for (const { job, to, to_nodes } of found.moves)
        for (const id of nodesOf(machine, to_nodes ? { nodes: to_nodes } : to ?? undefined)) after[id] = job;
    return after;
}

// The time that a job has run since its last checkpoint.
function lostBy(job: Job): number {
    return job.checkpoint ? elapsed(job) % job.checkpoint : elapsed(job);
}

function moveRow({ job, from, to, from_nodes, to_nodes, nodes, stopped = 0, redone = 0 }: Defrag["moves"][number]): HTMLElement {
    const place = (box: string | null, list: string[] = []) => box ?? someOf(list, 2);
    return el("tr", {}, el("td", {}, link(hashOf({ job }), title(findJob(job) ?? { id: job } as Job))), el("td", { class: "number" }, `${nodes}`), el("td", {}, place(from, from_nodes)), el("td", {}, place(to, to_nodes)),
        el("td", { class: "number" }, duration(stopped)), el("td", { class: "number" }, duration(redone)));
}

// When the job starts without the moves, and with them.
function gain({ start_before: before, start_after: after }: Defrag): string {
    if (before === undefined || after === undefined) return "";
    const when = (start: number | null) => (start === null ? "it is open when" : start - Date.now() / 1000 < 5 ? "it starts at once" : `it starts at ${clock(start)}`);
    return ` With the moves ${when(after)}; without them ${when(before)}.`;
}

async function makeRoom(job: Job) {
    answer(el("p", {}, "Looking for moves…"));
    try {
        const found = await api.defrag({ for: job.id });
        if (route.job === job.id) showRoom(job, found);
    } catch (error) {
        answer(el("p", { class: "error" }, problemText(error)));
        lost = error instanceof TypeError;
    }
}

function showRoom(job: Job, found: Defrag) {
    const held = job.hold ? [el("p", {}, "It would still be held, so nothing can be moved for it.")] : [];
    if (!found.possible) return answer(el("p", {}, found.least ? "No moves would make room." : "No moves were found in time, but not all were tried."));
    if (!found.moves.length) return answer(el("h3", {}, `There is room at ${found.place ?? ""}`), el("p", {}, "No job has to move."), ...held);
    room = { found, owner: ownerAfter(found), after: false };
    const show = (after: boolean) => {
        if (room) room.after = after;
        redraw();
    };
    const choice = (text: string, after: boolean) => el("label", {}, el("input", { type: "radio", name: "moment", checked: !after, change: () => show(after) }), ` ${text}`);
    const redone = found.moves.reduce((sum, { nodes, redone: seconds = 0 }) => sum + nodes * seconds, 0);
    answer(el("h3", {}, `Room at ${found.place ?? ""}`),
        el("p", {}, `${plural(found.moves.length, "job")} would move, with ${plural(found.nodes_moved, "node")}${found.least ? "; no fewer will do" : `; not all moves were tried, and at least ${plural(found.bound, "node")} would have to`}. `
            + `${hours(redone)} node-hours of work are done again.${gain(found)}`),
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Moves" }, el("table", {},
            el("thead", {}, el("tr", {}, ...["job", "nodes", "from", "to", "is stopped", "does again"].map(name => el("th", { scope: "col" }, name)))),
            el("tbody", {}, ...found.moves.map(moveRow)))),
        el("fieldset", { class: "actions" }, el("legend", {}, "The picture shows the machine"), choice("before", false), choice("after", true)),
        ...held, ...(isOperator() && !job.hold ? [applyForm(job, found)] : []));
    redraw();
}

// torid refuses moves that are not possible any more, or of no use.
function applyForm(job: Job, found: Defrag): HTMLElement {
    const form = formOf(`Move ${plural(found.moves.length, "job")}`, [field("why", "reason", { required: true })], ({ why = "" }) => act(async () => {
        await api.move({ moves: found.moves, for: job.id, why });
        clearCard();
        answer(el("p", {}, `${plural(found.moves.length, "job")} moved to make room for job ${job.id}.`));
    }));
    form.id = "apply-room";
    return form;
}

// ---- nodes ----

function nodeActions(node: Node): HTMLElement {
    const actions = el("div", { class: "actions" }), away = node.state === "down" || node.state === "drained";
    if (!isOperator()) return actions;
    if (away) actions.append(button("Resume", () => void act(() => api.resume(node.node)), "drain"));
    else actions.append(button("Drain…", () => answer(formOf("Drain", [field("why", "reason", { required: true })], ({ why = "" }) => act(async () => {
        await api.drain(node.node, why);
        answer();
    }))), "drain"));
    return actions;
}

function nodeCard(node: Node): HTMLElement {
    const job = world.owner[node.id], at = Date.now() / 1000;
    const kept = world.reservations.filter(r => nodesOf(world.machine, r).includes(node.id));
    const links = world.links.filter(({ link: text }) => text.split(/[-\s]/).includes(node.node)).map(l => l.link);
    return el("div", {}, facts([["cube", world.machine.apart ? cubeText(world.machine, node.id) : undefined], ["state", node.state], ["reason", node.why],
        ["reserved", kept.map(r => `${reservationName(r)} ${r.from > at ? `from ${clock(r.from)}` : `until ${clock(r.until)}`}`).join(", ")], ["links down", links.join(", ")]]),
    job ? el("p", {}, link(hashOf({ job }), `job ${title(findJob(job) ?? { id: job } as Job)}`)) : null, nodeActions(node));
}

// ---- showing it ----

export function showCard() {
    const job = findJob(route.job), node = route.node === undefined ? undefined : nodeOf(route.node);
    byId("card-title").textContent = node ? `Node ${node.node}` : job ? `Job ${title(job)}` : "Job or node";
    byId("card").replaceChildren(node ? nodeCard(node)
        : job ? el("div", {}, jobFacts(job), ...(why?.id === job.id ? reasonOf(why) : []), ...changesOf(), jobActions(job))
            : el("p", {}, route.job === undefined ? "Select a job or a node." : `There is no job ${route.job}.`));
}
