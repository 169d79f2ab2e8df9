// A job is tested first: when it would start, where, and which others it delays.
import { api, problemText, type Expected, type Job } from "./api";
import { el, field, formOf, link } from "./dom";
import { findJob, hashOf, world } from "./state";
import { duration, plural, startText, title } from "./words";

function bodyOf(values: Record<string, string>): Record<string, unknown> {
    const { name, shape, wiring, time, queue, priority, command = "", output, hold } = values, n = Number(shape);
    return { ...(Number.isInteger(n) ? { count: n } : { shape, ...(wiring && wiring !== "none" ? { wiring } : {}) }), time_limit: time,
        command: command.split(/\s+/).filter(word => word), ...(name ? { name } : {}), ...(queue ? { queue } : {}), ...(output ? { output } : {}),
        ...(priority && priority !== "0" ? { priority: Number(priority) } : {}), ...(hold === "yes" ? { hold: true } : {}) };
}

const late = (job: Expected) => (job.start ?? Infinity) - (job.without.start ?? Infinity);

function verdict(jobs: Expected[], now: number): HTMLElement[] {
    const known = new Set([...world.queued, ...world.running].map(job => job.id)), mine = jobs.find(job => !known.has(job.id));
    const delayed = jobs.filter(job => job !== mine && late(job) > 0);
    const when = mine?.start == null ? "It is open when it would start." : `It would start ${startText(mine, now)}.`, pushed = mine?.pushes?.map(({ job, how }) => `job ${job} (${how})`) ?? [];
    const row = (job: Expected) => el("li", {}, link(hashOf({ job: job.id }), `job ${title(findJob(job.id) ?? { id: job.id } as Job)}`), ` would start ${Number.isFinite(late(job)) ? `${duration(late(job))} later` : "later"}`);
    return [el("p", {}, when), ...(pushed.length ? [el("p", {}, `It would push out ${pushed.join(", ")}.`)] : []),
        el("p", {}, `It would delay ${delayed.length ? `${plural(delayed.length, "other job")}:` : "no other job."}`), el("ul", {}, ...delayed.slice(0, 20).map(row))];
}

export async function submitForm(): Promise<HTMLElement[]> {
    const queues = (await api.queues()).map(q => q.queue), said = el("div", { "aria-live": "polite" });
    const attempt = async (what: () => Promise<HTMLElement[]>) => {
        try {
            said.replaceChildren(...await what());
        } catch (error) {
            said.replaceChildren(el("p", { class: "error" }, problemText(error)));
        }
    };
    const send = (body: object) => attempt(async () => {
        const { ids } = await api.submit(body);
        return [el("p", {}, "Submitted: ", ...ids.map(id => link(hashOf({ job: id }), `job ${id}`)))];
    });
    const form = formOf("Test", [field("name", "name"), field("shape", "shape, or number of nodes", { required: true, placeholder: "4x4x4" }),
        field("wiring", "wiring of the box", {}, ["none", "mesh", "torus", ...(world.machine.apart ? ["twisted"] : [])]), field("time", "time limit", { required: true, value: "1h" }),
        field("queue", "queue", {}, queues), field("priority", "priority", { value: "0" }), field("command", "command", { required: true }), field("output", "output file, such as job-%j.out"),
        field("hold", "held until it is released", {}, ["no", "yes"])],
    values => attempt(async () => {
        const body = bodyOf(values), now = Date.now() / 1000, { jobs } = await api.test(body);
        return [...verdict(jobs, now), el("button", { type: "button", id: "submit", click: () => void send(body) }, "Submit it")];
    }));
    form.addEventListener("input", () => said.replaceChildren()); // another job, which is not tested
    return [el("p", {}, "The command is split at spaces. It is tested before it can be submitted."), form, said];
}
