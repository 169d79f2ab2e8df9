// The page that torid serves: the machine, its jobs, and what is to come. It
// decides nothing; everything on it is what the service says.
import "./style.css";
import { api, Refused, watch, type Forecast, type Job, type Move, type Node, type Why } from "./api";
import { jobCss } from "./colour";
import { byId, el } from "./dom";
import { drawGantt } from "./gantt";
import { History } from "./history";
import { axesText, coordinates, cubeText, jointsOf, nodesOf, nodeText, parseMachine, type Joint, type Machine } from "./machine";
import { MachineScene } from "./scene";
import { listenToView, pointOf } from "./view";
import { asked, clock, duration, title } from "./words";

interface World {
    machine: Machine;
    running: Job[];
    queued: Job[];
    broken: Map<number, Node>; // down or drained
    forecast: Forecast[];
    owner: Int32Array; // the job of each node, or 0
    joints: Map<number, Joint[]>; // what is joined for a job of a pod
}

let world: World;
let scene: MachineScene;
let history: History;
let selected: { job?: number; node?: number } = {};
let why: Why | undefined;
let answered: HTMLElement[] = []; // to what was asked on the card
let room: number[] | undefined; // nodes of the moves that are shown there

// ---- what the service says ----

function ownersOf(machine: Machine, running: Job[]): Int32Array {
    const owner = new Int32Array(machine.nodes);
    for (const job of running) for (const id of nodesOf(machine, job.place)) owner[id] = job.id;
    return owner;
}

function jointsOfJobs(machine: Machine, running: Job[]): Map<number, Joint[]> {
    return new Map(machine.apart ? running.map(job => [job.id, jointsOf(machine, job.place)]) : []);
}

// Forecasts and reasons take longer than all the rest: they are shown when they
// come.
async function refresh() {
    const [running, queued, down, drained] = await Promise.all([
        api.jobs("running"), api.jobs("queued"), api.nodes("down"), api.nodes("drained")]);
    const { machine, forecast } = world;
    world = { machine, running, queued, forecast, broken: new Map([...down, ...drained].map(n => [n.id, n])), owner: ownersOf(machine, running), joints: jointsOfJobs(machine, running) };
    show();
    try {
        world.forecast = (await api.forecast()).jobs;
    } catch (error) {
        if (!(error instanceof Refused && [429, 503].includes(error.status))) throw error; // too much at once: later
    }
    await refreshWhy();
    showTimes();
}

async function refreshWhy() {
    const id = selected.job;
    let found: Why | undefined;
    try {
        if (world.queued.some(job => job.id === id)) found = (await api.why(id ?? 0)).jobs.find(w => w.id === id);
    } catch (error) {
        if (!(error instanceof Refused)) throw error;
    }
    if (selected.job === id) why = found;
}

// ---- showing it ----

function show() {
    const { owner, broken, running, queued, machine } = world;
    const busy = owner.reduce((n, job) => n + (job ? 1 : 0), 0), gone = [...broken.keys()].filter(id => !owner[id]).length;
    scene.show(owner, new Map([...broken].map(([id, node]) => [id, node.state === "down" ? "down" : "drained"])), world.joints);
    byId("numbers").textContent = `${running.length} running, ${queued.length} waiting, ${busy} of ${machine.nodes} nodes busy`
        + (broken.size ? `, ${broken.size} down or drained` : "");
    history.show(busy - (broken.size - gone), machine.nodes - busy - gone, queued.length, running.length);
    showTimes();
}

function showTimes() {
    const refocus = focusKeeper();
    showJobs();
    showCard();
    refocus();
    lightUp();
    drawGantt(byId<HTMLElement>("gantt") as unknown as SVGSVGElement, world, Date.now() / 1000, id => void select({ job: id }));
}

// Rows and buttons are made anew whenever something happens; who has come to one
// by keys stays there.
function focusKeeper(): () => void {
    const active = document.activeElement, row = active?.closest<HTMLElement>("tr[data-job]")?.dataset["job"];
    const same = row ? `tr[data-job="${row}"] button` : active?.id ? `#${active.id}` : undefined;
    return () => {
        if (same && active !== document.activeElement) document.querySelector<HTMLElement>(same)?.focus({ preventScroll: true });
    };
}

function rowOf(job: Job): HTMLTableRowElement {
    const waits = job.state === "queued";
    const start = world.forecast.find(f => f.id === job.id)?.start;
    const where = waits ? job.waits ?? "" : placeText(job);
    const soon = waits && start !== undefined ? `; starts ${clock(start)}` : "";
    const swatch = el("span", { class: waits ? "swatch waits" : "swatch", style: `background:${jobCss(job.id)}` });
    return el("tr", { class: selected.job === job.id ? "selected" : "", "data-job": `${job.id}` },
        el("td", {}, el("button", { type: "button", click: () => void select({ job: job.id }) }, swatch, title(job))),
        el("td", {}, job.user ?? ""), el("td", {}, asked(job)), el("td", {}, duration(job.time_limit)),
        el("td", {}, clock(waits ? job.submit : job.start ?? job.submit)), el("td", {}, where + soon));
}

