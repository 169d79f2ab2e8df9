// Shared by the tests of the dashboard: programs, a torid, a browser. What they start and
// their files go when tests/system/guard.py sees their end.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const build = resolve(process.argv[2]), web = fileURLToPath(new URL("..", import.meta.url));
// Packages are where the page was bundled.
export const need = createRequire(join(build, "web/npm/package.json"));
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
export const files = mkdtempSync(join(tmpdir(), "tori-page-"));
export const pictures = join(build, "pictures");
export let base; // where the torid is that the tests share
export const env = { ...process.env, TORI_SOCKET: join(files, "state/socket") };

export const tori = (...words) => execFileSync(join(build, "tori"), words, { env, encoding: "utf8" }).trim();
export const patience = 240000; // a busy machine may be slow
const sleep = ms => new Promise(done => setTimeout(done, ms));

export function check(is, what) {
    if (!is) throw new Error(what);
}

export function equal(found, expected, what) {
    check(JSON.stringify(found) === JSON.stringify(expected), `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

export async function until(true_, what) {
    for (let i = 0; i < patience / 100; i++) {
        if (await true_()) return;
        await sleep(100);
    }
    throw new Error(what);
}

// What all tests need has ended: they end at once, and nobody waits for what cannot
// come. Others may tell more of it first.
export const atLoss = [];

function giveUp(what) {
    for (const tell of atLoss) tell(what);
    console.log(`Bail out! ${what}`);
    process.exit(1);
}

// ---- a torid with jobs ----

// A torid that listens, at a port that the kernel gives.
export async function start(machine, state, executor = "torid-rehearse") {
    const log = join(files, `${state}.log`), socket = join(files, state, "socket"), address = () => readFileSync(log, "utf8").match(/address=(\S+)/)?.[1];
    const torid = spawn(join(build, "torid"), ["--machine", machine, "--state", join(files, state), "--listen", "127.0.0.1:0",
        "--executor", `${join(build, executor)} --jobs ${join(files, `${state}-jobs`)}`], { env, stdio: ["ignore", "ignore", openSync(log, "w")] });
    const ended = new Promise(done => torid.on("exit", done)), stop = () => {
        torid.off("exit", onExit);
        return torid.kill() && ended;
    };
    const onExit = (status, signal) => giveUp(`torid has ended, ${signal ?? `status ${status}`}: ${readFileSync(log, "utf8").trim().split("\n").at(-1)}`);
    torid.on("exit", onExit);
    await until(() => existsSync(socket) && address(), "torid does not come");
    return { at: `http://${address()}`, socket, stop };
}

export function submit() {
    for (const shape of ["4x8x4", "4x4x4", "2x8x2"]) tori("submit", "--shape", shape, "--time", "2h", "--name", `box-${shape}`, "--", "true");
    tori("submit", "--count", "100", "--time", "1h", "--name", "scattered", "--", "true");
    return Number(tori("submit", "--shape", "8x8x4", "--wiring", "torus", "--time", "1h", "--name", "waits", "--", "true"));
}

export const token = (role, state = "state") => execFileSync(join(build, "torid"), ["token", "add", role, "--role", role, "--state", join(files, state)], { env, encoding: "utf8" }).trim().split(/\s+/).pop();

// The torid that the tests share.
export async function startShared() {
    ({ at: base } = await start("torus:8x8x8", "state"));
}

export async function ask(path, bearer) {
    const answer = await fetch(base + path, { headers: { Authorization: `Bearer ${bearer}` } });
    return answer.json();
}

// ---- a browser ----

// WebGL is drawn by software, and so is the page, without going through WebGL.
const flags = ["--no-sandbox", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader"];

// Signals end the tests, and not first their browser.
export async function browse() {
    const stay = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
    const browser = await need("playwright-core").chromium.launch({ executablePath: chromium, timeout: patience, args: flags, ...stay }).catch(error => giveUp(`the browser does not start: ${whyNot(error.message)}`));
    return browser.on("disconnected", () => giveUp("the browser has ended"));
}

// What a browser that did not start has written, without what it always writes.
const whyNot = text => text.split("\n").map(line => /\[err\] (.*)/.exec(line)?.[1]).filter(line => line && !/dbus|unexpected operator/.test(line)).slice(-3).join("; ") || text.split("\n")[0];

export const go = (page, hash) => page.evaluate(to => void (window.location.hash = to), hash);

// The same, and wait until it is shown.
export const open = (page, hash) => page.evaluate(async to => {
    window.history.pushState(null, "", to);
    await window.tori.follow();
}, hash);

export const screen = { width: 1280, height: 800 };

// A page of its own, whose words are heard, but not that a test which reads pixels
// makes it slow.
export async function newPage({ browser, said }, options = {}) {
    const context = await browser.newContext({ viewport: screen, ...options }), page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on("console", message => message.text().includes("GPU stall due to ReadPixels") || said.push(message.text()));
    page.on("pageerror", error => said.push(error.message));
    return page;
}

export async function signIn(page, at, bearer) {
    page.setDefaultTimeout(patience);
    const answer = await page.context().request.post(new URL("/signin", at).href, { data: { token: bearer } });
    equal(answer.status(), 200, "signing in");
    await page.goto(at);
    await page.waitForFunction(() => window.tori); // all is loaded
}
