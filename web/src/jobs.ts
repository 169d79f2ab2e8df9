// The table of jobs: a tab for each state, a search and filters.
import type { Job } from "./api";
import { jobCss } from "./colour";
import { byId, el, link, rows } from "./dom";
import { findJob, forecastOf, hashOf, loadEnded, me, route, world } from "./state";
import { asked, clock, duration, elapsed, exitText, outcomeOf, placeText, stateText, title } from "./words";

type State = Job["state"];
const states: [State, string][] = [["running", "Running"], ["queued", "Waiting"], ["ended", "Ended"]];
const rowsMost = 250;

let tab: State = "running";
const filter = { text: "", user: "", queue: "" };

// ---- which ----

function jobsOf(state: State): Job[] {
    if (state === "running") return world.running;
    if (state === "queued") return world.queued;
    return [...(world.ended?.values() ?? [])].sort((a, b) => (b.end ?? 0) - (a.end ?? 0) || b.id - a.id);
}

export function isWanted(job: Job): boolean {
    const text = filter.text.toLowerCase();
    return (!filter.user || job.user === filter.user) && (!filter.queue || queueOf(job) === filter.queue)
        && (!text || [`${job.id}`, job.name, job.user, stateText(job), job.waits].some(word => word?.toLowerCase().includes(text)));
}

const queueOf = (job: Job) => job.queue ?? "default";

export function setTab(state: State) {
    tab = state;
}

export function setFilter(to: { user?: string; queue?: string }) {
    Object.assign(filter, { text: "", user: "", queue: "" }, to);
}

// ---- rows ----

interface Column {
    name: string;
    of: (job: Job) => Node | string;
    class?: string;
}

const jobColumn: Column = { name: "job", of: job => link(hashOf({ job: job.id }),
    el("span", { class: job.state === "running" ? "swatch" : "swatch waits", style: `background:${jobCss(job.id)}` }), title(job)), class: "name" };
const userColumn: Column = { name: "user", of: job => job.user ?? "", class: "aside" };
const askColumn: Column = { name: "asks for", of: asked, class: "number" };
const limitColumn: Column = { name: "time limit", of: job => duration(job.time_limit), class: "number aside" };

function startText(job: Job): string {
    const start = forecastOf(job.id)?.start;
    return start == null ? "open" : clock(start);
}

const columns: Record<State, Column[]> = {
    running: [jobColumn, userColumn, askColumn, limitColumn,
        { name: "ends by", of: job => clock((job.start ?? 0) + job.time_limit), class: "number aside" }, { name: "where", of: job => placeText(job.place), class: "wide" }],
    queued: [jobColumn, userColumn, askColumn, limitColumn,
        { name: "starts", of: startText, class: "number" }, { name: "why it waits", of: job => job.waits ?? "", class: "wide" }],
    ended: [jobColumn, userColumn, askColumn, { name: "ran", of: job => duration(elapsed(job)), class: "number aside" },
        { name: "ended", of: job => clock(job.end ?? 0), class: "number" },
        { name: "how", of: job => outcomeOf(job) + (exitText(job) && exitText(job) !== "0" ? ` (${exitText(job)})` : ""), class: "wide" }],
};

function rowOf(job: Job): HTMLTableRowElement {
    return el("tr", { class: route.job === job.id ? "selected" : "", "data-job": `${job.id}` },
        ...columns[tab].map(column => el("td", { class: column.class ?? "" }, column.of(job))));
}

// ---- showing it ----

function tabButton([state, name]: [State, string]): HTMLElement {
    const all = jobsOf(state), wanted = all.filter(isWanted).length, known = state !== "ended" || world.ended !== undefined;
    const count = !known ? "" : wanted < all.length ? ` ${wanted} of ${all.length}` : ` ${all.length}`;
    return el("button", { type: "button", role: "tab", id: `tab-${state}`, "aria-selected": `${state === tab}`, "aria-controls": "jobs-panel",
        click: () => void openTab(state) }, name, el("span", { class: "count" }, count));
}

async function openTab(state: State) {
    tab = state;
    showJobs();
    byId("jobs-panel").scrollTop = 0;
    if (state === "ended" && !world.ended) {
        await loadEnded();
        showJobs();
    }
}

// The tab of a job that was selected elsewhere.
export function followSelected() {
    const job = findJob(route.job);
    if (job && (job.state !== "ended" || world.ended)) tab = job.state;
}

export function showJobs() {
    const wanted = jobsOf(tab).filter(isWanted), body = wanted.slice(0, rowsMost).map(rowOf);
    const last = (text: string) => el("tr", {}, el("td", { colspan: `${columns[tab].length}` }, text));
    if (wanted.length > rowsMost) body.push(last(`and ${wanted.length - rowsMost} more: search, or choose a user or a queue`));
    if (!wanted.length) body.push(last(tab === "ended" && !world.ended ? "…" : "None."));
    byId("tabs").replaceChildren(...states.map(tabButton));
    byId("jobs-panel").setAttribute("aria-labelledby", `tab-${tab}`);
    byId("jobs").replaceChildren(rows(columns[tab].map(c => [c.name, c.class ?? ""])), el("tbody", {}, ...body));
    showFilters();
}

function choices(select: HTMLSelectElement, every: string, values: string[], is: string) {
    const all = [...new Set(is ? [...values, is] : values)].sort();
    if (select.options.length !== all.length + 1 || all.some((v, i) => select.options[i + 1]?.value !== v))
        select.replaceChildren(el("option", { value: "" }, every), ...all.map(v => el("option", { value: v }, v === me.user ? `${v} (me)` : v)));
    select.value = is;
}

// Fields stay the same while others are typed into.
function showFilters() {
    const all = [...world.running, ...world.queued, ...(world.ended?.values() ?? [])];
    const text = byId<HTMLInputElement>("search");
    if (document.activeElement !== text) text.value = filter.text;
    choices(byId("user"), "all users", all.flatMap(job => job.user ?? []), filter.user);
    choices(byId("queue"), "all queues", all.map(queueOf), filter.queue);
}

export function makeFilters() {
    const text = el("input", { type: "search", id: "search", placeholder: "search", "aria-label": "Search jobs", input: () => {
        filter.text = text.value;
        showJobs();
    } });
    const choose = (id: "user" | "queue") => {
        const select: HTMLSelectElement = el("select", { id, "aria-label": id, change: () => {
            filter[id] = select.value;
            showJobs();
        } });
        return select;
    };
    byId("filters").append(text, choose("user"), choose("queue"));
    byId("filters").addEventListener("submit", event => event.preventDefault());
}
