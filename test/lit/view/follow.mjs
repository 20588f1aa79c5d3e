// The page in a real Chromium beside LLDB: each goes where the other does.
// follow.mjs <node_modules> <chromium> <plugin> <trace> <image> <lldb...>
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readFileSync } from "node:fs";

const [packages, chromium, plugin, trace, image, ...lldb] = process.argv.slice(2);
const require = createRequire(join(packages, "x.js"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(join(packages, "axe-core/axe.min.js"), "utf8");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

let page, second, bad = 0;
const expect = (what, got, want = true) => {
  const good = JSON.stringify(got) === JSON.stringify(want);
  if (!good) ++bad;
  console.log((good ? "ok      " : "FAILED  ") + what + (good ? "" : ": " + JSON.stringify(got) + ", not " + JSON.stringify(want)));
};
async function until(what, is, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await pause(5)) {
    const found = await is();
    if (found) return found;
  }
  const told = await Promise.all([page, second].map((of) => of?.evaluate(() => document.querySelector(".top")?.innerText.replace(/\s+/g, " "))));
  throw new Error("in vain: " + what + "; pages: " + told.join(" | ") + "\n" + said.slice(-600));
}

const debug = spawn(lldb[0], [...lldb.slice(1), "-o", "settings set auto-confirm true", "-o", "plugin load " + plugin, "-o", "rewind load " + trace + " --image " + image, "-o", "rewind view --no-open"]);
let said = "";
debug.stdout.on("data", (data) => (said += data));
debug.stderr.on("data", (data) => (said += data));
process.on("exit", () => debug.kill("SIGKILL"));
const say = (line) => debug.stdin.write(line + "\n");
const url = await until("the URL", () => /http:\/\/\S+/.exec(said)?.[0]);

const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
async function open(address) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => expect("no error in the page", String(error.stack ?? error), ""));
  await page.setViewport({ width: 1500, height: 950 });
  await page.goto(address);
  await page.waitForSelector(".rows .row");
  return page;
}
page = await open(url);
second = await open(url);
const position = (of = page) => of.$eval("#position", (e) => Number(e.textContent.replace(/[#,]/g, "")));
const both = (n) => until("pages at " + n, async () => (await position()) === n && (await position(second)) === n);
const where = async () => {
  said = "";
  say("rewind where");
  return Number((await until("rewind where", () => /#(\d+) of \d+[^\n]*: 0x/.exec(said)))[1]);
};

for (const to of [31408, 7, 60000]) {
  const begun = Date.now();
  say("rewind goto " + to);
  await until("the page", async () => (await position()) === to);
  console.log("stop -> page: " + (Date.now() - begun) + " ms, typing and asking included");
  await both(to);
}
await page.bringToFront();
await page.focus(".trace .rows");
for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowDown");
await both(60003);
expect("steps in the page move LLDB", await where(), 60003);
said = "";
const begun = Date.now();
await page.click(".row:not(.now)");
await until("an ordinary stop", () => /stop reason = page of rewind view/.test(said));
console.log("click -> stop: " + (Date.now() - begun) + " ms");
const clicked = await position();
expect("a click is a stop", await where(), clicked);
await both(clicked);
said = "";
say("rewind back");
await until("back", () => /stop reason = back/.test(said));
await both(60003);

// Held down: LLDB comes after.
await page.focus(".trace .rows");
for (let i = 0; i < 40; ++i) await page.keyboard.press("ArrowDown");
await both(60043);
expect("many steps", await where(), 60043);

// LLDB is busy for longer than it is waited for; the user walks on meanwhile, and rests later.
const busy = async (seconds, presses) => {
  const base = await position();
  say("script import time; time.sleep(" + seconds + ")");
  await pause(200);
  for (let i = 0; i < presses; ++i) {
    await page.keyboard.press("ArrowDown");
    await pause(150);
  }
  return base;
};
const walked = await busy(3, 30);
await both(walked + 30);
expect("LLDB was busy: no step is lost, and it comes after", await where(), walked + 30);
const rested = await busy(4, 1);
await until("the refusal", () => page.$eval(".status", (e) => /LLDB is busy/.test(e.innerText)));
await both(rested);
expect("who rests is told, and is where LLDB is", await where(), rested);

// Alternating, as fast as either goes.
for (let i = 0; i < 30; ++i) {
  const to = 100 + ((i * 7919) % 70000);
  if (i % 2) {
    await page.keyboard.press("g");
    await page.waitForSelector(".prompt input:focus");
    await page.keyboard.type(String(to));
    await page.keyboard.press("Enter");
  } else say("rewind goto " + to);
  await both(to);
}
expect("30 moves, never apart", await where(), await position());

// Not followed, it stays; and its own moves are no stops.
await page.keyboard.press("Escape");
await page.focus(".trace .rows");
await page.keyboard.press("f");
const stays = await position();
say("rewind goto 500");
await until("the other page", async () => (await position(second)) === 500);
expect("not followed, the page stays", await position(), stays);
expect("it tells where LLDB is", await page.$eval(".debugger", (e) => e.innerText.includes("LLDB is at #500")));
await page.keyboard.press("ArrowDown");
await pause(300);
expect("not followed, LLDB stays", await where(), 500);
const [reloaded] = [await open(await page.evaluate(() => location.href))];
await until("alone", async () => (await position(reloaded)) === (await position()));
expect("the URL keeps that", await reloaded.$eval(".debugger button", (e) => e.getAttribute("aria-pressed")), "false");
await reloaded.close();
await page.bringToFront();
await page.keyboard.press("f");
await both(500);

await page.evaluate(axe);
expect("axe finds nothing", await page.evaluate(async () => (await axe.run(".top")).violations.map((v) => v.id)), []);

// The process goes, then LLDB.
say("process kill");
await until("the end is told", () => page.evaluate(() => document.body.innerText.includes("The process has ended in LLDB")));
await page.keyboard.press("PageDown");
await until("the page goes on", async () => (await position()) > 500);
await page.evaluate(axe);
expect("axe finds nothing in what it tells", await page.evaluate(async () => (await axe.run("#page")).violations.map((v) => v.id)), []);
say("quit");
const code = await new Promise((done) => (debug.exitCode === null ? debug.once("exit", done) : done(debug.exitCode)));
expect("LLDB ends well", code, 0);
await page.waitForSelector("[role=alert]", { timeout: 5000 });
await browser.close();
console.log(bad ? bad + " failed" : "all of it works");
process.exit(bad ? 1 : 0);
