// The tables of docs/view.md that compare the page with the Tarmac Trace Utilities, row by row: each row names its checks, here or in another
// file, or what replaces it; a row without is a failure. And those checks that the other files do not have, in a real Chromium.
// ttu.mjs <node_modules> <chromium> <rewind> <trace> <image> <docs/view.md>
import { readFileSync } from "node:fs";
import { drive, expect } from "./drive.mjs";

// Row: checks by file, as they are written there; or `instead`, which the row must say.
const Browser = [
  ["Tab; F1, F10; Backspace, Esc, ^G, ^U, Return at prompts", { browser: ["Tab: next pane", "F1 shows the keys", "F10 shows the keys, too", "Esc leaves a prompt", "^G, too", "^U empties a prompt", "l line"], keys: ["Backspace"], ttu: ["the help scrolls"] }, "^W is the browser's"],
  ["`reg::x`, `sym::x` and sums of them at prompts", { browser: ["P last visit"], keys: ["reg:: in sums"] }],
  ["NO_COLOR, --no-colour", { browser: ["F6 colours off"] }, "F6; light and dark are the system's"],
  ["q", {}, "Ctrl-C where the server runs; close the tab"],
  ["Up, Down, PgUp, PgDn, Home, End, ^L", { browser: ["Down", "Up", "PgDn", "PgUp", "Home", "End", '"Ctrl-L " + place'], ttu: ["Down over a fold: the next visible row", "and Up back over it"] }],
  ["l, t, p, P, e, E", { browser: ["l line", "t time", "p next visit", "P last visit"], keys: ["e: the next exception", "E: the last one"] }],
  ["n, N", { browser: ["n again", "N back"] }, "repeat the last search"],
  ["-, _, +, =, [, ], {, }", { browser: ["- goes to the call", "+ unfolds it", "[ folds what is called", "] unfolds", "{ folds everything", "} unfolds everything"], keys: ["_ folds like -", "= unfolds like +"] }],
  ["r, S, D, V, M", { browser: ["r hides the core registers", "V shows vectors", "M shows vectors, too"], ttu: ["S: four singles, as their bits say", "D: two doubles"] }],
  ["m, a, Return, F6, F7", { browser: ["m opens memory", "a marks what is named", "Return: the last write", "F6 colours off"], keys: ["F7: no names of targets"], ttu: ["a goes round", "m again: another pane, four at most"] }],
  ["shown: rule at the position; file, time, line, symbolic PC; [HIDDEN] inside a fold; behind a fold what the whole call changed",
    { browser: ["[HIDDEN] inside a fold"], ttu: ["the rule is above the position's row", "line, file, time and symbolic pc are shown", "behind a fold: registers of after the call", "and what the call changed is marked"] }],
  ["registers: arrows, Return, ^L, l, t", { browser: ["Down chooses a register", "Return: last write of x0", "^L locks", "l locks to a line"], keys: ["t locks to a time"] }, "drag the window's size"],
  ["registers: a value as symbol, changed ones marked, unknown ones distinct", { keys: ["what the row before changed is marked"], ttu: ["a value as symbol", "what is unknown says so", "and no unknown one is zero"] }],
  ["memory: arrows, Return, ^L, l, t, [, ], d, 1 2 4 8, x, F", { browser: ["an arrow chooses a byte", "[ last change", "d compares", "1: last write of a byte", 'size + ": last write of so many"', "4: last write of four", "x closes", "F stops following"], keys: ["t locks memory to a time", "] the next one"], ttu: ["Return: last write of the byte", "d marks what differs"] }],
  ["memory: hex, ASCII, symbols", { ttu: ["ASCII says what hex says", "a line names the symbol it is in"] }],
  ["call-depth indentation", { keys: ["calls are indented", "F8: they are not"] }, "F8"],
];
const Gui = [
  ["trace: click, scroll bar, boxed + and −, Left, Right, context menu (folds, containing call, last write, open memory, values as numbers)",
    { browser: ["Left goes to the call", "Left there folds it", "Right unfolds it", "the row's menu", "a byte as unsigned and signed, and as no float"], keys: ["unfolded completely", "one level", "the containing call's subroutines"],
      ttu: ["a click goes to the row", "the scroll bar moves what is seen, not the position", "boxed −", "boxed +", "menu: fold the containing call", "menu: unfold all in it", "menu: the whole trace, both ways", "an access's menu: last write", "an access's menu: memory"] }],
  ["registers, memory: context menu, wheel, arrows, pages", { keys: ["a register's menu has writes and values", "last write of a register", "a byte's menu has values of what it is in", "PgDn", "Down: a line of bytes", "the wheel goes on through memory"] }],
  ["File: new trace, the set-up dialog, progress", {}, "`rewind view` and its options"],
  ["New: memory; stack, core, SP, DP, Neon, MVE", { ttu: ["m again: another pane, four at most", "there is a stack"] }, "four panes at most"],
  ["several windows; Close, Quit", { ttu: ["a second page of the URL shows the same"] }, "several pages"],
  ["Copy, selection by drag, double and triple click", { ttu: ["double click selects a value", "triple click selects a row's text", "drag selects bytes"] }],
  ["Find CPU exception; Re-centre; indentation; highlighting; symbolic targets", { browser: ['"Ctrl-L " + place', "F6 colours off"], keys: ["e: the next exception", "F8: they are not", "F7: no names of targets"] }],
  ["toolbar: Line, Time, PC, Prev, Next", { browser: ["l line", "t time", "p next visit", "n again", "N back"] }],
  ["subviews: Line, Locked to; Address (empty: stop following)", { browser: ["l locks to a line", "an expression is followed", "F stops following"], ttu: ["lock in the header"] }],
  ["bytes marked under the mouse, by 1, 2, 4, 8", { browser: ["1: last write of a byte"] }, "1, 2, 4, 8 ask for that many"],
  ["fonts and colours from a file", {}, "the browser's zoom and fonts"],
];