function placeText(job: Job): string {
    const { box, boxes, nodes } = job.place ?? {}, list = boxes ?? nodes;
    if (!list) return box ?? "";
    return (boxes ? `${boxes.length} pieces: ` : "") + (list.length > 3 ? `${list.slice(0, 3).join(" ")} and ${list.length - 3} more` : list.join(" "));
}

// Which cubes are joined in which dimension.
function jointText(job: Job): string {
    const dims = new Map<number, string[]>(), most = 8;
    for (const { dim, from, to } of world.joints.get(job.id) ?? [])
        dims.set(dim, [...(dims.get(dim) ?? []), `${cubeText(world.machine, from[0] ?? 0)} to ${cubeText(world.machine, to[0] ?? 0)}`]);
    return [...dims].map(([dim, pairs]) => `dimension ${dim}: ${pairs.slice(0, most).join(", ")}${pairs.length > most ? ` and ${pairs.length - most} more` : ""}`).join("; ");
}

const rowsMost = 250;

function showJobs() {
    const line = (text: string) => el("tr", {}, el("th", { colspan: "6", scope: "rowgroup" }, text));
    for (const [state, jobs] of [["running", world.running], ["queued", world.queued]] as const) {
        const rows = jobs.slice(0, rowsMost).map(rowOf);
        if (jobs.length > rowsMost) rows.push(line(`and ${jobs.length - rowsMost} more`));
        byId(state).replaceChildren(line(`${state === "running" ? "Running" : "Waiting"}: ${jobs.length}`), ...rows);
    }
}

// ---- the card ----

function facts(pairs: [string, string | undefined][]): HTMLElement {
    const list = el("dl");
    for (const [name, value] of pairs) if (value) list.append(el("dt", {}, name), el("dd", {}, value));
    return list;
}

function helpText(help: { change: string; to?: string | number }): string {
    const words: Record<string, string> = { count: "fewer nodes", shape: "another shape", wiring: "another wiring", estimate: "a shorter time limit", job: "the end of job", moves: "moves" };
    return `${words[help.change] ?? help.change}: ${help.to ?? ""}`;
}

function reasonOf(of: Why): HTMLElement[] {
    const parts: HTMLElement[] = [el("h3", {}, "Why it waits"), el("p", {}, of.text)];
    if (of.blockers?.length)
        parts.push(el("p", {}, "In the way: ", ...of.blockers.flatMap((b, i) => [i ? ", " : "",
            el("button", { type: "button", click: () => void select({ job: b.job }) }, `job ${b.job} (${b.nodes} ${b.nodes === 1 ? "node" : "nodes"})`)])));
    if (of.start !== undefined) parts.push(el("p", {}, `It is expected to start ${clock(of.start)}.`));
    if (of.helps?.length)
        parts.push(el("h3", {}, "What would start it now"), el("ul", {}, ...of.helps.map(h => el("li", {}, helpText(h)))));
    return parts;
}

function jobCard(job: Job): HTMLElement {
    const card = el("div", {}, facts([
        ["job", title(job)], ["user", job.user], ["asks for", asked(job)], ["time", duration(job.time_limit)], ["state", job.state],
        ["submitted", clock(job.submit)], ["started", job.start ? clock(job.start) : undefined], ["place", placeText(job)], ["joins cubes", jointText(job)],
        ["priority", job.priority ? `${job.priority}` : undefined]]));
    if (why?.id === job.id) card.append(...reasonOf(why));
    const actions = el("div", { class: "actions" });
    if (job.state === "queued") actions.append(el("button", { type: "button", id: "make-room", click: () => void act(() => makeRoom(job)) }, "Make room"));
    actions.append(el("button", { type: "button", click: () => void act(() => api.cancel(job.id).then(refresh)) }, "Cancel"));
    card.append(actions, el("div", { id: "answer" }, ...answered));
    return card;
}

function nodeOf(id: number): Node {
    return world.broken.get(id) ?? { id, node: coordinates(world.machine, id).join(","), state: world.owner[id] ? "busy" : "free" };
}

function nodeCard(node: Node): HTMLElement {
    const job = world.owner[node.id];
    const away = node.state === "down" || node.state === "drained";
    return el("div", {}, facts([["node", node.node], ["state", node.state], ["remark", node.why], ["job", job ? `${job}` : "none"]]),
        el("div", { class: "actions" },
            el("button", { type: "button", id: "drain", click: () => void act(() => api.setNode(node.node, away ? "resume" : "drain").then(refresh)) }, away ? "Resume" : "Drain"),
            job ? el("button", { type: "button", click: () => void select({ job }) }, `Show job ${job}`) : null),
        el("div", { id: "answer" }, ...answered));
}

function showCard() {
    const job = [...world.running, ...world.queued].find(j => j.id === selected.job);
    const node = selected.node === undefined ? undefined : nodeOf(selected.node);
    byId("card-title").textContent = node ? `Node ${node.node}` : job ? `Job ${title(job)}` : "Job";
    byId("card").replaceChildren(node ? nodeCard(node) : job ? jobCard(job) : el("p", {}, "Select a job or a node."));
}

