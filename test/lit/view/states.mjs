// Random states of the page in a real Chromium: what is written there equals what the commands print.
// states.mjs <node_modules> <chromium> <rewind> <trace> <image> <seed> <count>
import { spawn, execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [packages, chromium, rewind, trace, image, seed, count] = process.argv.slice(2);
const puppeteer = createRequire(join(packages, "x.js"))("puppeteer-core");
const command = (...words) => execFileSync(rewind, [...words, "--json"], { encoding: "utf8", maxBuffer: 1 << 29 });
const files = [trace, "--image", image];
const whole = command("list", ...files).trim().split("\n").map((line) => JSON.parse(line));
const calls = [];
const flatten = (items) => items.forEach((c) => (c.kind !== "tail call" && calls.push(c), flatten(c.calls ?? [])));
flatten(JSON.parse(command("calls", "tree", ...files, "--no-fold")));

let state = Number(seed);
const random = (below) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
const places = Array.from({ length: Number(count) }, () => random(whole.length)).sort((a, b) => a - b);
/** Registers by replay of what `list` tells. */
const known = new Map();
let done = 0;

const server = spawn(rewind, ["view", trace, "--image", image, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGINT"));
const url = await new Promise((found) => createInterface({ input: server.stdout }).once("line", found));
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
await page.setViewport({ width: 1500, height: 950 });
await page.goto(url);
await page.waitForSelector(".rows .row");

let bad = 0, compared = { rows: 0, registers: 0, frames: 0 };
const same = (what, got, want) => {
  if (JSON.stringify(got) === JSON.stringify(want)) return;
  if (++bad < 20) console.log("DIFFERS: " + what + "\n  page    " + JSON.stringify(got) + "\n  command " + JSON.stringify(want));
};
for (const at of places) {
  for (; done < at; ++done) for (const [name, value] of Object.entries(whole[done].registers)) known.set(name, value);
  await page.evaluate((at) => (location.hash = "#p=1:" + at), at);
  // Until that place is shown, and all that was asked has come.
  await page.waitForFunction(
    (at) =>
      document.getElementById("position").textContent.replace(/[#,]/g, "") === String(at) &&
      document.body.dataset.waiting === "0" && !document.querySelector(".stale") &&
      document.querySelector(".row.now .position")?.textContent.replace(/[#,]/g, "") === String(at),
    { polling: 15 }, at);
  const shown = await page.evaluate(() => {
    const text = (e, of) => e.querySelector(of)?.textContent ?? "";
    const all = [...document.querySelectorAll(".rows .row")], now = all.findIndex((e) => e.classList.contains("now"));
    return {
      rows: all.slice(Math.max(0, now - 4), now + 5).map((e) => ({
        position: Number(text(e, ".position").replace(/[#,]/g, "")), time: Number(text(e, ".time").replace(/,/g, "")), pc: text(e, ".pc"),
        insn: text(e, ".insn"), effects: [...e.querySelectorAll(".effect")].map((x) => text(x, ".do") + text(x, ".value")),
      })),
      registers: [...document.querySelectorAll(".register")].map((e) => [text(e, ".name"), text(e, ".value")]),
      frames: [...document.querySelectorAll(".frame .number")].map((e) => Number(e.textContent.replace(/,/g, ""))),
    };
  });
  for (const row of shown.rows) {
    const want = whole[row.position];
    same("row " + row.position, [row.time, row.pc, row.insn.replace(/ not executed$/, "")], [want.time, want.pc, want.instruction]);
    const brief = (value) => (value ? value.replace(/^0x0+(?=[0-9a-f])/, "0x") : "unknown");
    for (const [name, value] of Object.entries(want.registers))
      same(name + " of row " + row.position, row.effects.includes(name + "=" + brief(value)), true);
    for (const m of want.memory)
      same(m.address + " of row " + row.position, row.effects.includes("[" + m.address + "]" + (m.access === "write" ? "←" : "→") + brief(m.value)), true);
    ++compared.rows;
  }
  for (const [name, value] of shown.registers)
    if (known.has(name) && !String(known.get(name)).includes("?")) {
      same(name + " at " + at, value, known.get(name));
      ++compared.registers;
    }
  const running = calls.filter((c) => c.start <= at && at < c.end).map((c) => c.end - c.start);
  same("stack at " + at, [...shown.frames].sort((a, b) => a - b), running.sort((a, b) => a - b));
  compared.frames += running.length;
}
await browser.close();
console.log(places.length + " states: " + Object.entries(compared).map(([what, n]) => n + " " + what).join(", ") + "; " + bad + " differences");
process.exit(bad || Object.values(compared).includes(0) ? 1 : 0);