const text = readFileSync(process.argv[7], "utf8").split("\n");
/** The rows of a table by its first header, as pairs. */
const table = (header) => {
  const from = text.findIndex((line) => line.startsWith("| " + header + " |")) + 2, to = text.findIndex((line, i) => i > from && !line.startsWith("|"));
  return text.slice(from, to).map((line) => line.slice(2, -2).split(" | "));
};
const sources = new Map(["browser", "keys", "ttu"].map((file) => [file, readFileSync(new URL(file + ".mjs", import.meta.url), "utf8")]));
for (const [header, wanted] of [["of tarmac-browser", Browser], ["of tarmac-gui-browser", Gui]]) {
  const documented = table(header);
  expect(header + ": the rows of the table", documented.map(([theirs]) => theirs), wanted.map(([theirs]) => theirs));
  for (const [i, [theirs, checks, instead]] of wanted.entries()) {
    const lacking = Object.entries(checks).flatMap(([file, names]) => names.filter((name) => !sources.get(file).split("\n").some((line) => line.includes("expect(") && line.includes(name.startsWith('"') || name.includes(" + ") ? name : '"' + name))).map((name) => file + ": " + name));
    expect(theirs + ": has its checks", lacking, []);
    if (instead !== undefined) expect(theirs + ": the docs say what replaces it", documented[i]?.[1].includes(instead));
    else expect(theirs + ": has checks", Object.keys(checks).length > 0);
  }
}

const { page, url, open, settle, position, focus, press, type, goto, row, hash, register, folds, end } = await drive(process.argv.slice(2));
const menu = async (label) => {
  await page.evaluate((label) => [...document.querySelectorAll(".menu button")].find((e) => e.innerText.startsWith(label)).click(), label);
  await settle();
};
const right = (selector) => page.click(selector, { button: "right" });
const changed = () => page.$$eval(".register.changed .name", (all) => all.map((e) => e.textContent));

// --- What is shown at the position ---
const unknown = await page.evaluate(() => [...document.querySelectorAll(".memory .line:first-child .byte.unknown")].map((e) => e.innerText + (getComputedStyle(e).backgroundImage === "none" ? " not hatched" : "")));
expect("what is unknown says so", unknown, Array(16).fill("??"));
expect("and no unknown one is zero", await page.$eval(".memory .line .ascii", (e) => e.innerText), "?".repeat(16));
await goto(31408);
expect("the rule is above the position's row", await page.$eval(".row.now", (e) => {
  const style = getComputedStyle(e), before = getComputedStyle(e, "::before");
  return parseFloat(style.borderTopWidth) > 0 || style.boxShadow !== "none" || parseFloat(before.height) > 0;
}));
expect("line, file, time and symbolic pc are shown", [
  await page.$eval(".row.now .pc", (e) => e.title), await page.$eval(".source h2", (e) => e.innerText), await page.$eval(".row.now .time", (e) => e.innerText),
  await page.$eval(".row.now .function", (e) => e.innerText.replace(/\+.*/, "")), await page.$eval(".lines .now .number", (e) => /^\d+$/.test(e.innerText))],
  ["line 72277", "inventory.c", "31,409", "set_label", true]);
