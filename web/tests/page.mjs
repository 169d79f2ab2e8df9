// Usage: page.mjs BUILD
// The dashboard in a real browser, with a real torid behind it. In TAP; pictures
// go to BUILD/pictures.
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
const patience = 240000; // a busy machine may be slow
const sleep = ms => new Promise(done => setTimeout(done, ms));

function check(is, what) {
    if (!is) throw new Error(what);
}

function equal(found, expected, what) {
    check(JSON.stringify(found) === JSON.stringify(expected), `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

async function until(true_, what) {
    for (let i = 0; i < patience / 100; i++) {
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

const go = (page, hash) => page.evaluate(to => void (window.location.hash = to), hash);

async function signIn(page, at, bearer) {
    page.setDefaultTimeout(patience);
    const answer = await page.context().request.post(new URL("/signin", at).href, { data: { token: bearer } });
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
        for (const blocker of why.blockers) check(card.includes(`job ${blocker.job} `), `blocker ${blocker.job} is not on the card`);
        const { place } = (await ask("/v1/forecast", operator)).jobs.find(job => job.id === waiting), [from, sides] = place.split("/");
        check(card.includes(`on ${place}.`), `"${card}" does not have ${place}`);
        const wanted = await page.evaluate(() => window.tori.scene.linked);
        equal([wanted.length, wanted[0]], [sides.split("x").reduce((n, side) => n * side, 1), from.split(",").reduce((id, c) => 8 * id + Number(c), 0)], "where it will start");
        await page.screenshot({ path: join(pictures, "why.png") });
        // What would make room is what the command says.
        await page.click("#make-room");
        await page.waitForFunction(() => !["", "Looking for moves…"].includes(document.getElementById("answer").textContent));
        const answer = await page.textContent("#answer");
        check(!await page.$("#answer .error"), `no room is made: ${answer}`);
        let command;
        try {
            command = tori("defrag", "--for", String(waiting), "--json");
        } catch (refused) {
            command = refused.stdout;
        }
        check(JSON.parse(command).possible === !answer.includes("No moves would make room."), `"${answer}", and the command: ${command}`);
        tori("hold", String(waiting));
        await page.waitForFunction(id => document.querySelector(`tr[data-job="${id}"]`).textContent.includes("held"), waiting);
        equal(await page.textContent("#answer"), answer, "the answer stays when something happens");
        tori("release", String(waiting));
        // A job in the way may hold only links.
        await page.route("**/why", route => route.fulfill({ json: { jobs: [{ id: waiting, reason: "wiring", text: "its links are taken", blockers: [{ job: 1, nodes: 0 }, { job: 2, nodes: 1 }], helps: [] }] } }));
        await go(page, "#/");
        await go(page, `#/job/${waiting}`);
        await page.waitForFunction(() => document.getElementById("card").textContent.includes("job 1 (links), job 2 (1 node)"));
        await page.unroute("**/why");
    },

    async "moves are shown before and after, with what they cost"({ browser, said }) {
        const torid = start("mesh:4x4", "moves", port + 1), socket = join(files, "moves/socket"), submit = (...words) => Number(tori("submit", "--socket", socket, "--time", "2h", ...words, "--", "true"));
        try {
            await until(() => existsSync(socket), "torid does not come");
            for (let i = 0; i < 4; i++) submit("--shape", "1x4", "--no-rotate");
            for (const id of [1, 3]) tori("cancel", "--socket", socket, String(id));
            const id = submit("--shape", "2x4", "--no-rotate"), page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
            page.on("pageerror", error => said.push(error.message));
            await signIn(page, `http://127.0.0.1:${port + 1}/#/job/${id}`, token("operator", "moves"));
            await page.click("#make-room");
            await page.waitForSelector("#answer input[type=radio]");
            const { moves, nodes_moved, place } = JSON.parse(tori("defrag", "--socket", socket, "--for", String(id), "--json"));
            const answer = await page.textContent("#answer");
            check(answer.includes(`Room at ${place}`) && answer.includes(`${moves.length} job`) && answer.includes(`${nodes_moved} nodes`), `"${answer}", not ${JSON.stringify(moves)}`);
            const owner = () => page.evaluate(() => [...window.tori.scene.owner]), before = await owner();
            await page.check("#answer label:has-text('after') input");
            const after = await owner(), moved = moves[0].job;
            check(before.includes(moved) && after.includes(moved) && JSON.stringify(before) !== JSON.stringify(after), "the job moves in the picture");
            await page.screenshot({ path: join(pictures, "room.png") });
            // An operator carries it out, with a reason; a user only looks.
            const other = await (await browser.newContext()).newPage();
            await signIn(other, `http://127.0.0.1:${port + 1}/#/job/${id}`, token("user", "moves"));
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
            const again = await page.evaluate(async plan => (await fetch("/v1/moves", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(plan) })).json(), { moves });
            check(again.error.message.includes("is elsewhere by now"), `the plan is void: ${JSON.stringify(again)}`);
            await page.close();
        } finally {
            torid.kill();
        }
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

    async "only all nodes are 100 %"() {
        const { outputFiles: [file] } = need("esbuild").buildSync({ entryPoints: [join(build, "web/npm/src/words.ts")], bundle: true, format: "esm", write: false });
        const { duration, percent } = await import(`data:text/javascript,${encodeURIComponent(file.text)}`);
        equal([100 * 32672 / 32768, 100, 99.99, 0, 0.001, 50.4].map(percent), ["99.7", "100", "99.9", "0", "0.1", "50"], "percent");
        equal([0, 59, 3600, 86400 + 5, 90061].map(duration), ["0 s", "59 s", "1 h", "1 d", "1 d 1 h"], "durations");
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
        await page.fill("input[name=shape]", "8x8x8");
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

    async "when torid is away, the dashboard is grey and says how old it is"({ browser }) {
        let torid = start("torus:4x4", "away", port + 1), socket = join(files, "away/socket");
        try {
            await until(() => existsSync(socket), "torid does not come");
            const bearer = token("operator", "away"), page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
            await signIn(page, `http://127.0.0.1:${port + 1}/#/node/0,0`, bearer);
            await page.click("#drain");
            await page.fill("#answer input[name=why]", "fan");
            const gone = new Promise(done => torid.on("exit", done));
            torid.kill();
            await gone;
            await page.waitForFunction(() => document.body.classList.contains("away") && /^torid does not answer. This is .* old.$/.test(document.getElementById("live").textContent));
            await page.click("#answer button");
            await page.waitForFunction(() => document.getElementById("answer").textContent === "torid does not answer.");
            await page.screenshot({ path: join(pictures, "away.png") });
            torid = start("torus:4x4", "away", port + 1);
            await page.waitForFunction(() => !document.body.classList.contains("away") && document.getElementById("live").textContent === "live" && document.getElementById("answer").textContent === "");
            await page.close();
        } finally {
            torid.kill();
        }
    },

    async "a job is suspended, resumed and requeued, its output is shown, and history is filtered"({ browser, said }) {
        const torid = spawn(join(build, "torid"), ["--machine", "torus:4x4", "--state", join(files, "local"), "--listen", `127.0.0.1:${port + 1}`,
            "--executor", `${join(build, "torid-local")} --jobs ${join(files, "local-jobs")}`], { env, stdio: ["ignore", "ignore", "inherit"] });
        const socket = join(files, "local/socket"), submit = (...words) => Number(tori("submit", "--socket", socket, "--time", "1h", "--count", "4", ...words));
        try {
            await until(() => existsSync(socket), "torid does not come");
            const out = join(files, "written"), id = submit("--output", out, "--", "sh", "-c", "echo begun; exec sleep 1000");
            await until(() => existsSync(out) && readFileSync(out, "utf8") === "begun\n", "it does not run");
            const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
            page.on("pageerror", error => said.push(error.message));
            await signIn(page, `http://127.0.0.1:${port + 1}/#/job/${id}`, token("operator", "local"));
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
            await page.close();
        } finally {
            torid.kill();
        }
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
        await page.waitForFunction(() => window.tori.world().broken.size === 3);
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

    async "nobody is kept out"({ page, waiting }) {
        const views = { machine: "#/", job: `#/job/${waiting}`, running: "#/job/4", node: "#/node/0,0,0", time: "#/time", history: "#/history", users: "#/users", queues: "#/queues",
            reservations: "#/reservations", nodes: "#/nodes", events: "#/events", changes: "#/changes", submit: "#/submit" };
        await page.addScriptTag({ content: readFileSync(need.resolve("axe-core/axe.min.js"), "utf8") });
        tori("drain", "7,7,6", "--why", "fan broken");
        const found = [];
        for (const look of ["light", "dark", "phone"]) {
            await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
            if (look === "phone") await page.setViewportSize({ width: 390, height: 844 });
            for (const [name, hash] of Object.entries(views)) {
                await go(page, hash);
                await page.waitForFunction(() => document.querySelector(".view:not([hidden])").textContent.length > 20);
                await sleep(name === "machine" || name.length < 5 ? 700 : 300); // labels, and what is asked for
                const { violations } = await page.evaluate(() => window.axe.run());
                found.push(...violations.map(v => `${name}, ${look}: ${v.id}: ${v.nodes[0].html}`));
                if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) found.push(`${name}, ${look}: it scrolls sideways`);
                await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: look === "phone" });
            }
            check(await page.evaluate(() => window.tori.history.plot.axes[0].stroke() === window.getComputedStyle(document.body).getPropertyValue("--ink")), `axes, ${look}`);
        }
        equal(found, [], "what keeps people out");
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
        const verdict = tori("compare", "--machine", "torus:4x4x4", "--jobs", "300", "--sched", "fcfs,easy", "--load", "0.5,0.9", "--seeds", "2").split("\n\n").slice(1).join("\n").split("\n").filter(line => line);
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
        world.browser = await driver.launch({ executablePath: chromium, timeout: patience, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
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
        rmSync(files, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }); // torid may still write
    }
    return failed ? 1 : 0;
}

process.exit(await main());
