// The dashboard that torid serves: the machine, its jobs, and what is to come. It
// decides nothing; everything on it is what the service says.
import "./style.css";
import { api, problemText, Refused, watch } from "./api";
import { answer, clearCard, forgetLoss, listenToCard, room, showCard } from "./card";
import { byId, el, link } from "./dom";
import { drawGantt } from "./gantt";
import { History } from "./history";
import { followSelected, makeFilters, setFilter, showJobs, setTab } from "./jobs";
import { forms, lists, showList } from "./lists";
import { axesText, nodesOf, nodeText, parseMachine } from "./machine";
import { ticksText } from "./marks";
import { MachineScene } from "./scene";
import * as state from "./state";
import { hashOf, me, nodeOf, nodesOfJobs, route, world } from "./state";
import { submitForm } from "./submit";
import { listenToView, pointOf } from "./view";
import { duration, title } from "./words";

let scene: MachineScene;
let history: History;
let away = false; // torid does not answer

// ---- what the service says ----

// Forecasts and reasons are shown when they come.
async function refresh() {
    try {
        await state.load();
        if (world.ended) await state.loadEnded();
        show();
        await state.loadForecast();
    } catch (error) {
        if (error instanceof Refused && error.status === 401) location.reload(); // the session has ended
        throw error;
    }
    forgetLoss();
    await showTimes();
}

// ---- showing it ----

function show() {
    const { owner, broken, running, queued, machine } = world;
    const busy = owner.reduce((n, job) => n + (job ? 1 : 0), 0), gone = [...broken.keys()].filter(id => !owner[id]).length;
    byId("numbers").textContent = `${running.length} running, ${queued.length} waiting, ${busy} of ${machine.nodes} nodes busy`
        + (broken.size ? `, ${broken.size} down or drained` : "");
    history.show(busy - (broken.size - gone), machine.nodes - busy - gone, queued.length, running.length);
    byId("reserved").hidden = !world.reservations.length;
    byId("cut").hidden = !world.links.length;
    void showTimes();
}

// Lists may have to be asked for.
async function showTimes() {
    const refocus = focusKeeper();
    if (route.view === "machine") {
        showJobs();
        showCard();
        drawScene();
    }
    if (route.view === "time") drawGantt(byId<HTMLElement>("gantt") as unknown as SVGSVGElement, world, Date.now() / 1000, id => void select({ job: id }));
    refocus();
    if (!lists[route.view]) return;
    await showList(lists[route.view]).catch(() => undefined);
    refocus();
}

// Rows and buttons are made anew whenever something happens; the focus stays.
function focusKeeper(): () => void {
    const active = document.activeElement, row = active?.closest<HTMLElement>("tr[data-job]")?.dataset["job"];
    const same = row ? `tr[data-job="${row}"] a` : active?.id ? `#${active.id}` : undefined;
    return () => {
        if (same && active !== document.activeElement) document.querySelector<HTMLElement>(same)?.focus({ preventScroll: true });
    };
}

// ---- the picture ----

function drawScene() {
    const { owner, broken, joints, reservations, links } = world;
    scene.show(room?.after ? room.owner : owner, new Map([...broken].map(([id, node]) => [id, node.state === "down" ? "down" : "drained"])), joints,
        { kept: reservations.map(r => nodesOf(world.machine, r)), cut: links.map(l => l.link) });
    lightUp();
}

// A running job; or of one that waits, where it will start, and the place that lacks
// least with what is in the way there.
function lightUp() {
    const job = world.running.find(j => j.id === route.job);
    if (room) return scene.light([...nodesOf(world.machine, room.found.place ?? undefined), ...movedNodes(room)], nodesOf(world.machine, room.found.place ?? undefined));
    if (job) {
        const nodes = nodesOf(world.machine, job.place);
        return scene.light(nodes, nodes, job.id);
    }
    if (state.why) {
        const { place, nodes } = state.forecastOf(state.why.id) ?? {}, wanted = nodesOf(world.machine, nodes ? { nodes } : place ?? undefined);
        const nearest = nodesOf(world.machine, state.nearestOf(state.why)), { blockers = [] } = nearest.length ? state.why : {};
        return scene.light([...wanted, ...nodesOfJobs(blockers.map(b => b.job)), ...nearest.filter(id => world.broken.has(id))], wanted, 0, nearest);
    }
    scene.light(route.node === undefined ? [] : [route.node]);
}

function movedNodes({ found, owner, after }: NonNullable<typeof room>): number[] {
    const moved = new Set(found.moves.map(m => m.job));
    return Array.from(after ? owner : world.owner, (job, id) => (moved.has(job) ? id : -1)).filter(id => id >= 0);
}

function hoverText(id: number): string {
    const { state: is } = nodeOf(id), job = world.running.find(j => j.id === world.owner[id]);
    return `${nodeText(world.machine, id)}: ${job ? `job ${title(job)}` : is}`;
}