expect("a value as symbol", await page.$$eval(".register", (all) => all.find((e) => e.innerText.startsWith("lr")).querySelector(".symbol").innerText.startsWith("rename_items+0x")));
expect("there is a stack", await page.$$eval(".frame .name", (all) => all.map((e) => e.innerText).slice(0, 2)), ["set_label", "rename_items"]);

// --- Folds ---
await press("-");
const call = await position();
const hiddenRows = Number(/([\d,]+) hidden/.exec(await row())[1].replace(",", ""));
await press("ArrowDown");
expect("Down over a fold: the next visible row", await position(), call + hiddenRows + 1);
const after = await register("x0"), marked = await changed();
await press("}");
await goto(call + hiddenRows + 1);
expect("behind a fold: registers of after the call", await register("x0"), after);
expect("and what the call changed is marked", [marked.length > (await changed()).length, (await changed()).every((name) => marked.includes(name))], [true, true]);
await goto(call);
await press("ArrowLeft", "ArrowDown");
await page.click(".row:not(.now) .box .do[title^=unfold]").catch(() => {});
await press("}");
await goto(31408);
await press("-", "ArrowDown", "ArrowUp");
expect("and Up back over it", await position(), call);
await page.click(".row.now .box .do");
await settle();
expect("boxed +", [await folds(), (await row()).includes("hidden")], ["", false]);
await page.click(".row.now .box .do");
await settle();
expect("boxed −", (await row()).includes("hidden"));
await press("}");
await goto(31408);
await right(".row.now .insn");
await menu("Fold the containing call");
expect("menu: fold the containing call", await position(), call);
await press("}");
await goto(31408);
await right(".row.now .insn");
await menu("Fold what the containing call calls");
await right(".row.now .insn");
await menu("Unfold all in the containing call");
expect("menu: unfold all in it", await folds(), "");
await right(".row.now .insn");
await menu("Fold the whole trace");
const all = await folds();
await right(".row.now .insn");
await menu("Unfold the whole trace");
expect("menu: the whole trace, both ways", [all, await folds()], ["1-", ""]);

// --- Effects ---
await goto(3);
const effects = await page.$$eval(".row.now .effect", (list) => list.length), went = [];
for (let i = 0; i <= effects; ++i) {
  await press("a");
  went.push(await page.$$eval(".row.now .effect", (list) => list.findIndex((e) => e.classList.contains("marked"))));
}
expect("a goes round", [effects > 1, went], [true, [...Array(effects).keys(), 0]]);
await goto(31408);
await right(".row.now .effect .do");
await menu("Last write of");
expect("an access's menu: last write", (await position()) < 31408);
await goto(31408);
const panes = (await page.$$(".memory")).length;
await right(".row.now .effect .do");
await menu("Open memory at 0x4200f0");
expect("an access's menu: memory", [(await page.$$(".memory")).length, await page.$eval(".memory input[name=expr]", (e) => e.value)], [panes + 1, "0x4200f0"]);

// --- Memory ---
const dump = () => page.$eval(".memory .line", (e) => ({ hex: [...e.querySelectorAll(".byte")].map((b) => b.innerText), ascii: e.querySelector(".ascii").textContent, symbol: e.querySelector(".symbol").innerText }));
await goto(73000);
const line = await dump();
expect("ASCII says what hex says", line.ascii, line.hex.map((h) => (h === "??" ? "?" : parseInt(h, 16) >= 32 && parseInt(h, 16) < 127 ? String.fromCharCode(parseInt(h, 16)) : "·")).join(""));
await focus(".memory .dump");
await press("m");
await type("sym::items");
expect("a line names the symbol it is in", (await page.$$eval(".memory .symbol", (list) => list.map((e) => e.innerText))).slice(0, 1).every((name) => name !== ""));
await press("m");
await page.keyboard.down("Control");
await press("u");
await page.keyboard.up("Control");
await type("0x4200f0");
await press("d");
await type("#1000");
const differs = await page.$$eval(".memory .byte.changed", (list) => list.length);
await page.evaluate(() => [...document.querySelectorAll(".memory .do")].find((e) => e.innerText === "stop").click());
await settle();
expect("d marks what differs", [differs > 0, differs > (await page.$$eval(".memory .byte.changed", (list) => list.length))], [true, true]);
await goto(40000);
await focus(".memory .dump");
await press("Enter");
expect("Return: last write of the byte", await position(), 35014);
for (let i = 0; i < 5; ++i) {
  await focus(".trace .rows");
  await press("m");
  await page.keyboard.down("Control");
  await press("u");
  await page.keyboard.up("Control");
  await type("sp+" + 16 * i);
}
expect("m again: another pane, four at most", (await page.$$(".memory")).length, 4);
await page.click(".registers header .do");
await settle();
const locked = await register("x1");
await goto(100);
expect("lock in the header", [await register("x1"), /lock=/.test(await hash())], [locked, true]);
await page.evaluate(() => [...document.querySelectorAll(".registers header .do")].find((e) => e.innerText === "unlock").click());
await settle();