function answer(...what: HTMLElement[]) {
    answered = what;
    document.getElementById("answer")?.replaceChildren(...what);
}

async function act(what: () => Promise<unknown>) {
    try {
        await what();
    } catch (error) {
        answer(el("p", { class: "error" }, error instanceof Error ? error.message : "it failed"));
    }
}

function moveText(move: Move): string {
    const place = (box: string | null, nodes?: string[]) => box ?? `${nodes?.slice(0, 2).join(" ") ?? ""}${(nodes?.length ?? 0) > 2 ? " ..." : ""}`;
    return `job ${move.job}: ${place(move.from, move.from_nodes)} to ${place(move.to, move.to_nodes)}`;
}

async function makeRoom(job: Job) {
    const found = await api.defrag({ for: job.id });
    if (selected.job !== job.id) return; // another one, meanwhile
    if (!found.possible) return answer(el("p", {}, "No moves would make room."));
    room = [...nodesOf(world.machine, found.place), ...nodesOfJobs(found.moves.map(move => move.job))];
    lightUp();
    answer(el("h3", {}, `Room at ${found.place ?? ""}`), found.moves.length
        ? el("ul", {}, ...found.moves.map(m => el("li", {}, moveText(m)))) : el("p", {}, "without a move"));
}

// ---- what is selected ----

async function select(what: { job?: number; node?: number }) {
    selected = what;
    why = room = undefined;
    answered = [];
    showTimes();
    await refreshWhy();
    if (why) showTimes();
}

function nodesOfJobs(ids: number[]): number[] {
    return world.running.filter(job => ids.includes(job.id)).flatMap(job => nodesOf(world.machine, job.place));
}

// A running job; or who is in the way of one that waits, and where it would go.
function lightUp() {
    if (room) return scene.light(room);
    const job = world.running.find(j => j.id === selected.job);
    if (job) {
        const nodes = nodesOf(world.machine, job.place);
        return scene.light(nodes, nodes, job.id);
    }
    if (why?.place) {
        const wanted = nodesOf(world.machine, why.place);
        return scene.light([...wanted, ...nodesOfJobs(why.blockers?.map(b => b.job) ?? [])], wanted);
    }
    scene.light(selected.node === undefined ? [] : [selected.node]);
}

function hoverText(id: number): string {
    const { state } = nodeOf(id), job = world.running.find(j => j.id === world.owner[id]);
    return `${nodeText(world.machine, id)}: ${job ? `job ${title(job)}` : state}`;
}

function listen() {
    listenToView(scene, world.machine, hoverText, id => scene.point(world.owner[id] ?? 0));
    let down = { x: 0, y: 0 };
    byId("scene").addEventListener("pointerdown", event => (down = pointOf(event)));
    byId("scene").addEventListener("click", event => {
        const { x, y } = pointOf(event), id = scene.pick(x, y);
        if (Math.hypot(x - down.x, y - down.y) > 4) return; // it was turned
        const job = world.owner[id];
        void select(id < 0 ? {} : job && !event.shiftKey ? { job } : { node: id });
    });
}

async function main() {
    const { machine: text } = await api.machine();
    const machine = parseMachine(text);
    world = { machine, running: [], queued: [], broken: new Map(), forecast: [], owner: new Int32Array(machine.nodes), joints: new Map() };
    byId("machine").textContent = `${text}, ${machine.nodes} nodes`;
    byId("axes").textContent = axesText(machine);
    byId("joined").hidden = machine.apart === 0;
    scene = new MachineScene(byId<HTMLCanvasElement>("scene"), machine);
    history = new History(byId("history"), machine.nodes);
    listen();
    await refresh();
    await history.load();
    setInterval(() => void history.load().catch(() => undefined), 60000);
    watch(refresh, is => (byId("live").textContent = is ? "live" : "not connected; trying again"));
    // For tests: what is where.
    Object.assign(window, { tori: { scene, history, world: () => world, select } });
}

// A token is sent once, and a session comes back as a cookie.
function askForToken(why = "") {
    const input = el("input", { name: "token", type: "password", autocomplete: "off", required: true });
    const error = el("p", { class: "error", role: "alert" }, why);
    const form = el("form", {
        class: "signin", submit: event => {
            event.preventDefault();
            api.signIn({ token: input.value.trim() }).then(() => location.reload(),
                (problem: unknown) => (error.textContent = problem instanceof Error ? problem.message : "it failed"));
        } },
        el("h2", {}, "Sign in"), el("p", {}, "An operator makes tokens with ", el("code", {}, "torid token add"), "."),
        el("label", {}, "token ", input), el("button", {}, "Sign in"), error);
    document.querySelector("main")?.replaceChildren(el("section", {}, form));
}

// A code in the address, after the "#", which no server sees, is good once.
async function useCode() {
    const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
    if (!code) return;
    window.history.replaceState(null, "", "/");
    await api.signIn({ code });
}

useCode().then(main).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 401) return askForToken(error.message.includes("code") ? error.message : "");
    byId("live").textContent = error instanceof Error ? error.message : "the page cannot be shown";
});
