// Tests of the dashboard that have a page of their own, and most of them a torid.
// They run beside the others.
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createProxy } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask, base, build, check, env, equal, files, go, need, newPage, open, patience, pictures, screen, signIn, start, token, tori, until, web } from "./world.mjs";

// A test that takes longer does not keep the other tests waiting.
const run = async (...words) => (await promisify(execFile)(join(build, "tori"), words, { env, encoding: "utf8" })).stdout.trim();

// ---- a pod ----

// The pairs that libtori joins for the jobs of a page, "DIM FROM TO".
function joined(machine, places) {
    const file = join(files, "slices");
    writeFileSync(file, places.map(p => `${(p.boxes ?? [p.box]).join(" ")} ${p.across ?? ""} ${p.box_wiring ?? "none"}\n`).join(""));
    const { partitions } = JSON.parse(tori("wire", "--machine", machine, "--partitions", file, "--json"));
    return partitions.map(p => p.cross_connects.map(c => `${c.dim} ${c.from} ${c.to}`).sort());
}

// How many pixels have the colour of lit faces.
const litPixels = page => page.evaluate(() => {
    const { scene } = window.tori, gl = scene.renderer.getContext(), { width, height } = document.getElementById("scene"), all = new Uint8Array(4 * width * height);
    scene.renderer.render(scene.scene, scene.camera);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, all);
    let n = 0;
    for (let k = 0; k < all.length; k += 4) if (Math.abs(all[k] - 0xe0) < 6 && Math.abs(all[k + 1] - 0x7b) < 6 && all[k + 2] < 6) n++;
    return n;
});

async function checkPod(page, name, [torus, own, , , loose], { nodes }) {
    equal(await page.evaluate(() => window.tori.scene.cells), 512, "cells");
    await page.fill("#slice-at", "3");
    equal(await page.evaluate(() => window.tori.scene.cells), 64, "cells of a cube");
    await page.fill("#slice-at", "-1");
    const world = await page.evaluate(() => ({ owner: [...window.tori.world().owner], running: window.tori.world().running, joints: [...window.tori.world().joints] }));
    for (const node of nodes) equal(world.owner[node.id] || null, node.job ?? null, `job of node ${node.node}`);
    const coords = id => [Math.floor(id / 64), Math.floor(id / 16) % 4, Math.floor(id / 4) % 4, id % 4];
    const pairs = list => list.flatMap(({ dim, from, to }) => from.map((id, i) => `${dim} ${coords(id)} ${coords(to[i])}`)).sort();
    const expected = joined(name, world.running.map(job => job.place));
    world.running.forEach((job, i) => equal(pairs(world.joints.find(([id]) => id === job.id)[1]), expected[i], `joints of job ${job.id}`));
    equal(world.joints.map(([id, list]) => [id, list.length]).filter(([id]) => [torus, own, loose].includes(id)), [[torus, 6], [own, 3], [loose, 0]], "faces");
    // Nothing is lit until a job is pointed at, or selected.
    const lights = () => page.evaluate(() => window.tori.scene.lights), node = world.owner.indexOf(torus);
    equal([await lights(), await litPixels(page)], [0, 0], "lit before");
    const place = await page.evaluate(ids => ids.map(id => ({ id, ...window.tori.scene.project(id) })).find(({ id, x, y }) => window.tori.scene.pick(x, y) === id), world.owner.map((job, id) => (job === torus ? id : -1)).filter(id => id >= 0));
    const box = await page.locator("#scene").boundingBox();
    await page.mouse.move(box.x + place.x, box.y + place.y);
    equal(await page.textContent("#hover"), `${coords(place.id)} (cube ${coords(place.id)[0]}): job ${torus} true`, "hovering");
    equal(await lights(), 6, "joints that are lit where the pointer is");
    await page.mouse.move(box.x + 2, box.y + 2);
    equal(await lights(), 0, "joints that are lit elsewhere");
    await page.evaluate(job => window.tori.select({ job }), torus);
    equal(await lights(), 6, "joints of the selected job");
    check(await litPixels(page) > 200, "faces are lit");
    const card = await page.textContent("#card"), cubes = [...new Set(world.running.find(j => j.id === torus).place.boxes.map(b => b.split(",")[0]))];
    check(card.includes(`dimension 3: ${cubes[0]} to ${cubes[1]}, ${cubes[1]} to ${cubes[0]}`), `"${card}" does not say what is joined`);
    check(node >= 0 && await page.isVisible("#joined"), "the legend has joined faces");
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(pictures, `pod-${colorScheme}.png`), fullPage: true });
    }
}

