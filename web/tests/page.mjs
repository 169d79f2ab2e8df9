// Usage: page.mjs BUILD
// The page in a real browser, with a real torid behind it. In TAP; pictures go
// to BUILD/pictures.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const build = resolve(process.argv[2]);
// The packages are where the page was bundled.
const need = createRequire(join(build, "web/npm/package.json"));
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const files = mkdtempSync(join(tmpdir(), "tori-page-"));
const pictures = join(build, "pictures");
const port = 4 * (3000 + process.pid % 4000); // below those that connections get, and two more
const base = `http://127.0.0.1:${port}`;
const env = { ...process.env, TORI_SOCKET: join(files, "state/socket") };

const tori = (...words) => execFileSync(join(build, "tori"), words, { env, encoding: "utf8" }).trim();
const sleep = ms => new Promise(done => setTimeout(done, ms));

function check(is, what) {
    if (!is) throw new Error(what);
}

function equal(found, expected, what) {
    check(JSON.stringify(found) === JSON.stringify(expected), `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

async function until(true_, what) {
    for (let i = 0; i < 300; i++) {
        if (await true_()) return;
        await sleep(100);
    }
    throw new Error(what);
}

// ---- a torid with jobs ----

function start(machine, state, port) {
    return spawn(join(build, "torid"), ["--machine", machine, "--state", join(files, state), "--listen", `127.0.0.1:${port}`,
        "--executor", `${join(build, "torid-rehearse")} --jobs ${join(files, `${state}-acts`)}`], { env, stdio: ["ignore", "ignore", "inherit"] });
}

function submit() {
    for (const shape of ["4x8x4", "4x4x4", "2x8x2"]) tori("submit", "--shape", shape, "--time", "2h", "--name", `box-${shape}`, "--", "true");
    tori("submit", "--count", "100", "--time", "1h", "--name", "scattered", "--", "true");
    return Number(tori("submit", "--shape", "8x8x4", "--wiring", "torus", "--time", "1h", "--name", "waits", "--", "true"));
}

const token = (role, state = "state") => execFileSync(join(build, "torid"), ["token", "add", role, "--role", role, "--state", join(files, state)], { env, encoding: "utf8" }).trim().split(/\s+/).pop();

async function ask(path, bearer) {
    const answer = await fetch(base + path, { headers: { Authorization: `Bearer ${bearer}` } });
    return answer.json();
}

async function signIn(page, at, bearer) {
    const answer = await page.context().request.post(`${at}/signin`, { data: { token: bearer } });
    equal(answer.status(), 200, "signing in");
    await page.goto(at);
}

// ---- a pod ----

// What libtori says that is joined for the jobs of a page, "DIM FROM TO".
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

const tests = {
    async "who has no token is asked for one"({ browser, operator }) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(base);
        const blocked = [];
        page.on("console", message => message.text().includes("Content Security Policy") && blocked.push(message.text()));
        await page.fill("input[name=token]", "tori_wrong");
        await page.click("button:has-text('Sign in')");
        await page.waitForSelector(".signin .error:not(:empty)");
        await page.fill("input[name=token]", operator);
        await page.click("button:has-text('Sign in')");
        await page.waitForFunction(() => window.tori?.world().running.length > 0);
        equal(new URL(page.url()).search, "", "the token is not in the address");
        const [cookie] = await context.cookies();
        check(!cookie.value.includes(operator) && cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
        equal(blocked, [], "what the policy forbids");
        await context.close();
    },

    async "a code in the address signs in, once"({ browser }) {
        const code = execFileSync(join(build, "torid"), ["token", "code", "operator", "--state", join(files, "state")], { env, encoding: "utf8" }).trim();
        for (const good of [true, false]) {
            const context = await browser.newContext(), page = await context.newPage();
            await page.goto(`${base}/#code=${code}`);
            if (good) await page.waitForFunction(() => window.tori?.world().running.length > 0);
            else await page.waitForSelector(".signin .error:not(:empty)");
            equal(new URL(page.url()).hash, "", "the code is not in the address");
            await context.close();
        }
    },

    // A page on another port is the same site, so that its requests have the cookie.
    async "the page of another port can neither change, nor read, nor frame anything"({ browser, operator, waiting }) {
        const other = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<p>elsewhere</p>"));
        await new Promise(done => other.listen(port + 3, "127.0.0.1", done));
        const context = await browser.newContext(), page = await context.newPage();
        try {
            await signIn(page, base, operator);
            await page.goto(`http://127.0.0.1:${port + 3}/`);
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

    async "as many cells as nodes"({ page }) {
        equal(await page.evaluate(() => window.tori.scene.cells), 512, "cells");
        await page.selectOption("#slice-dim", "1");
        await page.fill("#slice-at", "3");
        equal(await page.evaluate(() => window.tori.scene.cells), 64, "cells of a slice");
        await page.fill("#slice-at", "-1");
    },

    async "machines of any number of dimensions are unfolded"() {
        const { outputFiles: [file] } = need("esbuild").buildSync({ entryPoints: [join(build, "web/npm/src/machine.ts")], bundle: true, format: "esm", write: false });
        const { axesText, frames, parseMachine, positions } = await import(`data:text/javascript,${encodeURIComponent(file.text)}`);
        const ways = {
            "torus:64": "One dimension, in rows that go to and fro.", "mesh:5": "Dimension 0 to the right.", "mesh:16x12": "Dimension 0 to the right, 1 upwards.",
            "multitorus:8x8x8": "Dimension 0 to the right, 1 upwards, 2 to the front.",
            "torus:4x4x4x4": "Dimension 0 to the right, 1 upwards, 2 to the front; copies along 3 to the right.",
            "torus:8x8x8x8x2": "Dimension 0 to the right, 1 upwards, 2 to the front; copies along 3 to the right, 4 upwards.", "mesh:2^10": "", "torus:8x8u": "",
            "pod:64/4x4x4": "Dimension 1 to the right, 2 upwards, 3 to the front; cubes in rows, from the top.",
            "pod:4x4x4/4x4x4": "Dimension 3 to the right, 4 upwards, 5 to the front; cubes along 0 to the right, 1 upwards, 2 to the front.",
            "2*pod:64/4x4x4": "Dimension 2 to the right, 3 upwards, 4 to the front; cubes in rows, from the top; pods to the right.",
            "pod:6/4x2": "Dimension 1 to the right, 2 upwards; cubes in rows, from the top.",
        };
        for (const [text, way] of Object.entries(ways)) {
            const machine = parseMachine(text), at = positions(machine, 0.15), sum = [0, 0, 0];
            for (let i = 0; i < at.length; i++) sum[i % 3] += at[i];
            if (way) equal(axesText(machine), way, text);
            if (text !== "torus:64") check(sum.every(s => Math.abs(s) < 0.01 * machine.nodes), `${text} is not in the middle`);
            // No two nodes meet: in every unit cube there is at most one.
            const cells = new Set(Array.from({ length: machine.nodes }, (_, id) => [0, 1, 2].map(k => Math.floor(at[3 * id + k])).join()));
            equal(cells.size, machine.nodes, `${text}: places`);
            const cube = machine.sides.slice(machine.apart).slice(0, 3), copies = machine.nodes / cube.reduce((a, b) => a * b, 1);
            equal(frames(machine, at).length, cube.length === 3 ? 72 * copies : machine.apart ? 24 * copies : 0, `${text}: edges`);
        }
    },

    async "a machine of 262144 nodes is drawn by a few calls"({ browser, said }) {
        const torid = start("torus:64x64x64", "large", port + 1), socket = join(files, "large/socket");
        try {
            await until(() => existsSync(socket), "torid does not come");
            tori("submit", "--socket", socket, "--shape", "16x32x64", "--time", "2h", "--", "true");
            const page = await browser.newPage();
            page.on("console", message => said.push(message.text()));
            page.on("pageerror", error => said.push(error.message));
            await signIn(page, `http://127.0.0.1:${port + 1}`, token("reader", "large"));
            // The inside of the job is not drawn: all but two layers. Free nodes
            // are points, and so are the others where cubes would be slow.
            await page.waitForFunction(() => window.tori?.world().running.length > 0
                && window.tori.scene.cost.points + window.tori.scene.cost.triangles / 12 === 262144 - 12 * 28 * 60);
            const [cells, { calls }] = await page.evaluate(() => [window.tori.scene.cells, window.tori.scene.cost]);
            equal(cells, 262144, "cells");
            check(calls <= 6, `${calls} calls`);
            await page.close();
        } finally {
            torid.kill();
        }
    },

    async "cubes of a pod are apart, and joined faces are lit"({ browser, said }) {
        const name = "pod:8/4x4x4", torid = start(name, "pod", port + 2), socket = join(files, "pod/socket");
        try {
            await until(() => existsSync(socket), "torid does not come");
            const ids = [["8x4x4", "torus"], ["4x4x4", "torus"], ["6x4x4", "mesh"], ["8x4x4", "twisted"], ["2x2x2", "none"]].map(([shape, wiring]) =>
                Number(tori("submit", "--socket", socket, "--shape", shape, "--wiring", wiring, "--time", "2h", "--", "true")));
            const reader = token("reader", "pod"), at = `http://127.0.0.1:${port + 2}`;
            const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
            page.on("console", message => said.push(message.text()));
            page.on("pageerror", error => said.push(error.message));
            await signIn(page, at, reader);
            await page.waitForFunction(n => window.tori?.world().running.length === n, ids.length);
            await checkPod(page, name, ids, await (await fetch(`${at}/v1/nodes?limit=1000`, { headers: { Authorization: `Bearer ${reader}` } })).json());
            await page.close();
        } finally {
            torid.kill();
        }
    },

    async "every node is of the job that the service says"({ page, operator }) {
        const { nodes } = await ask("/v1/nodes?limit=1000", operator);
        const owner = await page.evaluate(() => [...window.tori.world().owner]);
        for (const node of nodes) equal(owner[node.id] || null, node.job ?? null, `job of node ${node.node}`);
    },

    async "a node has the colour of its job"({ page }) {
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

    async "a job that waits says why, and who is in the way"({ page, operator, waiting }) {
        await page.click(`tr[data-job="${waiting}"] button`);
        await page.waitForSelector("#card h3");
        const { jobs: [why] } = await ask(`/v1/jobs/${waiting}/why`, operator);
        const { waits } = await ask(`/v1/jobs/${waiting}`, operator), row = await page.textContent(`tr[data-job="${waiting}"]`);
        check(waits && row.includes(waits), `"${row}" does not have "${waits}"`);
        const card = await page.textContent("#card");
        check(card.includes(why.text), `"${card}" does not have "${why.text}"`);
        for (const blocker of why.blockers) check(card.includes(`job ${blocker.job} `), `blocker ${blocker.job} is not on the card`);
        await page.screenshot({ path: join(pictures, "why.png") });
        await page.click("#make-room");
        await page.waitForSelector("#answer :first-child");
        const answer = await page.textContent("#answer");
        check(!await page.$("#answer .error"), `no room is made: ${answer}`);
        tori("hold", String(waiting));
        await page.waitForFunction(id => document.querySelector(`tr[data-job="${id}"]`).textContent.includes("held"), waiting);
        equal(await page.textContent("#answer"), answer, "the answer stays when something happens");
        tori("release", String(waiting));
    },

    async "a page that was just opened looks back"({ browser, operator }) {
        const { samples } = await ask("/v1/history", operator);
        check(samples.length > 0 && samples.every(s => s.busy + s.free <= 512 && s.largest <= s.free), `samples: ${JSON.stringify(samples)}`);
        const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
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
        await signIn(page, base, operator);
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

    async "a job and a drain arrive within a second"({ page }) {
        const id = tori("submit", "--count", "2", "--time", "10m", "--name", "new", "--", "true");
        await page.waitForSelector(`tr[data-job="${id}"]`, { timeout: 5000 });
        tori("drain", "7,7,7");
        await page.waitForFunction(() => window.tori.world().broken.get(511)?.state === "drained", null, { timeout: 5000 });
    },

    async "an operator resumes a node"({ page }) {
        await page.evaluate(() => window.tori.select({ node: 511 }));
        await page.click("#drain");
        await page.waitForFunction(() => !window.tori.world().broken.has(511));
    },

    async "a reader may look, and is told that it is no more than that"({ browser, reader }) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await signIn(page, base, reader);
        await page.waitForFunction(() => window.tori?.world().running.length > 0);
        await page.evaluate(() => window.tori.select({ node: 0 }));
        await page.click("#drain");
        await page.waitForSelector("#answer .error");
        check((await page.textContent("#answer")).includes("GET only"), "the refusal");
        await context.close();
    },

    async "keys reach everything"({ page, waiting }) {
        await page.focus(`tr[data-job="${waiting}"] button`);
        await page.keyboard.press("Enter");
        await page.waitForSelector(`tr.selected[data-job="${waiting}"]`);
        const id = tori("submit", "--count", "1", "--time", "10m", "--", "true");
        await page.waitForSelector(`tr[data-job="${id}"]`);
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

    async "nobody is kept out"({ page }) {
        await page.addScriptTag({ content: readFileSync(need.resolve("axe-core/axe.min.js"), "utf8") });
        for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme });
            const { violations } = await page.evaluate(() => window.axe.run());
            equal(violations.map(v => `${v.id}: ${v.nodes[0].html}`), [], colorScheme);
            check(await page.evaluate(() => window.tori.history.plot.axes[0].stroke() === window.getComputedStyle(document.body).getPropertyValue("--ink")), `axes, ${colorScheme}`);
            await page.screenshot({ path: join(pictures, `${colorScheme}.png`), fullPage: true });
        }
        await page.setViewportSize({ width: 390, height: 844 });
        await sleep(300);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "a phone does not have to scroll sideways");
        await page.screenshot({ path: join(pictures, "phone.png"), fullPage: true });
    },

    async "a report opens from disk, and a replay shows what the log says"({ browser, said }) {
        const dir = join(files, "sweep");
        tori("sweep", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "fcfs,easy", "--load", "0.5,0.9", "--seeds", "2", "--out", dir);
        tori("report", dir, "--cell", "7");
        tori("sim", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "easy", "--load", "0.9", "--log", join(dir, "log"));
        const runs = readFileSync(join(dir, "log"), "utf8").trim().split("\n").map(line => JSON.parse(line));
        const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
        page.on("console", message => said.push(message.text()));
        page.on("pageerror", error => said.push(error.message));
        await page.goto(`file://${join(dir, "report.html")}`);
        await page.waitForFunction(() => window.tori);
        equal(await page.locator("#standings tbody tr").count(), 4, "rows of the comparison");
        check(/^8 simulations by tori \S+: lublin jobs 300 torus:4x4x4$/.test(await page.textContent("#about")), "what was simulated");
        const verdict = tori("compare", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "fcfs,easy", "--load", "0.5,0.9", "--seeds", "2").split("\n").filter(line => / at load /.test(line));
        equal(await page.locator("#verdict li").allTextContents(), verdict, "which is best at what");
        const two = await browser.newPage();
        tori("compare", "--machine", "torus:4x4x4,mesh:4x4", "--jobs", "50", "--load", "0.5,0.9", "--html", join(files, "two.html"));
        await two.goto(`file://${join(files, "two.html")}`);
        await two.waitForFunction(() => window.tori);
        equal(await two.locator("#plot .legend li").allTextContents(), ["torus:4x4x4", "mesh:4x4"], "a line for each machine");
        tori("compare", "--machine", "pod:4/4x4x4", "--jobs", "50", "--load", "0.5,0.9", "--wiring", "mesh", "--html", join(files, "pod.html"));
        two.on("pageerror", error => said.push(error.message));
        await two.goto(`file://${join(files, "pod.html")}`);
        await two.waitForFunction(() => window.tori?.replay.moment.running.length >= 0);
        equal(await two.evaluate(() => [window.tori.replay.scene.cells, window.tori.replay.owner.length]), [256, 256], "cells of a pod");
        const joined = await two.evaluate(() => {
            const { runs, replay } = window.tori, run = runs.find(r => r.finish > r.start && r.slice?.boxes.length > 1);
            replay.seek((run.start + run.finish) / 2);
            return replay.scene.joints.get(run.id).length;
        });
        check(joined > 0, "faces of a slice are joined");
        await two.close();
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
        const { violations } = await page.evaluate(() => window.axe.run());
        equal(violations.map(v => `${v.id}: ${v.nodes[0].html}`), [], "report");
        await page.screenshot({ path: join(pictures, "report.png"), fullPage: true });
        await page.close();
    },

    async "the console is clean"({ said }) {
        equal(said, [], "what was said");
    },
};

