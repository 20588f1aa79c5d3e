// Whether messages of the Debug Adapter Protocol are what it says: each becomes a
// value of its type in @vscode/debugprotocol, and TypeScript judges. Fields besides
// those of the protocol are allowed, as in its JSON schema.
// valid.mjs <node_modules> <log of listen.mjs> <folder>
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [packages, log, folder] = process.argv.slice(2);
const declared = readFileSync(join(packages, "@vscode/debugprotocol/lib/debugProtocol.d.ts"), "utf8");
const known = new Set([...declared.matchAll(/interface (\w+) /g)].map((found) => found[1]));
const name = (text, kind) => text[0].toUpperCase() + text.slice(1) + kind;

const head = [
  'import { DebugProtocol } from "@vscode/debugprotocol";',
  "type Open<T> = T extends (infer E)[] ? Open<E>[] : T extends object ? { [K in keyof T]: Open<T[K]> } & { [other: string]: unknown } : T;",
  "function is<T>(_: Open<T>): void {}",
];
const lines = [...head];
const types = new Map();
for (const line of readFileSync(log, "utf8").split("\n").filter(Boolean)) {
  const { message } = JSON.parse(line);
  if (!message) continue;
  const { type, event, command, success } = message;
  let wanted = type === "event" ? name(event, "Event") : name(command, type === "request" ? "Request" : "Response");
  // lldb-dap tells in a word that it was cancelled.
  const failure = message.body ? "ErrorResponse" : "Response";
  if (type === "response" && !success) wanted = failure;
  // Requests and events of ours are messages, and no more.
  if (/^rewind\//.test(event ?? command)) wanted = { event: "Event", request: "Request", response: success ? "Response" : failure }[type];
  if (!known.has(wanted)) throw new Error(`the protocol has no ${wanted}: ${line}`);
  types.set(wanted, (types.get(wanted) ?? 0) + 1);
  lines.push(`is<DebugProtocol.${wanted}>(${JSON.stringify(message)});`);
}
mkdirSync(folder, { recursive: true });
symlinkSync(packages, join(folder, "node_modules"));
writeFileSync(join(folder, "messages.ts"), lines.join("\n"));
let said = "";
try {
  execFileSync(process.execPath, [join(packages, "typescript/bin/tsc"), "--noEmit", "--strict", "messages.ts"], { cwd: folder, encoding: "utf8" });
} catch (error) {
  said = error.stdout;
}
const wrong = said.split("\n").filter((line) => /error TS/.test(line));
for (const line of wrong.slice(0, 20)) {
  const at = /messages\.ts\((\d+)/.exec(line);
  console.log(line, at ? lines[at[1] - 1].slice(0, 400) : "");
}
console.log(`${lines.length - head.length} messages of ${types.size} types, ${wrong.length} wrong`);
process.exit(wrong.length || !types.size ? 1 : 0);
