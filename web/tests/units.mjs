// Usage: units.mjs WORK
// What the page computes, without a browser: bundled by esbuild in the folder WORK.
import { deepEqual as equal, ok as check } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

async function load(name) {
    const out = resolve(process.argv[2], `${name}.mjs`);
    execFileSync("esbuild", [fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)), "--bundle", "--format=esm", "--log-level=warning", `--outfile=${out}`], { stdio: "inherit" });
    return import(out);
}

test("machines of any number of dimensions are unfolded", async () => {
    const { axesText, frames, parseMachine, positions } = await load("machine");
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
        if (way) equal(axesText(machine), way);
        if (text !== "torus:64") check(sum.every(s => Math.abs(s) < 0.01 * machine.nodes), `${text} is not in the middle`);
        // No two nodes meet: in every unit cube there is at most one.
        const cells = new Set(Array.from({ length: machine.nodes }, (_, id) => [0, 1, 2].map(k => Math.floor(at[3 * id + k])).join()));
        equal(cells.size, machine.nodes, `${text}: places`);
        const cube = machine.sides.slice(machine.apart).slice(0, 3), copies = machine.nodes / cube.reduce((a, b) => a * b, 1);
        equal(frames(machine, at).length, cube.length === 3 ? 72 * copies : machine.apart ? 24 * copies : 0, `${text}: edges`);
    }
});

test("only all nodes are 100 %", async () => {
    const { clock, doubtText, duration, hours, percent, spanText } = await load("words");
    equal(["fair-share", "else"].map(doubtText), ["Not a promise: fair share changes the order of the queue while jobs run.", "Not a promise: else."]);
    equal([100 * 32672 / 32768, 100, 99.99, 0, 0.001, 50.4].map(percent), ["99.7", "100", "99.9", "0", "0.1", "50"]);
    equal([0, 59, 3600, 86400 + 5, 90061].map(duration), ["0 s", "59 s", "1 h", "1 d", "1 d 1 h"]);
    equal([0, 90, 5400, 90061].map(spanText), ["0s", "1m30s", "1h30m", "25h1m1s"]);
    equal([0, 36, 45000, 3.6e6].map(hours), ["0", "0.01", "12.5", "1000"]);
    check(/^\d\d:\d\d:\d\d$/.test(clock(Date.now() / 1000)) && /^2001-09-0\d \d\d:\d\d$/.test(clock(1e9)), "times of today and of long ago");
});
