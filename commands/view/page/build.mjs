// Makes dist/: the page's files, gzipped, which are committed and become part
// of the program. build.mjs [folder] writes there instead.
import { buildSync } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const to = process.argv[2] ?? join(here, "dist");
const bundle = (entry) =>
  buildSync({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2021",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
  }).outputFiles[0].contents;

mkdirSync(to, { recursive: true });
for (const [name, bytes] of [
  ["index.html", readFileSync(join(here, "index.html"))],
  ["favicon.svg", readFileSync(join(here, "favicon.svg"))],
  ["page.css", bundle("src/page.css")],
  ["page.js", bundle("src/main.tsx")],
])
  writeFileSync(join(to, name + ".gz"), gzipSync(bytes, { level: 9 }));
