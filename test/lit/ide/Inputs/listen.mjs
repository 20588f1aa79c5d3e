// Stands before `rewind dap` and writes down each message: a line of JSON with who
// sent it and when, into the file that $DAP_LOG names.
// listen.mjs <rewind> <arguments>...
import { spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";

const [program, ...words] = process.argv.slice(2);
const log = openSync(process.env.DAP_LOG, "a");
const adapter = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
writeSync(log, JSON.stringify({ from: "start", pid: adapter.pid }) + "\n");

function listen(from, to, name) {
  let rest = Buffer.alloc(0);
  from.on("data", (piece) => {
    to.write(piece);
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end).toString())[1]);
      if (rest.length < end + 4 + length) return;
      const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString());
      rest = rest.subarray(end + 4 + length);
      writeSync(log, JSON.stringify({ from: name, at: Date.now(), message }) + "\n");
    }
  });
  from.on("end", () => to.end());
  to.on("error", () => {});
}
listen(process.stdin, adapter.stdin, "client");
listen(adapter.stdout, process.stdout, "adapter");
adapter.on("exit", (code) => {
  writeSync(log, JSON.stringify({ from: "end", code }) + "\n");
  process.exit(code ?? 1);
});
