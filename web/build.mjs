// Usage: build.mjs OUT
// Bundle every page into one HTML file of its own, with nothing to load:
// OUT/page.html, which torid serves, and OUT/report.html, which `tori report`
// fills with data.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "out");
const pages = ["page", "report"];

mkdirSync(out, { recursive: true });
for (const page of pages) {
    const made = await build({
        absWorkingDir: here,
        entryPoints: [`src/${page}.ts`],
        bundle: true,
        minify: true,
        format: "iife",
        target: "es2022",
        outdir: "out",
        write: false,
        legalComments: "none",
    });
    const text = ext => made.outputFiles.find(f => f.path.endsWith(ext))?.text ?? "";
    // A script ends where this stands, even within a string.
    const script = text(".js").replaceAll("</script", "<\\/script");
    const style = text(".css");
    // The page may do no more than this: run this script, have this style, ask torid.
    const hash = of => `'sha256-${createHash("sha256").update(of).digest("base64")}'`;
    const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src data:`;
    const html = readFileSync(join(here, "src", `${page}.html`), "utf8")
        .replace("/* policy */", () => policy)
        .replace("/* style */", () => style)
        .replace("/* script */", () => script);
    writeFileSync(join(out, `${page}.html`), html);
}