function listenToScene() {
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

// ---- addresses ----

const views: [string, string][] = [["", "Machine"], ["time", "Time"], ["history", "History"], ["users", "Users"], ["queues", "Queues"],
    ["reservations", "Reservations"], ["nodes", "Nodes"], ["events", "Events"], ["changes", "Changes"], ["submit", "Submit"]];

function showViews() {
    const mine = `user/${encodeURIComponent(me.user)}`, is = `#/${route.user === undefined ? "" : `user/${encodeURIComponent(route.user)}`}`;
    const current = route.view === "machine" ? is : `#/${route.view}`;
    const all = me.role === "reader" ? views.filter(([view]) => view !== "submit") : [...views.slice(0, 1), [mine, "My jobs"] as const, ...views.slice(1)];
    byId("views").replaceChildren(...all.map(([view, text]) => {
        const made = link(`#/${view}`, text);
        if (`#/${view}` === current) made.setAttribute("aria-current", "page");
        return made;
    }));
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone
}

function select(to: { job?: number; node?: number }) {
    window.history.pushState(null, "", hashOf(to));
    return follow();
}

// The page shows the view that the address names. A view that is a list is made by lists.ts.
async function follow() {
    const before = route;
    state.setRoute(state.readRoute(location.hash));
    if (before.job !== route.job || before.node !== route.node) clearCard();
    if (route.user !== undefined || route.queue !== undefined) setFilter({ ...(route.user === undefined ? {} : { user: route.user }), ...(route.queue === undefined ? {} : { queue: route.queue }) });
    else if (before.user !== undefined || before.queue !== undefined) if (route.job === undefined) setFilter({});
    const known = route.view === "machine" || route.view === "time";
    byId("view-machine").hidden = route.view !== "machine";
    byId("view-time").hidden = route.view !== "time";
    byId("view-list").hidden = known;
    showViews();
    if (!known) await openList();
    followSelected();
    await showTimes();
    if (route.job === undefined) return;
    await state.loadSelected();
    followSelected();
    await showTimes();
}

async function openList() {
    const view = lists[route.view], name = route.view;
    byId("list-title").textContent = view?.title ?? "Submit a job";
    byId("forms").replaceChildren(...(forms[name]?.() ?? []));
    byId("list").replaceChildren();
    if (!view) {
        await showList(undefined);
        const form = name === "submit" && state.maySubmit() ? await submitForm() : [el("p", {}, "There is no such view.")];
        if (route.view === name) byId("list").replaceChildren(...form);
    }
}

// ---- whether torid is there ----

function setAway(is: boolean) {
    away = is;
    document.body.classList.toggle("away", is);
    sayAge();
}

function sayAge() {
    const age = duration(Date.now() / 1000 - world.asOf);
    byId("live").textContent = away ? `torid does not answer. This is ${age} old.` : "live";
}

function showWho() {
    byId("who").replaceChildren(`${me.user} (${me.role}) `, el("button", { type: "button", id: "sign-out", click: () => {
        api.signOut().then(() => location.reload(), (error: unknown) => answer(el("p", { class: "error" }, problemText(error))));
    } }, "Sign out"));
}

// ---- begin ----

// torid may be away when the dashboard is opened, and come later.
async function patiently<T>(what: () => Promise<T>): Promise<T> {
    for (;;)
        try {
            return await what();
        } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            byId("live").textContent = problemText(error);
            await new Promise(done => setTimeout(done, 2000));
        }
}

async function main() {
    const [{ machine: text }, who] = await patiently(() => Promise.all([api.machine(), api.me()]));
    const machine = parseMachine(text);
    state.begin(machine, who);
    byId("live").textContent = "";
    byId("machine").textContent = `${text}, ${machine.nodes} nodes`;
    byId("axes").textContent = axesText(machine) + ticksText(machine);
    byId("joined").hidden = machine.apart === 0;
    showWho();
    makeFilters();
    scene = new MachineScene(byId<HTMLCanvasElement>("scene"), machine, byId("labels"));
    history = new History(byId("history"), machine.nodes);
    listenToScene();
    listenToCard(refresh, drawScene);
    window.addEventListener("hashchange", () => void follow().catch(() => undefined));
    await patiently(() => state.load());
    show();
    setTab(world.running.length || !world.queued.length ? "running" : "queued");
    await follow();
    await patiently(refresh);
    await patiently(() => history.load());
    setInterval(() => void history.load().catch(() => undefined), 60000);
    setInterval(sayAge, 1000);
    watch(refresh, is => setAway(!is), what => {
        state.happenings.unshift({ now: Date.now() / 1000, ...what });
        state.happenings.length = Math.min(state.happenings.length, 500);
    });
    // For tests: what is where.
    Object.assign(window, { tori: { scene, history, world: () => world, select, follow } });
}

// A token is sent once, and a session comes back as a cookie.
function askForToken(why = "") {
    const error = el("p", { class: "error", role: "alert" }, why);
    const input = el("input", { name: "token", type: "password", autocomplete: "off", required: true });
    const form = el("form", {
        class: "signin", submit: event => {
            event.preventDefault();
            api.signIn({ token: input.value.trim() }).then(() => location.reload(), (problem: unknown) => (error.textContent = problemText(problem)));
        } },
        el("h2", {}, "Sign in"), el("p", {}, "An operator makes tokens with ", el("code", {}, "torid token add"), ", and links that sign in once with ", el("code", {}, "torid token code"), "."),
        el("label", { class: "field" }, el("span", {}, "token"), input), el("button", {}, "Sign in"), error);
    byId("live").textContent = "";
    document.querySelector("main")?.replaceChildren(el("section", { class: "narrow" }, form));
}

const isUnknown = (error: unknown): error is Refused => error instanceof Refused && error.status === 401;

// A code in the address, after the "#", which no server sees, is good once. When it
// is used again, the session that it began may still be good: what is wrong, if not.
async function useCode() {
    const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
    if (!code) return "";
    window.history.replaceState(null, "", "/");
    try {
        await api.signIn({ code });
        return "";
    } catch (error) {
        if (isUnknown(error)) return error.message;
        throw error;
    }
}

useCode().then(wrong => main().catch((error: unknown) => {
    if (!isUnknown(error)) throw error;
    askForToken(wrong);
})).catch((error: unknown) => (byId("live").textContent = problemText(error)));
