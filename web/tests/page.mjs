// Usage: tests/system/guard.py node page.mjs BUILD [TEXT]
// The dashboard in a real browser, with a real torid behind it: all tests, or those
// whose name contains TEXT. In TAP; pictures go to BUILD/pictures.
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { alone } from "./alone.mjs";
import { ask, atLoss, base, browse, build, check, chromium, equal, go, newPage, patience, pictures, signIn, startShared, submit, token, tori, until, web } from "./world.mjs";

// They share one page, so each begins where the one before it ends.
const tests = {
    async "as many cells as nodes"({ page }) {
        equal(await page.evaluate(() => window.tori.scene.cells), 512, "cells");
        await page.selectOption("#slice-dim", "1");
        await page.fill("#slice-at", "3");
        equal(await page.evaluate(() => window.tori.scene.cells), 64, "cells of a slice");
        await page.fill("#slice-at", "-1");
    },

    async "every node is of the job that the service says"({ page, operator }) {
        const { nodes } = await ask("/v1/nodes?limit=1000", operator);
        const owner = await page.evaluate(() => [...window.tori.world().owner]);
        for (const node of nodes) equal(owner[node.id] || null, node.job ?? null, `job of node ${node.node}`);
    },

    async "a node has the colour of its job"({ page }) {
        await page.fill("#explode", "1"); // more of them are seen
        const found = await page.evaluate(() => {
            const { scene } = window.tori, { running, owner } = window.tori.world(), gl = scene.renderer.getContext();
            const { clientWidth: w, clientHeight: h, width } = document.getElementById("scene");
            const hue = ([r, g, b]) => Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b);
            const ofJob = id => hue(document.querySelector(`tr[data-job="${id}"] .swatch`).style.background.match(/\d+/g).map(Number));
            const apart = (a, b) => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));
            scene.renderer.render(scene.scene, scene.camera);
            return Array.from(owner, (job, node) => {
                // In its middle, where a ball is as thick as a cube.
                const { x, y } = scene.project(node), pixel = new Uint8Array(4);
                if (!job || scene.pick(x, y) !== node) return null;
                gl.readPixels(Math.round((x * width) / w), Math.round(((h - y) * width) / w), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
                const nearest = running.map(j => [apart(ofJob(j.id), hue(pixel)), j.id]).sort((a, b) => a[0] - b[0])[0][1];
                return pixel[3] === 255 ? [job, nearest] : null;
            }).filter(pair => pair !== null);
        });
        const right = found.filter(([job, nearest]) => job === nearest).length;
        check(found.length > 60 && right > 0.95 * found.length, `${right} of ${found.length} have it: ${JSON.stringify(found)}`);
        await page.fill("#explode", "0.15");
    },

    async "hovering and clicking name the right job"({ page, operator }) {
        const { nodes } = await ask("/v1/nodes?limit=1000", operator);
        const box = await page.locator("#scene").boundingBox();
        let named = 0;
        for (let i = 0; i < 40; i++) {
            const x = box.width * (0.2 + 0.6 * ((i * 7) % 40) / 40), y = box.height * (0.2 + 0.6 * ((i * 13) % 40) / 40);
            const id = await page.evaluate(([x, y]) => window.tori.scene.pick(x, y), [x, y]);
            if (id < 0) continue;
            await page.mouse.move(box.x + x, box.y + y);
            const said = await page.textContent("#hover");
            const node = nodes[id];
            check(said.startsWith(`${node.node}: `), `"${said}" for node ${node.node}`);
            if (!node.job) continue;
            check(said.includes(`job ${node.job} `), `"${said}", not job ${node.job}`);
            named++;
            if (named % 5) continue;
            await page.mouse.click(box.x + x, box.y + y);
            await page.waitForSelector(`tr.selected[data-job="${node.job}"]`);
        }
        check(named >= 5, `only ${named} nodes with jobs were met`);
    },

    async "a job that waits says why, what is in the way and where it will start"({ page, operator, waiting }) {
        await page.click("#tab-queued");
        await page.click(`tr[data-job="${waiting}"] a`);
        await page.waitForSelector("#card h3");
        const { jobs: [why] } = await ask(`/v1/jobs/${waiting}/why`, operator);
        const { waits } = await ask(`/v1/jobs/${waiting}`, operator), row = await page.textContent(`tr[data-job="${waiting}"]`);
        check(waits && row.includes(waits), `"${row}" does not have "${waits}"`);
        const card = await page.textContent("#card");
        check(card.includes(why.text), `"${card}" does not have "${why.text}"`);
        // The nearest place is the one that the command names; its outline is in the picture.
        const nodesOf = box => box.split("/")[1].split("x").reduce((all, side, i) => all.flatMap(id => Array.from({ length: Number(side) }, (_, k) => 8 * id + (Number(box.split("/")[0].split(",")[i]) + k) % 8)), [0]);
        const command = tori("why", String(waiting)).split("\n").find(line => line.includes("nearest place: ")).trim();
        check(why.blockers.length > 0 && why.down.length > 0, `what is in the way: ${JSON.stringify(why)}`);
        equal([await page.textContent("#nearest"), await page.evaluate(() => window.tori.scene.nearest)], [command, nodesOf(why.place)], "the nearest place");
        const { place } = (await ask("/v1/forecast", operator)).jobs.find(job => job.id === waiting);
        check(card.includes(`on ${place}.`), `"${card}" does not have ${place}`);
        equal(await page.evaluate(() => window.tori.scene.linked), nodesOf(place), "where it will start");
        await page.screenshot({ path: join(pictures, "why.png") });
        // The page and the command name the same remedies.
        await page.click("#make-room");
        await page.waitForFunction(() => !["", "Looking for moves…"].includes(document.getElementById("answer").textContent));
        const answer = await page.textContent("#answer");
        check(!await page.$("#answer .error"), `no room is made: ${answer}`);
        let moves;
        try {
            moves = tori("defrag", "--for", String(waiting), "--json");
        } catch (refused) {
            moves = refused.stdout;
        }
        check(JSON.parse(moves).possible === !answer.includes("No moves would make room."), `"${answer}", and the command: ${moves}`);
        tori("hold", String(waiting));
        await page.waitForFunction(id => document.querySelector(`tr[data-job="${id}"]`).textContent.includes("held"), waiting);
        equal(await page.textContent("#answer"), answer, "the answer stays when something happens");
        tori("release", String(waiting));
        // A job in the way may hold only links.
        await page.route("**/why", route => route.fulfill({ json: { jobs: [{ id: waiting, reason: "wiring", text: "its links are taken", place: "0,0,0/8x8x4", missing: 0, blockers: [{ job: 1, nodes: 0 }], down: [], helps: [] }] } }));
        await go(page, "#/");
        await go(page, `#/job/${waiting}`);
        await page.waitForFunction(() => document.getElementById("card").textContent.includes("nearest place: 0,0,0/8x8x4 lacks only links; in the way: job 1 (links)"));
        await page.unroute("**/why");
    },

    async "nobody can tell when some jobs start, and the time axis stays"({ page }) {
        const held = tori("submit", "--count", "1", "--time", "1h", "--hold", "--name", "held", "--", "true");
        const later = tori("submit", "--count", "1", "--time", "1h", "--after", `any:${held}`, "--name", "dependent", "--", "true");
        tori("reserve", "0,0,0/1x8x8", "--from", "+1h", "--for", "2h", "--name", "maintenance");
        await go(page, "#/");
        await page.click("#tab-queued");
        for (const id of [held, later]) {
            await page.waitForSelector(`tr[data-job="${id}"]`);
            check((await page.textContent(`tr[data-job="${id}"]`)).includes("open"), `job ${id} has a start`);
        }
        check(!(await page.textContent("#jobs")).includes("1970"), "1970 in the table");
        await go(page, "#/time");
        await page.waitForSelector("#gantt .bar.kept");
        const bars = await page.locator("#gantt .bar").allTextContents();
        check(bars.some(text => text.includes("maintenance")), `the reservation is not there: ${bars}`);
        check(!bars.some(text => text.includes("1970") || text.includes("held") || text.includes("dependent")), `bars: ${bars}`);
        const wide = await page.locator("#gantt .bar.runs rect").evaluateAll(all => all.map(bar => Number(bar.getAttribute("width"))));
        check(wide.every(width => width > 20), `bars of jobs that run: ${wide}`);
        for (const id of [later, held]) tori("cancel", id);
        await go(page, "#/");
    },

    async "every job and node has an address"({ page: first, waiting }) {
        const page = await first.context().newPage();
        page.setDefaultTimeout(patience);
        await page.goto(`${base}/#/job/${waiting}`);
        await page.reload();
        await page.waitForSelector(`tr.selected[data-job="${waiting}"]`);
        equal(await page.getAttribute("#tab-queued", "aria-selected"), "true", "its tab");
        await page.goto(`${base}/#/node/0,0,7`);
        await page.waitForFunction(() => document.getElementById("card-title").textContent === "Node 0,0,7");
        await go(page, "#/job/99999");
        await page.waitForFunction(() => document.getElementById("card").textContent.includes("There is no job 99999."));
        await page.goBack();
        await page.waitForFunction(() => document.getElementById("card-title").textContent === "Node 0,0,7");
        await page.close();
    },

    async "jobs are searched and filtered"({ page, waiting }) {
        await page.click("#tab-queued");
        await page.fill("#search", "no such job");
        await page.waitForFunction(() => document.querySelectorAll("tr[data-job]").length === 0);
        await page.fill("#search", "waits");
        await page.waitForSelector(`tr[data-job="${waiting}"]`);
        await page.fill("#search", "");
        const user = (await page.evaluate(() => window.tori.world().running[0].user));
        await go(page, "#/user/nobody-at-all");
        await page.waitForFunction(() => document.querySelectorAll("tr[data-job]").length === 0);
        await go(page, `#/user/${user}`);
        await page.waitForSelector(`tr[data-job="${waiting}"]`);
        await go(page, "#/");
    },

    async "a job is tested, submitted, changed, held and cancelled"({ page, operator }) {
        await go(page, "#/submit");
        await page.fill("input[name=name]", "by-hand");
        await page.fill("input[name=shape]", "8x8x4");
        await page.fill("input[name=command]", "sleep 10");
        equal(await page.locator("#submit").count(), 0, "buttons to submit what is not tested");
        await page.click("#list button:has-text('Test')");
        await page.waitForSelector("#submit");
        check((await page.textContent("#list")).includes("It would start "), "when it would start");
        await page.screenshot({ path: join(pictures, "submit.png") });
        await page.click("#submit");
        const id = Number((await page.textContent("#list a[href^='#/job/']")).split(" ")[1]);
        await page.click(`#list a[href='#/job/${id}']`);
        const is = (member, value) => until(async () => (await ask(`/v1/jobs/${id}`, operator))[member] === value, `${member} is not ${value}`);
        await page.click("#hold");
        await is("hold", "user");
        await page.click("#hold:has-text('Release')");
        await is("hold", undefined);
        await page.click("#change");
        await page.fill("#answer input[name=priority]", "-5");
        await page.fill("#answer input[name=time_limit]", "30m");
        await page.click("#answer button");
        await is("priority", -5);
        await is("time_limit", 1800);
        await page.click("#cancel");
        await page.click("#answer button:has-text('Keep it')");
        equal((await ask(`/v1/jobs/${id}`, operator)).state, "queued", "its state, as it was kept");
        await page.click("#cancel");
        await page.click("#confirm");
        await is("state", "ended");
        await page.waitForFunction(() => document.getElementById("card").textContent.includes("cancelled"));
        await go(page, "#/history");
        await page.waitForSelector(`#list a[href='#/job/${id}']`);
        await go(page, "#/");
    },

    async "a job and a drain arrive by themselves"({ page }) {
        await page.click("#tab-running");
        const id = tori("submit", "--count", "2", "--time", "10m", "--name", "new", "--", "true");
        await page.waitForSelector(`tr[data-job="${id}"]`);
        tori("drain", "7,7,7");
        await page.waitForFunction(() => window.tori.world().broken.get(511)?.state === "drained");
        await go(page, "#/events");
        await page.waitForSelector(`#list a[href='#/job/${id}']`);
        await page.waitForSelector("#list a[href='#/node/7,7,7']");
    },

    async "an operator resumes a node, and drains it with a reason"({ page, operator }) {
        await page.evaluate(() => window.tori.select({ node: 511 }));
        await page.click("#drain:has-text('Resume')");
        await page.waitForFunction(() => !window.tori.world().broken.has(511));
        await page.click("#drain:has-text('Drain')");
        await page.fill("#answer input[name=why]", "fan broken");
        await page.click("#answer button");
        await page.waitForFunction(() => window.tori.world().broken.has(511));
        equal((await ask("/v1/nodes/7,7,7", operator)).why, "fan broken", "the reason");
        await go(page, "#/nodes");
        await page.waitForSelector("#list td:has-text('fan broken')");
        await go(page, "#/changes");
        await page.waitForSelector("#list tr:has-text('7,7,7'):has-text('fan broken')");
        await go(page, "#/nodes");
        await page.fill("#forms input[name=nodes]", "7,7,0/1x1x2");
        await page.fill("#forms input[name=why]", "a plane");
        await page.click("#forms button:has-text('Drain')");
        await page.waitForFunction(() => window.tori.world().broken.size === 4);
        await page.waitForSelector("#list tr:has-text('a plane'):has(a[href='#/node/7,7,0']):has(a[href='#/node/7,7,1'])"); // one row for both
        for (const node of ["7,7,0", "7,7,1", "7,7,7"]) tori("resume", node);
        await go(page, "#/");
    },

    async "a reader may look, and sees nothing else to do"({ browser, reader, waiting }) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await signIn(page, base, reader);
        await page.waitForFunction(() => window.tori?.world().running.length > 0);
        for (const to of [{ node: 0 }, { job: 1 }, { job: waiting }]) {
            await page.evaluate(what => window.tori.select(what), to);
            equal(await page.locator(".card button").allTextContents(), to.job === waiting ? ["Make room"] : [], `buttons on the card of ${JSON.stringify(to)}`);
        }
        await page.click("#make-room");
        await page.waitForFunction(() => !["", "Looking for moves…"].includes(document.getElementById("answer").textContent));
        check(!await page.$("#answer .error"), "a reader may ask");
        equal(await page.locator("#views a[href='#/submit']").count(), 0, "links to submit");
        const refused = await page.evaluate(async () => (await fetch("/v1/jobs/1", { method: "DELETE" })).status);
        equal(refused, 403, "a reader who asks anyway");
        await context.close();
    },

    async "keys reach everything"({ page, waiting }) {
        await page.click("#tab-queued");
        await page.focus(`tr[data-job="${waiting}"] a`);
        await page.keyboard.press("Enter");
        await page.waitForSelector(`tr.selected[data-job="${waiting}"]`);
        await page.focus(`tr[data-job="${waiting}"] a`);
        const id = Number(tori("submit", "--count", "1", "--time", "10m", "--", "true"));
        await page.waitForFunction(id => document.querySelector("#tab-running") && window.tori.world().running.some(job => job.id === id), id);
        equal(await page.evaluate(() => document.activeElement.closest("tr")?.dataset.job), String(waiting), "who is at a row stays there");
        const box = await page.locator("#scene").boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2, { steps: 3 });
        await page.mouse.up();
        equal(await page.getAttribute("tr.selected", "data-job"), String(waiting), "turning selects nothing");
        await page.focus("#scene");
        const before = await page.evaluate(() => window.tori.scene.project(0));
        await page.keyboard.press("ArrowLeft");
        await page.waitForFunction(([x]) => Math.abs(window.tori.scene.project(0).x - x) > 1, [before.x]);
    },
};