// --- Vector registers ---
await goto(73000);
await press("r", "V");
const vector = await register("v0");
await press("S");
const singles = await register("v0");
await press("D");
const doubles = await register("v0");
await press("D", "r");
const bytes = vector.slice(2).match(/../g).reverse().map((h) => parseInt(h, 16)), view = new DataView(Uint8Array.from(bytes).buffer);
const numbers = (t) => t.split(/[ ,]+/).filter(Boolean).map(Number);
expect("S: four singles, as their bits say", [numbers(singles).length, numbers(singles).every((n, i) => Math.fround(n) === view.getFloat32(4 * i, true) || Math.abs(n - view.getFloat32(4 * i, true)) <= 1e-6 * Math.abs(n))], [4, true]);
expect("D: two doubles", [numbers(doubles).length, numbers(doubles).every((n, i) => n === view.getFloat64(8 * i, true) || Math.abs(n - view.getFloat64(8 * i, true)) <= 1e-12 * Math.abs(n))], [2, true]);

// --- The mouse ---
await goto(31408);
const next = await page.evaluate(() => document.querySelector(".row.now").nextElementSibling.querySelector(".position").innerText);
await page.evaluateHandle(() => document.querySelector(".row.now").nextElementSibling.querySelector(".insn")).then((e) => e.click());
await settle();
expect("a click goes to the row", [await position(), next], [31409, "#31,409"]);
const lastSeen = () => page.$eval(".trace .rows", (box) => [...box.querySelectorAll(".row")].filter((e) => e.getBoundingClientRect().top < box.getBoundingClientRect().bottom).pop().querySelector(".position").innerText);
const seen = await lastSeen();
for (let i = 0; i < 6; ++i) {
  await page.$eval(".trace .rows", (box) => (box.scrollTop = box.scrollHeight));
  await settle();
}
expect("the scroll bar moves what is seen, not the position", [await position(), Number((await lastSeen()).replace(/[#,]/g, "")) > Number(seen.replace(/[#,]/g, "")) + 300], [31409, true]);
await goto(31408);
const selected = () => page.evaluate(() => getSelection().toString());
const box = async (selector) => (await page.$(selector)).boundingBox();
const value = await box(".register .value");
await page.mouse.click(value.x + 20, value.y + 8, { count: 2 });
expect("double click selects a value", await selected(), await register("x0"));
const insn = await box(".row.now .insn");
await page.mouse.click(insn.x + 30, insn.y + 8, { count: 3 });
expect("triple click selects a row's text", (await selected()).trim().includes(await page.$eval(".row.now .insn", (e) => e.innerText.trim())));
const [first, third] = await page.$$eval(".memory .line:first-child .byte", (list) => [list[0], list[3]].map((e) => (({ x, y, width, height }) => ({ x, y, width, height }))(e.getBoundingClientRect())));
await page.mouse.move(first.x + 1, first.y + 9);
await page.mouse.down();
await page.mouse.move(third.x + third.width - 1, third.y + 9, { steps: 5 });
await page.mouse.up();
expect("drag selects bytes", (await selected()).replace(/\s/g, ""), await page.$$eval(".memory .line:first-child .byte", (list) => list.slice(0, 4).map((e) => e.innerText).join("")));

// --- A second page, and the help where it does not fit ---
const other = await open(await page.evaluate(() => location.href));
await settle(other);
expect("a second page of the URL shows the same", [await position(other), url.startsWith(new URL(other.url()).origin)], [await position(), true]);
await other.close();
await page.bringToFront();
await page.setViewport({ width: 700, height: 320 });
await focus(".trace .rows");
await press("F1");
const scrolled = () => page.evaluate(() => Math.max(...[document.querySelector("dialog"), ...document.querySelectorAll("dialog *")].map((e) => e.scrollTop)));
await press("PageDown", "ArrowDown");
await new Promise((done) => setTimeout(done, 300));
expect("the help scrolls", (await scrolled()) > 0);
await press("Escape");
await end();