// ---- the tests ----

// Barriers for people: findings of axe, by some of its rules or all, and text that is cut.
function lookAt(page, rules) {
    return page.evaluate(async only => {
        const { violations } = await window.axe.run(only ? { runOnly: only } : {}), found = violations.map(v => `${v.id}: ${v.nodes[0].html}`);
        const cut = of => of && of.clientWidth > 0 && of.scrollWidth > of.clientWidth, wide = window.innerWidth > 860;
        if (cut(document.documentElement)) found.push("it scrolls sideways");
        if (cut(document.getElementById("jobs-panel"))) found.push("the table of jobs is cut");
        if (wide && cut(document.getElementById("view-list"))) found.push("the list is cut");
        return found;
    }, rules);
}

// Every view as people see it. What does not depend on colours or on the width is looked
// at once.
const looks = { light: ["light", screen], dark: ["dark", screen, ["color-contrast"]], phone: ["light", { width: 390, height: 844 }, ["scrollable-region-focusable"]] };

async function lookAtAll(page, name, fullPage = () => false) {
    const found = [];
    for (const [look, [colorScheme, size, rules]] of Object.entries(looks)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth).catch(() => undefined); // charts follow
        found.push(...(await lookAt(page, rules)).map(what => `${name}, ${look}: ${what}`));
        await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: fullPage(look) });
    }
    return found;
}