// Carry out tests one after the other, until there are no more; others may do the
// same.
async function carryOut(world, some, report) {
    for (let next = some.shift(); next; next = some.shift()) {
        const [name, test] = next, begun = Date.now();
        underWay.add(name);
        const problem = await test(world).then(() => "", error => String(error.message));
        underWay.delete(name);
        report(name, problem, (Date.now() - begun) / 1000);
    }
}

const underWay = new Set();

async function begin() {
    await startShared();
    tori("drain", "7,7,6", "--why", "fan broken");
    const world = { waiting: submit(), operator: token("operator"), reader: token("reader"), said: [] };
    world.browser = await browse();
    world.page = await newPage(world, { bypassCSP: true });
    await signIn(world.page, base, world.operator);
    await world.page.waitForFunction(() => window.tori?.world().running.length > 0);
    return world;
}

// What is not here, of what the tests need.
function missing() {
    if (!chromium) return "chromium is not installed";
    if (statSync(join(build, "web/page.html.gz")).size === 0) return "there is no page";
    try {
        execFileSync(join(web, "fetch"), [join(build, "web/npm"), "playwright-core", "axe-core"], { stdio: "inherit" });
    } catch {
        return "npm's packages cannot be had";
    }
    return "";
}

async function main() {
    const lacks = missing();
    if (lacks) {
        console.log(`1..0 # SKIP ${lacks}`);
        return 0;
    }
    mkdirSync(pictures, { recursive: true });
    const wanted = of => Object.entries(of).filter(([name]) => name.includes(process.argv[3] ?? ""));
    const own = wanted(tests), others = wanted(alone), clean = { "the console is clean": async ({ said }) => equal(said, [], "what was said") };
    let done = 0, failed = 0;
    const report = (name, problem, took) => {
        failed += problem ? 1 : 0;
        console.log(`${problem ? "not ok" : "ok"} ${++done} - ${name}\n# ${took.toFixed(1)} s${problem && `\n# ${problem.replaceAll("\n", "\n# ")}`}`);
    };
    atLoss.push(what => [...underWay].forEach(name => report(name, what, 0)));
    const world = await begin(), more = () => carryOut(world, others, report);
    console.log(`1..${own.length + others.length + 1}`);
    await Promise.all([carryOut(world, own, report).then(more), more(), more()]);
    await carryOut(world, Object.entries(clean), report);
    return failed ? 1 : 0;
}

process.exit(await main());
