// What the service says, who looks, and what is selected. Views read it and draw
// it; the address says what is selected.
import { api, Refused, type Change, type Forecast, type Happening, type Job, type Link, type Me, type Node, type Reservation, type Why } from "./api";
import { coordinates, jointsOf, nodeId, nodesOf, type Joint, type Machine } from "./machine";

export interface World {
    machine: Machine;
    running: Job[];
    queued: Job[];
    ended: Map<number, Job> | undefined; // as far as they were asked for
    broken: Map<number, Node>; // down or drained
    links: Link[]; // that are down
    reservations: Reservation[];
    forecast: Forecast[];
    unsure: string[]; // why its starts are not promises
    owner: Int32Array; // the job of each node, or 0
    joints: Map<number, Joint[]>; // what is joined for a job of a pod
    asOf: number; // when it was so, in seconds since 1970
}

export interface Route {
    view: string;
    job?: number;
    node?: number;
    user?: string;
    queue?: string;
}

export let world: World;
export let me: Me = { user: "", role: "reader" };
export let route: Route = { view: "machine" };
export let why: Why | undefined; // the selected job waits
export let other: Job | undefined; // the selected job, if no list has it
export let changes: Change[] = []; // of the selected job
export const happenings: Happening[] = []; // since the dashboard was opened, the last first

export function begin(machine: Machine, who: Me) {
    me = who;
    world = { machine, running: [], queued: [], ended: undefined, broken: new Map(), links: [], reservations: [], forecast: [], unsure: [],
        owner: new Int32Array(machine.nodes), joints: new Map(), asOf: 0 };
}

// ---- what may be done ----

export const maySubmit = () => me.role !== "reader";
export const isOperator = () => me.role === "operator";
export const mayChange = (job: Job) => isOperator() || (me.role === "user" && job.user === me.user);

// ---- what the service says ----

function ownersOf(machine: Machine, running: Job[]): Int32Array {
    const owner = new Int32Array(machine.nodes);
    for (const job of running) for (const id of nodesOf(machine, job.place)) owner[id] = job.id;
    return owner;
}

function jointsOfJobs(machine: Machine, running: Job[]): Map<number, Joint[]> {
    return new Map(machine.apart ? running.map(job => [job.id, jointsOf(machine, job.place)]) : []);
}

export async function load() {
    const [running, queued, down, drained, links, reservations] = await Promise.all([
        api.jobs("running"), api.jobs("queued"), api.nodes("down"), api.nodes("drained"), api.links(), api.reservations()]);
    const { machine } = world;
    Object.assign(world, { running, queued, links, reservations, broken: new Map([...down, ...drained].map(n => [n.id, n])),
        owner: ownersOf(machine, running), joints: jointsOfJobs(machine, running), asOf: Date.now() / 1000 });
}

// Too many questions at once: later.
async function unlessBusy(what: () => Promise<void>) {
    try {
        await what();
    } catch (error) {
        if (!(error instanceof Refused && [429, 503].includes(error.status))) throw error;
    }
}

// Forecasts and reasons take longer than all the rest.
export async function loadForecast() {
    await unlessBusy(async () => {
        const { jobs, unsure = [] } = await api.forecast();
        Object.assign(world, { forecast: jobs, unsure });
    });
    await loadSelected();
}

// Why the selected job waits; or the job itself.
export async function loadSelected() {
    const id = route.job;
    let reason: Why | undefined, job: Job | undefined, record: Change[] = [];
    if (id === undefined) return;
    await unlessBusy(async () => {
        try {
            if (world.queued.some(j => j.id === id)) reason = (await api.why(id)).jobs.find(w => w.id === id);
            else if (!world.running.some(j => j.id === id)) job = await api.job(id);
            record = await api.changes("job", id);
        } catch (error) {
            if (!(error instanceof Refused && error.status === 404)) throw error;
        }
    });
    if (route.job !== id) return; // another one, meanwhile
    why = reason;
    other = job;
    changes = record;
}

const page = 1000;

// Jobs that have ended: the last numbers, or those before the ones that are known.
export async function loadEnded(older = false) {
    const known = world.ended ?? new Map<number, Job>();
    const first = older ? Math.min(...known.keys()) - 1 : (await api.machine()).last_job;
    if (!(first > 0)) return;
    const from = Math.max(0, first - page);
    const jobs = await api.ended(from, page);
    world.ended = new Map([...known, ...jobs.filter(j => j.id <= first || !older).map(j => [j.id, j] as const)]);
    if (from > 0 && world.ended.size === known.size && older) throw new Error("There are none among the 1000 numbers before.");
}

// ---- what is selected ----

export function findJob(id: number | undefined): Job | undefined {
    const at = (j: Job) => j.id === id;
    return world.running.find(at) ?? world.queued.find(at) ?? world.ended?.get(id ?? 0) ?? (other?.id === id ? other : undefined);
}

export function forecastOf(id: number | undefined): Forecast | undefined {
    return world.forecast.find(f => f.id === id);
}

// The place that lacks least, if it is a place that the job waits for.
export function nearestOf(of: Why | undefined): string | undefined {
    return of && ["numerical", "topological", "wiring", "nodes"].includes(of.reason) ? of.place ?? undefined : undefined;
}

export function nodeOf(id: number): Node {
    return world.broken.get(id) ?? { id, node: coordinates(world.machine, id).join(","), state: world.owner[id] ? "busy" : "free" };
}

export function nodesOfJobs(ids: number[]): number[] {
    return world.running.filter(job => ids.includes(job.id)).flatMap(job => nodesOf(world.machine, job.place));
}

// "#/job/12", "#/node/0,0,4", "#/user/alice", "#/users"
export function readRoute(hash: string): Route {
    const [, view = "", word = ""] = /^#\/?([\w-]*)(?:\/(.*))?$/.exec(hash) ?? [];
    const text = decodeURIComponent(word), at = text.split(",").map(Number);
    if (view === "job" && /^\d+$/.test(text)) return { view: "machine", job: Number(text) };
    if (view === "node" && at.length === world.machine.sides.length && at.every((c, i) => c >= 0 && c < (world.machine.sides[i] ?? 0)))
        return { view: "machine", node: nodeId(world.machine, at) };
    if (view === "user" || view === "queue") return { view: "machine", [view]: text };
    return { view: word || !view ? "machine" : view };
}

export function hashOf(to: { job?: number; node?: number }): string {
    if (to.job !== undefined) return `#/job/${to.job}`;
    return to.node === undefined ? "#/" : `#/node/${coordinates(world.machine, to.node).join(",")}`;
}

export function setRoute(to: Route) {
    if (to.job !== route.job) [why, other, changes] = [undefined, undefined, []];
    route = to;
}