async function main() {
    const names = Object.keys(tests);
    const missing = !chromium ? "chromium is not installed"
        : statSync(join(build, "web/page.html.gz")).size === 0 ? "npm could not install its packages" : "";
    if (missing) {
        console.log(`1..0 # SKIP ${missing}`);
        return 0;
    }
    const { chromium: driver } = need("playwright-core");
    mkdirSync(pictures, { recursive: true });
    const torid = start("torus:8x8x8", "state", port);
    let failed = 0;
    try {
        await until(() => existsSync(env.TORI_SOCKET), "torid does not come");
        const world = { waiting: submit(), operator: token("operator"), reader: token("reader"), said: [] };
        world.browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
        const context = await world.browser.newContext({ viewport: { width: 1400, height: 1000 }, bypassCSP: true });
        world.page = await context.newPage();
        world.page.on("console", message => world.said.push(message.text()));
        world.page.on("pageerror", error => world.said.push(error.message));
        await signIn(world.page, base, world.operator);
        await world.page.waitForFunction(() => window.tori?.world().running.length > 0);
        console.log(`1..${names.length}`);
        for (const [i, name] of names.entries()) {
            try {
                await tests[name](world);
                console.log(`ok ${i + 1} - ${name}`);
            } catch (error) {
                failed++;
                console.log(`not ok ${i + 1} - ${name}\n# ${String(error.message).replaceAll("\n", "\n# ")}`);
            }
        }
        await world.browser.close();
    } finally {
        torid.kill();
        rmSync(files, { recursive: true, force: true });
    }
    return failed ? 1 : 0;
}

process.exit(await main());
