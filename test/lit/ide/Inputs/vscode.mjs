// Runs checks.mjs in a real VS Code.
// vscode.mjs <packages> <vsix> <rewind> <plugin> <folder> <source> <program> <trace>
//   [--large <program> <trace>] <check>...
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import * as checks from "./checks.mjs";
import { Workbench } from "./workbench.mjs";

const [packages, vsix, rewind, plugin, folder, source, program, trace, ...wanted] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
const [largeProgram, large] = wanted[0] === "--large" ? wanted.splice(0, 3).slice(1).map((path) => resolve(path)) : [];
const w = new Workbench({ packages, vsix, rewind, plugin, folder, large });
mkdirSync(w.workspace, { recursive: true });
for (const file of [source, program, trace]) copyFileSync(file, join(w.workspace, basename(file)));
const desk = {
  request: "launch",
  trace: "${workspaceFolder}/" + basename(trace),
  program: "${workspaceFolder}/" + basename(program),
  sourceMap: [["/built", "${workspaceFolder}"]],
};
w.launchConfigurations([
  { type: "rewind", name: "desk", ...desk },
  { type: "lldb-dap", name: "official", debugAdapterExecutable: join(resolve(folder), "lldb-dap"), ...desk },
  ...(large ? [{ type: "rewind", request: "launch", name: "large", trace: large, program: largeProgram }] : []),
]);
let failed = 0;
try {
  await w.start();
  for (const name of wanted) {
    try {
      console.log(`PASS ${name}: ${await checks[name](w)}`);
      await w.screenshot(name);
    } catch (error) {
      ++failed;
      console.log(`FAIL ${name}: ${error.stack ?? error}`);
      await w.screenshot(`failed-${name}`);
      await w.key("Escape"); // the next one may find a dialog
    }
  }
} finally {
  await w.stop();
}
process.exit(failed ? 1 : 0);
