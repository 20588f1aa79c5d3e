// The page in a real Chromium: TTU's table row by row, links, the URL, and axe; keys.mjs has the rest of the keys.
// browser.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { drive, expect } from "./drive.mjs";

const [packages, , rewind, trace, image] = process.argv.slice(2);
const axe = readFileSync(join(packages, "axe-core/axe.min.js"), "utf8");
const { server, page, open, settle, position, focus, press, type, goto, row, hash, register, folds, end } = await drive(process.argv.slice(2));

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
await type("72277");
expect("l line", await position(), 31408);
await press("t");
await type("100");
expect("t time", await position(), 99);
await press("p");
await type("set_label");
const visit = await position();
expect("p next visit", visit > 99);
await press("n");
const second = await position();
expect("n again", second > visit);
await press("N");
expect("N back", await position(), visit);
await goto(31485);
await press("P");
await page.keyboard.down("Control");
await press("u");
await page.keyboard.up("Control");
await type("sym::set_label");
expect("P last visit", (await position()) < 31485);
await goto(visit);
await press("l", "Escape");
expect("Esc leaves a prompt", await position(), visit);
await press("l");
await page.keyboard.down("Control");
await press("g");
await page.keyboard.up("Control");
expect("^G, too", [await position(), await page.$$eval(".prompt", (all) => all.length)], [visit, 0]);
await focus(".trace .rows");
await press("l");
await page.keyboard.type("zzz");
await page.keyboard.down("Control");
await page.keyboard.press("u");
await page.keyboard.up("Control");
await type("4");
expect("^U empties a prompt", await position(), 0);
await press("e");
expect("e: no exception in this trace", await page.$eval(".status", (e) => e.textContent), "there is no exception after here");
await press("E");
expect("E looks back", await page.$eval(".status", (e) => e.textContent), "there is no exception before here");

// --- Trace: fold ---
await goto(31408);
const all = await page.$$eval(".row", (rows) => rows.length);
await press("-");
const caller = await position();
expect("- goes to the call", caller < 31408 && (await row()).includes("hidden"));
await press("+");
expect("+ unfolds it", (await row()).includes("hidden"), false);
await goto(31408);
await press("ArrowLeft");
expect("Left goes to the call", await position(), caller);
await press("ArrowLeft");
expect("Left there folds it", (await row()).includes("hidden"));
await press("ArrowRight");
expect("Right unfolds it", (await row()).includes("hidden"), false);
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
await press("F10");
expect("F10 shows the keys, too", await page.$eval("dialog", (e) => e.open));
await press("Escape");
await focus(".trace .rows");
await press("M");
expect("M shows vectors, too", await page.$$eval(".register", (all) => all.some((e) => e.textContent.startsWith("v0"))));
await press("M", "F1");
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
await focus(".registers .values");
await press("l");
await type("72277");
expect("l locks to a line", [await register("x1"), /lock=31408/.test(await hash())], [locked, true]);
await page.keyboard.down("Control");
await press("l");
await page.keyboard.up("Control");
await goto(40000);
await focus(".memory .dump");
await press("1");
expect("1: last write of a byte", await position(), 35014);
for (const size of ["2", "8"]) {
  await goto(40000);
  await focus(".memory .dump");
  await press(size);
  expect(size + ": last write of so many", await position(), 35014);
}
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
await type("#1000");
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
await page.$eval(".history input", (e) => (e.value = "items[0]"));
await page.focus(".history input");
await press("Enter");
await settle();
expect("a struct has a history", await page.$$eval(".history tbody tr", (all) => all.length > 1 && all.every((e) => /{.*=/.test(e.innerText))));
expect("and no plot", await page.$(".history .plot"), null);
await page.$eval("#search", (e) => (e.value = "set_label"));
await page.focus("#search");
await press("Enter");
await settle();
{
  const first = await position();
  await press("n");
  await settle();
  expect("n goes on from a search", (await position()) > first);
  await press("N");
  await settle();
  expect("N goes back", await position(), first);
}
await goto(31408);
await page.click(".row.now", { button: "right" });
expect("the row's menu", (await page.$$eval(".menu button", (all) => all.map((e) => e.innerText))).some((t) => t.startsWith("Fold the containing call")));
await press("ArrowDown", "Escape");
await page.click(".row.now .effect .value", { button: "right" });
const said = await page.$eval(".menu", (e) => e.innerText);
expect("a byte as unsigned and signed, and as no float", ["unsigned", "signed", "float"].map((word) => said.includes(word)), [true, true, false]);
await press("Escape");
await page.click(".frame:nth-child(2) .name a");
await settle();
expect("a frame is a link", (await position()) < 31408);

// --- Timeline ---
await goto(31408);
const width = async () => /w=(\d+)-(\d+)/.exec(await hash()).slice(1).map(Number);
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

// --- Slice and critical path ---
await goto(31408);
await page.click(".below header .tab:nth-child(3)");
await page.$eval(".slice input[name=of]", (e) => (e.value = "0x4200f0"));
await page.click(".slice button[type=submit]");
await settle();
const slice = JSON.parse(execFileSync(rewind, ["slice", trace, "--image", image, "0x4200f0", "--at", "31408", "-c", "1000", "--json"], { encoding: "utf8" }));
const listed = () => page.$$eval(".below td .at", (all) => all.map((e) => Number(e.textContent.replace(/[#,]/g, ""))));
expect("the slice is that of the command", await listed(), slice.items.map((i) => i.position));
expect("the slice is in the URL", /slice=0x4200f0~1~31408/.test(await hash()));
await page.evaluate(() => [...document.querySelectorAll(".slice .do")].find((e) => e.innerText === "earlier").click());
await settle();
expect("from one of it to the one before", await position(), Math.max(...slice.items.map((i) => i.position)));
await page.evaluate(() => (location.hash = "#p=1:31408&w=31000-32000&tab=path"));
await settle();
await page.click(".critical .bar .tab");
await settle();
const part = ["--from", "1:#31000", "--to", "1:#32000", "--thread", "1"];
const critical = (...more) => JSON.parse(execFileSync(rewind, ["critical-path", trace, "--image", image, ...part, ...more, "--json"], { encoding: "utf8" }));
const steps = critical("--steps", "-c", "1000");
expect("the critical path is that of the command", await listed(), steps.items.map((i) => i.position));
const sums = critical("-c", "100");
expect("and so is where it lies", await page.$$eval(".critical .shares tbody tr", (all) => all.map((e) => [...e.children].map((c) => c.innerText))),
  [...sums.functions.map((f) => [f, f.function]), ...sums.lines.map((l) => [l, l.source])].map(([f, name]) =>
    [f.path.toLocaleString("en-US"), ((100 * f.path) / sums.length).toFixed(f.path === sums.length ? 0 : 1) + " %", f.executed.toLocaleString("en-US"), name]));
await page.click(".critical td .at");
await settle();
expect("a step of it is a link", await position(), steps.items[0].position);
expect("the path is in the URL", /path=1-31000-32000/.test(await hash()));

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
  for (const tab of [1, 2, 3, 4, 5]) {
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
await end();