// Those that take longest are first.
export const alone = {
    async "a machine of 262144 nodes is drawn by a few calls"(world) {
        const { at, socket, stop } = await start("torus:64x64x64", "large");
        try {
            tori("submit", "--socket", socket, "--shape", "16x32x64", "--time", "2h", "--", "true");
            const page = await newPage(world, { viewport: { width: 480, height: 360 } });
            await signIn(page, at, token("reader", "large"));
            // The inside of the job is not drawn: all but two layers. Free nodes
            // are points, and so are the others where cubes would be slow.
            await page.waitForFunction(() => window.tori?.world().running.length > 0
                && window.tori.scene.cost.points + window.tori.scene.cost.triangles / 12 === 262144 - 12 * 28 * 60);
            const [cells, { calls }] = await page.evaluate(() => [window.tori.scene.cells, window.tori.scene.cost]);
            equal(cells, 262144, "cells");
            check(calls <= 6, `${calls} calls`);
            await page.context().close();
        } finally {
            await stop();
        }
    },

    async "nobody is kept out: in the light, in the dark, by a phone"(world) {
        const { waiting, operator } = world, page = await newPage(world, { bypassCSP: true }), found = [];
        const views = { machine: "#/", job: `#/job/${waiting}`, running: "#/job/4", node: "#/node/0,0,0", time: "#/time", history: "#/history", users: "#/users", queues: "#/queues",
            reservations: "#/reservations", nodes: "#/nodes", events: "#/events", changes: "#/changes", submit: "#/submit" };
        await signIn(page, base, operator);
        await page.waitForFunction(() => window.tori?.world().running.length > 0);
        await page.addScriptTag({ content: readFileSync(need.resolve("axe-core/axe.min.js"), "utf8") });
        for (const [name, hash] of Object.entries(views)) {
            await open(page, hash);
            if (hash === "#/") await page.waitForSelector("#labels span");
            found.push(...await lookAtAll(page, name, look => look === "phone"));
        }
        equal(found, [], "what keeps people out");
        await page.emulateMedia({ colorScheme: "dark" });
        await page.waitForFunction(() => window.tori.history.plot.axes[0].stroke() === window.getComputedStyle(document.body).getPropertyValue("--ink"));
        await page.context().close();
    },

    async "a report opens from disk, and a replay shows what the log says"(world) {
        const dir = join(files, "sweep");
        await run("sweep", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "fcfs,easy", "--load", "0.5,0.9", "--seeds", "2", "--by", "class", "--out", dir);
        await run("report", dir, "--cell", "7");
        await run("sim", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "easy", "--load", "0.9", "--log", join(dir, "log"));
        const runs = readFileSync(join(dir, "log"), "utf8").trim().split("\n").map(line => JSON.parse(line));
        const page = await newPage(world);
        await page.goto(`file://${join(dir, "report.html")}`);
        await page.waitForFunction(() => window.tori);
        equal(await page.locator("#standings tbody tr").count(), 4, "rows of the comparison");
        equal(await page.locator("#by-table tbody tr").count(), 16, "rows of four classes");
        check(await page.isVisible("#by-title"), "the classes are shown");
        const cells = await page.locator("#standings tbody td:nth-child(n + 4)").allTextContents();
        check(cells.length > 0 && cells.every(text => !text.includes("-") && !text.includes("±")), `intervals below zero: ${cells}`);
        check((await page.locator("#standings tbody td:nth-child(7)").allTextContents()).every(text => text.match(/[\d.]+/g).every(n => Number(n) <= 100)), "more than 100 % are used");
        check(cells.some(text => /(s|min|h|d)$/.test(text)), `durations without a unit: ${cells}`);
        check((await page.evaluate(() => window.tori.plot().data.slice(1).flatMap(line => [...line]))).every(value => value === null || value >= 0), "a plot below zero");
        // In the chart every job has as many rows as nodes, mostly in one piece, and shares none.
        const lanes = await page.evaluate(() => [...window.tori.lanes]), lane = new Map(lanes);
        for (const r of runs) equal(lane.get(r.id).reduce((n, [low, high]) => n + high + 1 - low, 0), r.nodes.length, `rows of job ${r.id}`);
        for (const a of runs) for (const b of runs)
            if (a.id < b.id && a.start < b.finish && b.start < a.finish)
                check(!lane.get(a.id).some(([low, high]) => lane.get(b.id).some(([from, to]) => low <= to && from <= high)), `jobs ${a.id} and ${b.id} share a row`);
        const pieces = lanes.reduce((n, [, list]) => n + list.length, 0);
        check(pieces < 1.5 * lanes.length, `${pieces} pieces of ${lanes.length} jobs`);
        check(/^8 simulations by tori \S+: lublin jobs 300 torus:4x4x4$/.test(await page.textContent("#about")), "what was simulated");
        const verdict = (await run("compare", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "fcfs,easy", "--load", "0.5,0.9", "--seeds", "2")).split("\n\n").slice(1).join("\n").split("\n").filter(line => line);
        equal(await page.locator("#verdict li").allTextContents(), verdict, "which is best at what");
        const two = await newPage(world);
        await run("compare", "--machine", "torus:4x4x4,mesh:4x4", "--jobs", "50", "--load", "0.5,0.9", "--html", join(files, "two.html"));
        await two.goto(`file://${join(files, "two.html")}`);
        await two.waitForFunction(() => window.tori);
        equal(await two.locator("#plot .legend li").allTextContents(), ["torus:4x4x4", "mesh:4x4"], "a line for each machine");
        await run("compare", "--machine", "pod:4/4x4x4", "--jobs", "50", "--load", "0.5,0.9", "--wiring", "mesh", "--html", join(files, "pod.html"));
        await two.goto(`file://${join(files, "pod.html")}`);
        await two.waitForFunction(() => window.tori?.replay.moment.running.length >= 0);
        equal(await two.evaluate(() => [window.tori.replay.scene.cells, window.tori.replay.owner.length]), [256, 256], "cells of a pod");
        const joined = await two.evaluate(() => {
            const { runs, replay } = window.tori, run = runs.find(r => r.finish > r.start && r.slice?.boxes.length > 1);
            replay.seek((run.start + run.finish) / 2);
            return replay.scene.joints.get(run.id).length;
        });
        check(joined > 0, "faces of a slice are joined");
        await two.context().close();
        equal(await page.evaluate(() => window.tori.runs.length), runs.length, "jobs");
        const end = Math.max(...runs.map(r => r.finish));
        for (const part of [0.1, 0.37, 0.8]) {
            await page.fill("#scrub", `${1000 * part}`);
            const time = await page.evaluate(() => window.tori.replay.time);
            check(Math.abs(time / end - part) < 0.01, `the time is ${time}`);
            const owner = await page.evaluate(() => [...window.tori.replay.owner]);
            const expected = new Array(64).fill(0);
            for (const r of runs) if (r.start <= time && time < r.finish) for (const id of r.nodes) expected[id] = r.id;
            equal(owner, expected, `who is where at ${time}`);
            const waiting = runs.filter(r => r.submit <= time && time < r.start).length;
            equal(await page.locator("#waiting tr").count(), waiting, "waiting jobs");
        }
        await page.click("#play");
        const before = await page.textContent("#clock");
        await page.waitForFunction(was => document.getElementById("clock").textContent !== was, before);
        await page.click("#play");
        await page.addScriptTag({ content: readFileSync(need.resolve("axe-core/axe.min.js"), "utf8") });
        equal(await lookAtAll(page, "report", () => true), [], "what keeps people out");
        await page.context().close();
    },

    async "cubes of a pod are apart, and joined faces are lit"(world) {
        const name = "pod:8/4x4x4", { at, socket, stop } = await start(name, "pod");
        try {
            const ids = [["8x4x4", "torus"], ["4x4x4", "torus"], ["6x4x4", "mesh"], ["8x4x4", "twisted"], ["2x2x2", "none"]].map(([shape, wiring]) =>
                Number(tori("submit", "--socket", socket, "--shape", shape, "--wiring", wiring, "--time", "2h", "--", "true")));
            const reader = token("reader", "pod");
            const page = await newPage(world);
            await signIn(page, at, reader);
            await page.waitForFunction(n => window.tori?.world().running.length === n, ids.length);
            await checkPod(page, name, ids, await (await fetch(`${at}/v1/nodes?limit=1000`, { headers: { Authorization: `Bearer ${reader}` } })).json());
            await page.context().close();
        } finally {
            await stop();
        }
    },

    async "moves are shown before and after, with what they cost"(world) {
        const { at, socket, stop } = await start("mesh:4x4", "moves"), submit = (...words) => Number(tori("submit", "--socket", socket, "--time", "2h", ...words, "--", "true"));
        try {
            for (let i = 0; i < 4; i++) submit("--shape", "1x4", "--no-rotate");
            for (const id of [1, 3]) tori("cancel", "--socket", socket, String(id));
            const id = submit("--shape", "2x4", "--no-rotate"), page = await newPage(world);
            const operator = token("operator", "moves");
            await signIn(page, `${at}/#/job/${id}`, operator);
            await page.click("#make-room");
            await page.waitForSelector("#answer input[type=radio]");
            const { moves, nodes_moved, place } = JSON.parse(tori("defrag", "--socket", socket, "--for", String(id), "--json"));
            const answer = await page.textContent("#answer");
            check(answer.includes("With the moves it starts at once; without them it starts at "), `what is gained: ${answer}`);
            check(answer.includes(`Room at ${place}`) && answer.includes(`${moves.length} job`) && answer.includes(`${nodes_moved} nodes`), `"${answer}", not ${JSON.stringify(moves)}`);
            const owner = () => page.evaluate(() => [...window.tori.scene.owner]), before = await owner();
            await page.check("#answer label:has-text('after') input");
            const after = await owner(), moved = moves[0].job;
            check(before.includes(moved) && after.includes(moved) && JSON.stringify(before) !== JSON.stringify(after), "the job moves in the picture");
            await page.screenshot({ path: join(pictures, "room.png") });
            // An operator carries it out, with a reason; a user only looks.
            const other = await newPage(world);
            await signIn(other, `${at}/#/job/${id}`, token("user", "moves"));
            await other.click("#make-room");
            await other.waitForSelector("#answer input[type=radio]");
            check(!await other.$("#apply-room"), "a user may move jobs");
            await other.context().close();
            await page.fill("#apply-room input[name=why]", "a deadline");
            await page.click("#apply-room button");
            await page.waitForFunction(text => document.getElementById("answer").textContent.includes(text), `moved to make room for job ${id}.`);
            await page.waitForFunction(job => window.tori.world().running.some(r => r.id === job), id);
            equal(await owner(), after.map((job, node) => job || (before[node] === moved || !before[node] ? id : 0)), "where all are then");
            check(tori("show", "--socket", socket, String(moved)).includes(`it made room for job ${id}: a deadline`), "the reason");
            // The same plan is refused now, and the page says so.
            const again = await (await fetch(new URL("/v1/moves", page.url()), { method: "POST", headers: { Authorization: `Bearer ${operator}`, "Content-Type": "application/json" }, body: JSON.stringify({ moves }) })).json();
            check(again.error.message.includes("is elsewhere by now"), `the plan is void: ${JSON.stringify(again)}`);
            await page.context().close();
        } finally {
            await stop();
        }
    },

    async "a job is suspended, resumed and requeued, its output is shown, and history is filtered"(world) {
        const { at, socket, stop } = await start("torus:4x4", "local", "torid-local");
        const submit = (...words) => Number(tori("submit", "--socket", socket, "--time", "1h", "--count", "4", ...words));
        try {
            const out = join(files, "written"), id = submit("--output", out, "--", "sh", "-c", "echo begun; exec sleep 1000");
            await until(() => existsSync(out) && readFileSync(out, "utf8") === "begun\n", "it does not run");
            const page = await newPage(world);
            await signIn(page, `${at}/#/job/${id}`, token("operator", "local"));
            await page.click("#output");
            await page.waitForSelector("#output-text");
            equal(await page.textContent("#output-text"), "begun\n", "the output");
            await page.screenshot({ path: join(pictures, "output.png") });
            const says = text => page.waitForFunction(what => document.getElementById("card").textContent.includes(what), text);
            await page.click("#suspend");
            await says("suspended");
            await page.click("#resume");
            await page.waitForSelector("#suspend");
            await page.click("#requeue");
            await page.fill("#answer input[name=why]", "wrong input");
            await page.click("#answer button:has-text('Requeue')");
            await says("wrong input");
            await page.waitForFunction(() => /requeue by operator: wrong input.*suspend by operator/s.test(document.getElementById("changes")?.textContent));
            await says("attempt");
            await until(() => readFileSync(out, "utf8") === "begun\nbegun\n", "it does not run again");
            const bad = submit("--output", "none", "--name", "breaks", "--", "false");
            await until(() => tori("show", "--socket", socket, String(bad)).includes("ended"), "it does not end");
            tori("cancel", "--socket", socket, String(id));
            await until(() => tori("show", "--socket", socket, String(id)).includes("ended"), "it does not end");
            await go(page, "#/history");
            const rows = async wanted => page.waitForFunction(ids => JSON.stringify([...document.querySelectorAll("#list tbody a")].map(a => Number(a.hash.slice(6)))) === JSON.stringify(ids), wanted);
            await rows([id, bad]);
            await page.selectOption("#past select[name=outcome]", "failed");
            await rows([bad]);
            await page.selectOption("#past select[name=outcome]", "");
            await page.fill("#past input[name=search]", "breaks");
            await rows([bad]);
            check(await page.evaluate(() => document.activeElement.name === "search"), "the field that is typed into stays");
            await page.fill("#past input[name=search]", "");
            await page.fill("#past input[name=until]", "2000-01-01");
            await rows([]);
            await page.screenshot({ path: join(pictures, "past.png") });
            await page.context().close();
        } finally {
            await stop();
        }
    },

    async "a page that was just opened knows what has happened"(world) {
        const page = await newPage(world);
        await signIn(page, `${base}/#/events`, world.operator);
        for (const row of ["submitted", "started"]) await page.waitForSelector(`#list tr:has-text("${row}"):has(a[href="#/job/1"])`);
        await page.waitForSelector("#list tr:has-text('drain'):has-text('fan broken'):has(a[href='#/node/7,7,6'])");
        const times = await page.locator("#list tbody td:first-child").allTextContents();
        check(times.length > 5 && times.every((time, i) => i === 0 || time <= times[i - 1]), `the last is not first: ${times}`);
        await page.context().close();
    },

    async "rules of the service are shown"(world) {
        const page = await newPage(world), now = Math.floor(Date.now() / 1000), shows = text => page.waitForSelector(`.view:not([hidden]) :text("${text}")`);
        const limits = { queued: 0, running: 0, nodes: 0, rate: 0 }, answers = {
            "/v1/queues": { queues: [{ queue: "night", priority: 5, tier: 0, preempted: "requeue", max_time: 5400, max_nodes: 64, limits, user_limits: { ...limits, running: 2, nodes: 128 },
                allow: ["ada", "@physics"], deny: ["bob"], on: ["0,0,0/4x8x8"], hours: "Mon-Fri 20:00-06:00", queued: 1, running: 0, nodes: 0 }] },
            "/v1/users": { users: [{ user: "ada", queued: 0, running: 1, nodes: 64, usage: 460800, share: 1, penalty: 100, account: "physics" }],
                accounts: [{ account: "physics", shares: 3, target: 0.75, usage: 460800, share: 1 }] },
            "/v1/reservations": { reservations: [{ id: 7, name: "", from: now + 3600, until: now + 7200, every: "Mon 08:00-10:00", box: "0,0,0/1x8x8", users: ["ada"], groups: ["physics"], times: [{ from: now + 3600, until: now + 7200 }, { from: now + 90000, until: now + 93600 }] }] },
            "/v1/jobs/99": { id: 99, user: "ada", state: "ended", shape: "2x2x2", time_limit: 60, submit: now - 100, start: now - 90, end: now - 30, attempt: 3, status: 1, why: "cancelled", stop_reason: "the door was open", place: { box: "0,0,0/2x2x2" } } };
        for (const [path, json] of Object.entries(answers)) await page.route(`**${path}`, route => route.fulfill({ json }));
        await signIn(page, `${base}/#/queues`, world.operator);
        for (const text of ["2 running, 128 nodes", "ada @physics, not bob", "0,0,0/4x8x8", "Mon-Fri 20:00-06:00", "1 h 30 min", "64 nodes"]) await shows(text);
        await go(page, "#/users");
        for (const text of ["physics", "128", "75 %"]) await shows(text);
        await go(page, "#/reservations");
        for (const text of ["Mon 08:00-10:00", "ada, @physics"]) await shows(text);
        await go(page, "#/time");
        await page.waitForFunction(() => document.querySelectorAll("#gantt .bar.kept").length === 2);
        equal(await page.locator("#gantt .bar.kept text").allTextContents(), ["reservation 7", "reservation 7"], "a name for one without");
        await go(page, "#/job/99");
        await shows("the door was open");
        await page.context().close();
    },

    async "a page that was just opened looks back"({ browser, operator }) {
        const { samples } = await ask("/v1/history", operator);
        check(samples.length > 0 && samples.every(s => s.busy + s.free <= 512 && s.largest <= s.free), `samples: ${JSON.stringify(samples)}`);
        const context = await browser.newContext({ viewport: screen });
        const page = await context.newPage();
        // Two days, in pages, the second without torid between noon and night.
        const now = Math.floor(Date.now() / 60000) * 60, old = [];
        for (let t = now - 2 * 86400; t <= now; t += t < now - 86400 ? 900 : 60)
            if (t < now - 20 * 3600 || t > now - 14 * 3600)
                old.push({ time: t, busy: 256 + Math.round(200 * Math.sin(t / 20000)), free: 256 - Math.round(200 * Math.sin(t / 20000)), queued: Math.round(4 + 4 * Math.cos(t / 30000)), running: 3, largest: 64 });
        await page.route("**/v1/history?*", route => {
            const query = new URL(route.request().url()).searchParams;
            const rest = old.filter(s => s.time > Number(query.get("after"))), some = rest.slice(0, 1000);
            void route.fulfill({ json: { samples: some, ...(rest.length > 1000 ? { next: some[999].time } : {}) } });
        });
        await signIn(page, `${base}/#/time`, operator);
        await page.selectOption("#span", "86400");
        const drawn = () => page.evaluate(() => window.tori?.history.plot.data.map(column => [...column]));
        await until(async () => (await drawn())?.[0].length > 1000, "the history is not drawn");
        const [times, busy] = await drawn();
        check(times[0] >= now - 86400 - 900 && times[1] >= now - 86400, "a day is shown");
        equal(busy.filter(value => value === null).length, 1, "gaps");
        for (const s of old.filter(s => s.time > now - 86000).slice(0, 99))
            equal(busy[times.indexOf(s.time)], 100 * s.busy / 512, `busy at ${s.time}`);
        await page.selectOption("#span", `${14 * 86400}`);
        equal((await drawn())[0][0], old[0].time, "the first of two weeks");
        check((await page.getAttribute("#history", "aria-label")).includes("The largest free box has 64 nodes."), "it is said in words");
        await page.screenshot({ path: join(pictures, "history.png"), fullPage: true });
        const largest = await page.evaluate(() => [448, 449].map(busy => {
            window.tori.history.show(busy, 512 - busy, 0, 1);
            return window.tori.history.plot.data[2].at(-1);
        }));
        equal(largest, [12.5, null], "a box of 64 among 64 free nodes, and among 63");
        await context.close();
    },

    async "when torid is away, the dashboard is grey and says how old it is"({ browser }) {
        // In front of torid, so that it can come back at the same address.
        let torid = await start("torus:4x4", "away"), there = true;
        const front = createProxy(c => {
            if (!there) return c.destroy();
            const to = connect(new URL(torid.at).port, "127.0.0.1");
            for (const [one, other] of [[c, to], [to, c]]) one.pipe(other).on("error", () => undefined).on("close", () => one.destroy());
        });
        await new Promise(done => front.listen(0, "127.0.0.1", done));
        const bearer = token("operator", "away"), page = await browser.newPage({ viewport: screen });
        try {
            await signIn(page, `http://127.0.0.1:${front.address().port}/#/node/0,0`, bearer);
            await page.click("#drain");
            await page.fill("#answer input[name=why]", "fan");
            there = false;
            await torid.stop();
            await page.waitForFunction(() => document.body.classList.contains("away") && /^torid does not answer. This is .* old.$/.test(document.getElementById("live").textContent));
            await page.click("#answer button");
            await page.waitForFunction(() => document.getElementById("answer").textContent === "torid does not answer.");
            await page.screenshot({ path: join(pictures, "away.png") });
            torid = await start("torus:4x4", "away");
            there = true;
            await page.waitForFunction(() => !document.body.classList.contains("away") && document.getElementById("live").textContent === "live" && document.getElementById("answer").textContent === "");
        } finally {
            await page.context().close();
            front.close();
            await torid.stop();
        }
    },

    async "who has no token is asked for one"({ browser, operator }) {
        const context = await browser.newContext();
        const page = await context.newPage();
        page.setDefaultTimeout(patience);
        await page.goto(base);
        const blocked = [];
        page.on("console", message => message.text().includes("Content Security Policy") && blocked.push(message.text()));
        await page.fill("input[name=token]", "tori_wrong");
        await page.click("button:has-text('Sign in')");
        await page.waitForSelector(".signin .error:not(:empty)");
        equal(await page.textContent(".signin .error"), "this token or code is not known, or is no longer good", "what is said of a wrong token");
        await page.fill("input[name=token]", operator);
        await page.click("button:has-text('Sign in')");
        await page.waitForFunction(() => window.tori?.world().running.length > 0);
        equal(new URL(page.url()).search, "", "the token is not in the address");
        const [cookie] = await context.cookies();
        check(!cookie.value.includes(operator) && cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
        equal(blocked, [], "what the policy forbids");
        check((await page.textContent("#who")).startsWith("operator (operator)"), "who it is");
        await page.click("#sign-out");
        await page.waitForSelector("input[name=token]");
        equal(await context.cookies(), [], "cookies after signing out");
        await context.close();
    },

    async "a code in the address signs in, once"({ browser }) {
        const code = execFileSync(join(build, "torid"), ["token", "code", "operator", "--state", join(files, "state")], { env, encoding: "utf8" }).trim();
        for (const good of [true, false]) {
            const context = await browser.newContext(), page = await context.newPage();
            page.setDefaultTimeout(patience);
            // The link opens the dashboard again where it has signed in.
            for (const link of good ? [code, code] : [code]) {
                await page.goto("about:blank");
                await page.goto(`${base}/#code=${link}`);
                if (good) await page.waitForFunction(() => window.tori?.world().running.length > 0);
                else await page.waitForSelector(".signin .error:not(:empty)");
                equal(new URL(page.url()).hash, "", "the code is not in the address");
            }
            await context.close();
        }
    },

    // A page on another port is the same site, so that its requests have the cookie.
    async "the page of another port can neither change, nor read, nor frame anything"({ browser, operator, waiting }) {
        const other = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<p>elsewhere</p>"));
        await new Promise(done => other.listen(0, "127.0.0.1", done));
        const context = await browser.newContext(), page = await context.newPage();
        try {
            await signIn(page, base, operator);
            await page.goto(`http://127.0.0.1:${other.address().port}/`);
            await page.evaluate(async ([at, id]) => {
                const job = JSON.stringify({ count: 1, estimate: 60, command: ["true"], name: "smuggled", hold: true });
                const tries = [["/v1/jobs", { method: "POST", body: job }], ["/v1/jobs", { method: "POST", body: job, headers: { "Content-Type": "application/json" } }],
                    [`/v1/jobs/${id}`, { method: "DELETE" }]];
                for (const [path, more] of tries) await fetch(at + path, { credentials: "include", mode: "no-cors", ...more }).catch(() => undefined);
                for (const [path, more] of tries) await fetch(at + path, { credentials: "include", ...more }).catch(() => undefined);
                const frame = document.body.appendChild(document.createElement("iframe"));
                const gone = new Promise(done => (frame.onload = done));
                frame.src = at;
                await gone;
            }, [base, waiting]);
            const jobs = (await ask("/v1/jobs?limit=1000", operator)).jobs;
            equal(jobs.filter(job => job.name === "smuggled"), [], "a job of another page");
            equal(jobs.find(job => job.id === waiting).state, "queued", "its state");
            const framed = page.frames().find(frame => frame !== page.mainFrame());
            check(!(await framed.content().catch(() => "")).includes("tori</h1>"), "it is framed");
        } finally {
            await context.close();
            other.close();
        }
    },

    async "a test that is killed, or whose browser ends, is over at once, and nothing of it is left"() {
        const isFile = (pid, name, is) => {
            try {
                return is(readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0"));
            } catch {
                return false; // not a process, or not any more
            }
        };
        const left = () => readdirSync("/proc").filter(pid => isFile(pid, "environ", all => all.includes(`TORI_KILLED=${files}`)));
        const isBrowser = pid => isFile(pid, "cmdline", words => words[0].includes("chromium") && !words.some(word => word.startsWith("--type=")));
        for (const [which, last] of [[() => left().find(isBrowser), "Bail out! the browser has ended\n"], [test => test, ""]]) {
            let said = "";
            const guarded = spawn("python3", [join(web, "../tests/system/guard.py"), process.execPath, join(web, "tests/killed.mjs"), build], { env: { ...process.env, TORI_KILLED: files }, stdio: ["ignore", "pipe", "inherit"] });
            const closed = new Promise(done => guarded.on("close", done));
            guarded.stdout.on("data", more => (said += more));
            await until(() => said.endsWith("\n"), "it does not begin");
            check(left().length > 6, `only ${left().length} processes`); // two guards, node, torid, its executor, the browser and its helpers
            const test = Number(said);
            process.kill(which(test), "SIGKILL");
            check(await closed > 0, "it passes"); // nothing has its output open
            equal(said, `${test}\n${last}`, "what it says");
            await until(() => left().length === 0, "some are still there");
        }
    },
};
