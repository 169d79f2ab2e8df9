// Usage: killed.mjs BUILD
// A test that has a torid and a browser, prints its process id and waits until it or its
// browser is killed (alone.mjs).
import { browse, start } from "./world.mjs";

await start("torus:4x4", "state");
await (await browse()).newPage();
console.log(process.pid);
