// The page in a real Chromium: TTU's table row by row, links, the URL, and axe.
// browser.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";

const [packages, chromium, rewind, trace, image] = process.argv.slice(2);
const require = createRequire(join(packages, "x.js"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(join(packages, "axe-core/axe.min.js"), "utf8");

const server = spawn(rewind, ["view", trace, "--image", image, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((found) => createInterface({ input: server.stdout }).once("line", found));
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });

process.on("exit", () => server.kill("SIGINT"));

let bad = 0;
const expect = (what, got, want = true) => {
  const good = JSON.stringify(got) === JSON.stringify(want);
  if (!good) ++bad;
  console.log((good ? "ok      " : "FAILED  ") + what + (good ? "" : ": " + JSON.stringify(got) + ", not " + JSON.stringify(want)));
};

async function open(address, options = {}) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => expect("no error in the page", String(error.stack ?? error), ""));
  page.on("console", (message) => message.type() === "error" && expect("no error on the console", message.text(), ""));
  await page.setViewport({ width: 1500, height: 950, ...options });
  await page.goto(address);
  await page.waitForSelector(".rows .row");
  return page;
}
const page = await open(url);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** Until nothing is asked any more, and it is drawn. */
const settle = async (of = page) => {
  for (let quiet = 0; quiet < 2; ) {
    await pause(30);
    quiet = (await of.evaluate(() => document.body.dataset.waiting === "0" && !document.querySelector(".stale"))) ? quiet + 1 : 0;
  }
};
const position = (of = page) => of.$eval("#position", (e) => Number(e.textContent.replace(/[#,]/g, "")));
const focus = (selector) => page.focus(selector);
const press = async (...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await settle();
  }
};
const type = async (text) => {
  await page.keyboard.type(text);
  await press("Enter");
};
const goto = async (n) => {
  await focus(".trace .rows");
  await press("g");
  await type(String(n));
  await focus(".trace .rows");
};
const row = () => page.$eval(".row.now", (e) => e.innerText.replace(/\s+/g, " "));
/** The URL follows steps with a little delay. */
const hash = async (of = page) => (await pause(160), of.evaluate(() => location.hash));
const register = (name) =>
  page.$$eval(".register", (all, name) => all.map((e) => [...e.children].map((c) => c.textContent)).find((e) => e[0] === name)?.[1], name);
const folds = async () => /fold=([^&]*)/.exec(await hash())?.[1] ?? "";
await settle();

// The token is not in the URL any more, nor sent anywhere.
expect("the token leaves the URL", /t=[0-9a-f]{32}/.test(await hash()), false);

// --- Trace: move ---
expect("begins at the start", await position(), 0);
await focus(".trace .rows");
await press("ArrowDown", "ArrowDown", "ArrowDown");
expect("Down", await position(), 3);
await press("ArrowUp");
expect("Up", await position(), 2);
await press("End");
expect("End", await position(), 73241);
await press("ArrowUp");
expect("Up from the end", await position(), 73240);
await press("ArrowDown");
expect("Down to the end", await position(), 73241);
await press("Home");
expect("Home", await position(), 0);
await press("PageDown");
const pageful = await position();
expect("PgDn", pageful > 8);
await press("PageUp");
expect("PgUp", await position(), 0);
await goto(31408);
expect("g and a position", await position(), 31408);
expect("the row of the position", (await row()).includes("strb wzr"));
for (const place of ["middle", "top", "bottom"]) {
  await page.keyboard.down("Control");
  await page.keyboard.press("l");
  await page.keyboard.up("Control");
  await new Promise((done) => setTimeout(done, 60));
  const where = await page.evaluate(() => {
    const box = document.querySelector(".trace .rows"), now = box.querySelector(".now");
    return (now.getBoundingClientRect().top - box.getBoundingClientRect().top) / box.clientHeight;
  });
  expect("Ctrl-L " + place, place === "top" ? where < 0.3 : place === "bottom" ? where > 0.7 : where > 0.3 && where < 0.7);
}
await press("l");
await type("71861");
expect("l line", await position(), 31408);
await press("t");
await type("100");
expect("t time", await position(), 99);
await press("P");
await type("set_label");
const visit = await position();
expect("P next visit", visit > 99);
await press("N");
const second = await position();
expect("N again", second > visit);
await press("n");
expect("n back", await position(), visit);
await press("l", "Escape");
expect("Esc leaves a prompt", await position(), visit);
await press("l");
await page.keyboard.type("zzz");
await page.keyboard.down("Control");
await page.keyboard.press("u");
await page.keyboard.up("Control");
await type("4");
expect("^U empties a prompt", await position(), 0);
await press("E");
expect("E: no exception in this trace", await page.$eval(".status", (e) => e.textContent), "there is no exception after here");

// --- Trace: fold ---
await goto(31408);
const all = await page.$$eval(".row", (rows) => rows.length);
await press("-");
const caller = await position();
expect("- goes to the call", caller < 31408 && (await row()).includes("hidden"));
await press("+");
expect("+ unfolds it", (await row()).includes("hidden"), false);
await press("[");
expect("[ folds what is called", (await folds()) !== "");
await press("]");
expect("] unfolds", await folds(), "");
await press("{");
expect("{ folds everything", await folds(), "1-");
expect("few rows are left", (await page.$$eval(".row", (rows) => rows.length)) < all);
await press("}");
expect("} unfolds everything", await folds(), "");
await goto(31408);
await press("{");
await goto(31408);
expect("[HIDDEN] inside a fold", await page.$eval(".trace header .hidden", (e) => e.textContent), "HIDDEN");
await press("}");

// --- Panes ---
await goto(31408);
expect("registers", await register("x0"), "0x00000000004200ec");
await press("r");
expect("r hides the core registers", (await register("x0")) === undefined);
await press("r", "V");
expect("V shows vectors", await page.$$eval(".register", (all) => all.some((e) => e.textContent.startsWith("v0"))));
await press("S");
expect("S singles", /regs=[a-z]*s/.test(await hash()));
await press("D");
expect("D doubles", /regs=[a-z]*d/.test(await hash()));
await press("D");
const before = await page.$$eval(".memory", (all) => all.length);
await press("m");
await type("0x4200f0");
expect("m opens memory", await page.$$eval(".memory", (all) => all.length), before + 1);
const bytes = () => page.$eval(".memory .bytes", (e) => e.textContent.replace(/\s/g, "").slice(0, 8));
const unwritten = await bytes();
expect("memory before", /^7[0-9a-f]{5}/.test(unwritten) || unwritten.length === 8);
await focus(".trace .rows");
await press("ArrowDown");
const written = await page.$$eval(".memory .byte.changed", (all) => all.length);
expect("what the instruction changed is marked", written > 0);
await press("ArrowUp");

// --- Other ---
await press("a");
expect("a marks what is named", await page.$$eval(".effect.marked", (all) => all.length), 1);
await press("Enter");
expect("Return: the last write", (await position()) < 31408);
const jumped = await position();
await page.keyboard.down("Alt");
await page.keyboard.press("ArrowLeft");
await page.keyboard.up("Alt");
await new Promise((done) => setTimeout(done, 300));
await settle();
expect("Alt-Left goes back", await position(), 31408);
await page.goForward();
await settle();
expect("forward", await position(), jumped);
await goto(31408);
await focus(".trace .rows");
await press("F6");
expect("F6 colours off", await page.$$eval(".trace.plain", (all) => all.length), 1);
await press("F6", "F7", "F7", "F8", "F8");
await press("F1");
expect("F1 shows the keys", await page.$eval("dialog", (e) => e.open));
await press("Escape");
await focus(".trace .rows");
await press("Tab");
expect("Tab: next pane", await page.evaluate(() => document.activeElement.closest(".pane").getAttribute("aria-label")), "Registers");
await page.keyboard.down("Shift");
await press("Tab");
await page.keyboard.up("Shift");
expect("Shift-Tab: the one before", await page.evaluate(() => document.activeElement.closest(".pane").getAttribute("aria-label")), "Trace");

// --- Registers and memory ---
await goto(31408);
await focus(".registers .values");
await press("ArrowDown");
expect("Down chooses a register", await page.$$eval(".register.chosen", (all) => all.length), 1);
await press("Enter");
expect("Return: last write of x0", await position(), 31407);
await goto(31408);
await focus(".registers .values");
await page.keyboard.down("Control");
await press("l");
await page.keyboard.up("Control");
const locked = await register("x1");
await goto(100);
expect("^L locks", await register("x1"), locked);
await focus(".registers .values");
await page.keyboard.down("Control");
await press("l");
await page.keyboard.up("Control");
expect("^L unlocks", /lock=/.test(await hash()), false);
await goto(40000);
await focus(".memory .dump");
await press("1");
expect("1: last write of a byte", await position(), 35014);
await goto(40000);
await focus(".memory .dump");
await press("4");
expect("4: last write of four", await position(), 35014);
await goto(40000);
await focus(".memory .dump");
await press("ArrowRight");
expect("an arrow chooses a byte", await page.$eval(".memory .byte.chosen", (e) => e.title.startsWith("0x4200f1")));
await press("[");
expect("[ last change", (await position()) < 40000);
await focus(".memory .dump");
await press("]");
await press("d");
await type("1000");
expect("d compares", /mem=0x4200f0~~1000/.test(await hash()));
await focus(".memory .dump");
await press("x");
expect("x closes", await page.$$eval(".memory", (all) => all.length), before);
await page.$eval(".memory input[name=expr]", (e) => (e.value = "sp+16"));
await page.focus(".memory input[name=expr]");
await press("Enter");
expect("an expression is followed", /mem=sp%2B16/.test(await hash()));
await focus(".memory .dump");
await press("F");
expect("F stops following", /mem=0x/.test(await hash()));

// --- Mouse: links, boxes, menus ---
await goto(31408);
await page.click(".row.now .effect .do");
await settle();
expect("an address opens memory", await page.$eval(".memory input[name=expr]", (e) => e.value), "0x4200f0");
await page.click(".register:first-child .name .do");
await settle();
expect("a register opens its history", await page.$eval(".history input", (e) => e.value), "x0");
await page.click(".history td .at");
await settle();
expect("a position in the history is a link", (await position()) !== 31408);
await goto(31408);
await page.click(".row.now", { button: "right" });
expect("the row's menu", (await page.$$eval(".menu button", (all) => all.map((e) => e.innerText))).some((t) => t.startsWith("Fold the containing call")));
await press("ArrowDown", "Escape");
await page.click(".row.now .effect .value", { button: "right" });
const said = await page.$eval(".menu", (e) => e.innerText);
expect("values as unsigned, signed, float", ["unsigned", "signed", "float"].every((word) => said.includes(word)));
await press("Escape");
await page.click(".frame:nth-child(2) .name a");
await settle();
expect("a frame is a link", (await position()) < 31408);

// --- Timeline ---
await goto(31408);
const width = async () => (await pause(160), page.evaluate(() => /w=(\d+)-(\d+)/.exec(location.hash).slice(1).map(Number)));
await press("0");
expect("0: the whole thread", await width(), [0, 73241]);
await press("w", "w");
const [from, to] = await width();
expect("w zooms in around the position", to - from < 20000 && from < 31408 && 31408 < to);
await press("d");
expect("d goes later", (await width())[0] > from);
await press("s");
expect("s zooms out", (await width())[1] - (await width())[0] > to - from);
await press("0");
await goto(31000);
await press("k");
const next = await position();
await press("j");
expect("j and k: calls of this function", next !== 31000);
const canvas = await (await page.$(".tracks")).boundingBox();
await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height - 6);
await settle();
expect("a click goes there", Math.abs((await position()) - 36620) < 4000);
const over = await (await page.$(".overview")).boundingBox();
await page.mouse.move(over.x + over.width * 0.25, over.y + 20);
await page.mouse.down();
await page.mouse.move(over.x + over.width * 0.5, over.y + 20, { steps: 4 });
await page.mouse.up();
await settle();
const dragged = await width();
expect("dragging in the overview sets the window", Math.abs(dragged[0] - 18310) < 400 && Math.abs(dragged[1] - 36620) < 400);

// --- Profile ---
await page.click(".below header .tab:nth-child(2)");
await settle();
const profile = () => page.$$eval(".profile tbody tr", (all) => all.slice(0, 3).map((e) => [...e.children].map((c) => c.innerText.trim())));
expect("self", (await profile())[0].slice(0, 1).concat((await profile())[0][4].split(" ")[0]), ["16,824", "find"]);
await page.click(".profile .tab:nth-child(2)");
await settle();
expect("dominated", (await profile())[0][0], "73,241");
await page.click(".profile tbody tr:nth-child(3) td:last-child .do");
await settle();
expect("a block leads to its page", /page=block/.test(await hash()));
await page.goBack();
await settle();
await page.click(".profile tbody tr:nth-child(3) .more");
await page.evaluate(() => [...document.querySelectorAll(".menu button")].find((e) => e.innerText === "Exclude it").click());
await settle();
expect("excluded: a chip", await page.$$eval(".chip.exclude", (all) => all.length), 1);
await page.click(".chip .do");
await settle();
expect("the chip can be taken away", await page.$$eval(".chip", (all) => all.length), 0);
await page.select(".profile select", "calls");
await settle();
expect("the metric is in the URL", /metric=calls/.test(await hash()));

// --- The URL holds the state: reload, a copied link ---
await goto(20000);
await press("-", "w");
await settle();
await new Promise((done) => setTimeout(done, 300));
const shown = () => [".where", ".trace .rows", ".registers .values", ".memories", ".below"];
const text = async (of) => Promise.all(shown().map((s) => of.$eval(s, (e) => e.innerText.replace(/\s+/g, " ").slice(0, 4000))));
const address = await page.evaluate(() => location.href);
const was = await text(page);
await page.reload();
await page.waitForSelector(".rows .row");
await settle();
await new Promise((done) => setTimeout(done, 300));
expect("reload shows the same", (await text(page)).map((t, i) => t === was[i]), shown().map(() => true));
const other = await open(address);
await settle(other);
await new Promise((done) => setTimeout(done, 300));
expect("a copied link shows the same", (await text(other)).map((t, i) => t === was[i]), shown().map(() => true));
await other.close();

// --- axe, in light and dark, and twice as large ---
for (const scheme of ["light", "dark"]) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  for (const tab of [1, 2, 3, 4]) {
    await page.click(".below header .tab:nth-child(" + tab + ")");
    await settle();
    await page.evaluate(axe);
    // The panes above do not change with the page below: once is enough.
    const found = await page.evaluate(async (part) => (await axe.run(part)).violations.map((v) => v.id + ": " + v.nodes.slice(0, 2).map((n) => n.html.slice(0, 120)).join(" | ")), tab === 1 ? "html" : ".below");
    expect("axe finds nothing, " + scheme + ", page " + tab, found, []);
  }
}
await page.setViewport({ width: 750, height: 475, deviceScaleFactor: 2 });
await settle();
expect("at 200 % nothing is cut off sideways", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
await page.evaluate(axe);
expect("axe finds nothing at 200 %", await page.evaluate(async () => (await axe.run()).violations.map((v) => v.id)), []);

// --- The server goes ---
await page.setViewport({ width: 1500, height: 950 });
page.removeAllListeners("console");
server.kill("SIGINT");
await page.waitForSelector("[role=alert]", { timeout: 5000 });
expect("the page says that the server has gone", true);
await browser.close();
console.log(bad ? bad + " failed" : "all of it works");
process.exit(bad ? 1 : 0);
