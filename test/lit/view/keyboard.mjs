// Everything by keyboard: each link, button, field and clickable thing of the page is reached and used with keys alone,
// in each pane and page, in the menu, the prompt, the help and the notices; the focus is seen and never caught nor lost;
// and axe finds nothing in those states, light and dark. Of a trace that is damaged.
// keyboard.mjs <node_modules> <chromium> <rewind> <trace> <image> panes|pages
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drive, expect, pause } from "./drive.mjs";

const axe = readFileSync(join(process.argv[2], "axe-core/axe.min.js"), "utf8");
const { page, settle, position, focus, press, type, goto, hash, end } = await drive(process.argv.slice(2), {
  // Who listens for a pointer says so.
  before: () => {
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (kind, ...more) {
      if (/^(click|dblclick|contextmenu|pointerdown)$/.test(kind) && this instanceof Element)
        this.dataset.takes = ((this.dataset.takes ?? "") + " " + kind).trim();
      return add.call(this, kind, ...more);
    };
  },
});
const part = process.argv[7];
/** A byte is stored there. */
const Here = 31407;
const Controls = "a[href], button, input, select, summary, textarea, [tabindex='0']";
const held = async (modifier, ...keys) => {
  await page.keyboard.down(modifier);
  await press(...keys);
  await page.keyboard.up(modifier);
};
const menu = () => page.$$eval(".menu button", (all) => all.length);
const on = () => page.evaluate(() => document.activeElement.className || document.activeElement.tagName);
const paneOf = () => page.evaluate(() => document.activeElement.closest(".pane")?.getAttribute("aria-label") ?? document.activeElement.closest("header")?.className ?? document.activeElement.tagName);

// --- What there is, and what keys have reached -------------------------------
await page.evaluate((Controls) => {
  window.name_ = (e) => (e.closest(".pane")?.id ?? "") + " <" + e.tagName.toLowerCase() + " " + e.className + "> " + (e.getAttribute("aria-label") ?? e.innerText ?? "").slice(0, 30) + (e.title ? " (" + e.title.slice(0, 30) + ")" : "");
  window.census = (area) => {
    window.all = [...document.querySelector(area).querySelectorAll(Controls)].filter((e) => e.checkVisibility() && !e.disabled);
    window.reached = new Set();
    window.used = new Set();
    window.seen = new Set();
    return all.length;
  };
  window.note = () => {
    const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    reached.add(e);
    const under = document.elementFromPoint(Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1));
    if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 && (e.contains(under) || under?.contains(e))) seen.add(e);
    return all.indexOf(e);
  };
  /** What is pressed on the focus; nothing on a field, and on what has keys of its own. */
  window.keyOf = () => {
    const e = document.activeElement;
    if (e.matches("a, button, summary")) return "Enter";
    if (e.type === "checkbox") return "Space";
    used.add(e);
    return "";
  };
  // A click that the keys made is counted, and does nothing.
  window.counting = false;
  addEventListener("click", (event) => {
    if (!counting) return;
    used.add(event.target.closest("a, button, input, summary, label"));
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}, Controls);

/** Presses a key in the page and notes where the focus is. */
const step = async (key) => {
  await page.keyboard.press(key);
  return page.evaluate(() => note());
};
/** Return, or the space bar, on what has the focus: it must come to a click. */
const use = async () => {
  const key = await page.evaluate(() => keyOf());
  if (!key) return;
  await page.evaluate(() => (counting = true));
  await page.keyboard.press(key);
  await page.evaluate(() => (counting = false));
};
let controls = 0;
const unreached = () => page.evaluate(() => ({
  unreached: all.filter((e) => e.isConnected && !reached.has(e)).slice(0, 5).map(name_),
  unused: all.filter((e) => e.isConnected && !used.has(e)).slice(0, 5).map(name_),
  unseen: all.filter((e) => reached.has(e) && !seen.has(e)).slice(0, 5).map(name_),
}));
/** All of an area that Right, or Tab from a field, leads to from its first control on. */
async function walk(area, most = 4000) {
  await page.keyboard.down("Control");
  await step("Home");
  await page.keyboard.up("Control");
  await page.evaluate(() => (counting = true));
  for (let i = 0; i < most; ++i) {
    const { key, field } = await page.evaluate(() => ({ key: keyOf(), field: document.activeElement.matches("select, input:not([type=checkbox])") }));
    if (key) await page.keyboard.press(key);
    await page.keyboard.press(field ? "Tab" : "ArrowRight");
    // Until nothing comes any more, it has led out, or nothing of what was there at first is left: a trace goes on.
    const over = await page.evaluate(async (area) => {
      const was = window.last, now = (window.last = document.activeElement);
      note();
      // Rows that were loaded meanwhile are in their place with the next frame.
      if (!seen.has(now)) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      note();
      return was === now || !now.closest(area) || all.every((e) => !e.isConnected || !e.closest(area) || used.has(e));
    }, area);
    if (over) break;
  }
  await page.evaluate(() => (counting = false));
}

/** Every control of a pane: its content by F2, its header by F2 again. */
async function everything(what, pane, content) {
  await focus(pane + " " + content);
  const count = await page.evaluate((pane) => census(pane), pane);
  controls += count;
  await page.evaluate(() => (note(), used.add(document.activeElement)));
  const before = await position();
  await step("F2");
  const inContent = await page.evaluate((area) => document.querySelector(area).contains(document.activeElement) && document.activeElement.matches("a, button, input, select"), pane + " " + content);
  if (inContent) {
    await walk(pane + " " + content);
    await focus(pane + " " + content);
    await step("F2");
    await step("F2");
  }
  if (await page.evaluate((area) => document.querySelector(area).contains(document.activeElement), pane + " > header")) {
    await walk(pane + " > header");
    await page.focus(pane + " > header :is(a, button, input)");
    await step("F2");
    expect(what + ": F2 leads back", await page.evaluate((area) => document.activeElement === document.querySelector(area), pane + " " + content));
    await page.focus(pane + " > header :is(a, button, input)");
    await step("Escape");
    expect(what + ": Esc leads back", await page.evaluate((area) => document.activeElement === document.querySelector(area), pane + " " + content));
  }
  // Pictures in it are stops of their own.
  for (const picture of await page.$$(pane + " " + content + " canvas[tabindex='0']")) {
    await focus(pane + " " + content);
    await step("Tab");
    await use();
  }
  expect(what + ": " + count + " controls, all reached, used and seen", await unreached(), { unreached: [], unused: [], unseen: [] });
  expect(what + ": to look is not to move", await position(), before);
}

const tab = async (label) => {
  await focus(".below .content");
  await press("F2");
  // To the header, from wherever F2 led to.
  if (!(await page.evaluate(() => document.activeElement.closest(".below > header")))) await press("F2");
  await held("Control", "Home");
  for (let i = 0; i < 8 && (await page.evaluate(() => document.activeElement.innerText)) !== label; ++i) await press("ArrowRight");
  await press("Enter");
};
const accessible = async (state, part) => {
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axe);
    expect("axe finds nothing: " + state + ", " + scheme,
      await page.evaluate(async (part) => {
        // The whole is asked only what a part cannot tell: large traces take long.
        const found = [await window.axe.run(part), await window.axe.run({ exclude: ".rows, .lines, .dump" }, { runOnly: { type: "rule", values: ["region", "landmark-unique", "page-has-heading-one"] } })];
        return found.flatMap((f) => f.violations.map((v) => v.id + ": " + v.nodes.slice(0, 2).map((n) => n.html.slice(0, 160)).join(" | ")));
      }, part), []);
  }
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
};

if (part === "panes") {
// --- The header, the notices and the panes, by Tab alone ---------------------
await goto(Here);
await focus("#search");
await held("Shift", "Tab");
await page.evaluate(() => census("body"));
const stops = [];
await page.evaluate(() => document.querySelector("#search").focus());
for (let i = 0; i < 60; ++i) {
  await page.evaluate(() => note());
  stops.push(await paneOf());
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement.id === "search" || document.activeElement === document.body)) break;
}
const panes = await page.$$eval(".pane", (all) => all.map((e) => e.getAttribute("aria-label")));
expect("Tab leads through the header and each pane once, and out again: " + stops.length + " stops", panes.filter((name) => stops.filter((stop) => stop === name).length !== 1), []);
expect("it is not caught", stops.length < 30);
const outside = () => page.evaluate(() => all.filter((e) => e.isConnected && !e.closest(".pane") && !reached.has(e)).map(name_));
expect("all of the header and the notices is among them", await outside(), []);
const back = [];
await focus(".below .content");
for (let i = 0; i < 60 && (await page.evaluate(() => document.activeElement.id !== "search" && document.activeElement !== document.body)); ++i) {
  back.push(await paneOf());
  await held("Shift", "Tab");
}
expect("Shift-Tab leads back", panes.filter((name) => !back.includes(name)), []);

// --- The notice of what the trace lacks ---
await focus(".lacks summary");
await accessible("a notice", ".lacks");
await page.evaluate(() => census(".lacks"));
await press("Enter");
const lacks = await page.evaluate(() => census(".lacks"));
controls += lacks;
await accessible("a notice, unfolded", ".lacks");
for (let i = 0; i < lacks; ++i) {
  await page.evaluate(() => (note(), document.activeElement.matches("ul") && used.add(document.activeElement)));
  await use();
  await page.keyboard.press("Tab");
}
expect("a notice: " + lacks + " controls, all reached, used and seen", await unreached(), { unreached: [], unused: [], unseen: [] });
await page.evaluate(() => [...document.querySelectorAll(".lacks .do")].pop().focus());
await press("Enter");
expect("dismissed: the focus is in the trace", await on(), "rows");

// --- Each pane ---
await goto(Here);
await everything("Trace", ".trace", ".rows");
await everything("Source", ".source", ".lines");
await everything("Registers", ".registers", ".values");
await everything("Stack", ".stack", ".frames");
await everything("Memory", ".memory", ".dump");
await everything("Timeline", ".timeline", ".tracks");

// What a click does elsewhere than on a control has a key: it is the row, the register or the byte that the keys are about.
const rest = await page.evaluate(() => [...document.querySelectorAll("[data-takes]")].filter((e) => e.checkVisibility() && !e.matches("a, button, input, select, summary, label, form"))
  .map((e) => e.tagName.toLowerCase() + "." + (e.classList[0] ?? "") + ": " + e.dataset.takes));
expect("what else takes the pointer", [...new Set(rest)].sort(), [
  "canvas.overview: pointerdown", "canvas.tracks: pointerdown contextmenu dblclick", "div.register: click contextmenu", "div.row: click contextmenu",
  "span.byte: click contextmenu", "span.effect: contextmenu",
]);
for (const [content, chosen] of [[".trace .rows", ".row.now"], [".registers .values", ".register.chosen"], [".memory .dump", ".byte.chosen"]]) {
  await focus(content);
  await press("ArrowDown");
  expect(content + ": the arrows choose, and say which", await page.evaluate((content, chosen) => {
    const box = document.querySelector(content), is = box.querySelector(chosen);
    return !!is && box.getAttribute("aria-activedescendant") === is.id && is.getAttribute("aria-selected") === "true";
  }, content, chosen));
  await held("Shift", "F10");
  expect(content + ": Shift-F10 opens its menu", (await menu()) > 2);
  await press("Escape");
  expect(content + ": and Esc closes it", [await menu(), await on()], [0, content.split(" .")[1]]);
}
await goto(Here);
await press("a");
await held("Shift", "F10");
expect("the menu of what is marked in the row", await page.$eval(".menu button", (e) => e.innerText.startsWith("Last write of")));
await accessible("a menu", ".cover");
await press("End");
const lastItem = await page.evaluate(() => document.activeElement === [...document.querySelectorAll(".menu button")].pop());
await press("Home", "h");
expect("End, and a letter, in a menu", [lastItem, await page.evaluate(() => document.activeElement.innerText.startsWith("History"))], [true, true]);
await press("Tab");
expect("Tab closes it", [await menu(), await on()], [0, "rows"]);

// --- Inside a pane, keys are for what has the focus ---
await goto(Here);
await press("F2", "End");
await press("Home");
const link = await page.evaluate(() => document.activeElement.closest(".row").querySelector(".position a") === document.activeElement);
await press("ArrowDown", "Enter");
expect("Return on the link of the next row goes there", [link, await position()], [true, Here + 1]);
await goto(Here);
await press("F2", "ArrowRight");
await press("Enter");
expect("Return on an address opens memory, and the focus stays", [(await page.$$(".memory")).length, await page.evaluate(() => !!document.activeElement.closest(".row.now"))], [2, true]);
await held("Shift", "F10");
expect("Shift-F10 on it: its menu", await page.$eval(".menu button", (e) => e.innerText.startsWith("Last write of")));
await press("Escape");
expect("and back on it", await page.evaluate(() => !!document.activeElement.closest(".row.now .effect")));
await focus(".memory .dump");
await press("F2", "Tab", "End", "Enter");
expect("a pane closed by its button: the focus is in the one at its place", [(await page.$$(".memory")).length, await paneOf()], [1, "Memory 1"]);

// --- The timeline's lanes ---
await goto(Here);
await press("b");
await type("mark");
await focus("canvas.tracks");
const chosen = () => page.$eval(".timeline [role=status]", (e) => e.textContent);
const lanes = [];
for (let i = 0; i < 60; ++i) {
  await press("ArrowDown");
  await pause(30);
  lanes.push(await chosen());
}
expect("Down leads through depths to the bookmarks", [lanes.some((text) => text.includes("depth 0")), lanes[lanes.length - 1]], [true, "mark · #31,407 · bookmarks"]);
await press("ArrowLeft");
await held("Shift", "ArrowRight");
expect("Shift-Right: the next one of the lane", await position(), Here);
for (let i = 0; i < 60 && !/depth 1$/.test(await chosen()); ++i) await press("ArrowUp");
const call = (await chosen()).match(/#([\d,]+) to #([\d,]+)/).slice(1).map((n) => Number(n.replaceAll(",", "")));
await held("Shift", "F10");
expect("its menu", await page.$$eval(".menu button", (all) => all.map((e) => e.innerText).slice(0, 3)), ["Go to its first instruction", "Go to where it ends", "Make it the window"]);
await press("ArrowDown", "ArrowDown", "Enter");
expect("makes a call the window", /w=(\d+)-(\d+)/.exec(await hash()).slice(1).map(Number), [call[0], call[1] + 1]);
await press("Enter");
expect("Return goes to the call", await position(), call[0]);
await press("Home");

// --- A prompt and the help ---
await goto(Here);
await press("g");
await accessible("a prompt", ".prompt");
await press("Tab");
expect("Tab leaves a prompt", await page.$$eval(".prompt", (all) => all.length), 0);
await focus(".trace .rows");
await press("?");
await accessible("the help", "dialog");
for (let i = 0; i < 3; ++i) await press("Tab");
await press("Escape");
expect("Esc closes the help, and the focus is where it was", [await page.$eval("dialog", (e) => e.open), await on()], [false, "rows"]);
expect("many were counted", controls > 800);
} else {
// --- The pages below: of a slice, a path, filters, a history, bookmarks ---
await goto(Here);
await page.evaluate(() => (location.hash += "&of=sp&slice=x0~1~31407&path=1-31000-31400&excl=find&foldb=insert"));
await settle();
await tab("History");
await everything("History", ".below", ".content");
await accessible("History", ".below");
await focus(".plot canvas");
await press("Home");
const firstWrite = await position();
await press("ArrowRight");
expect("the plot goes from write to write", (await position()) > firstWrite);
await goto(Here);
for (const label of ["Slice", "Critical path", "Bookmarks"]) {
  await tab(label);
  await everything(label, ".below", ".content");
  await accessible(label, ".below");
}
await tab("Profile");
for (const kind of ["self", "dominated", "in and out", "sequences", "flame graph"]) {
  await focus(".below .content");
  await press("F2");
  await held("Control", "Home");
  for (let i = 0; i < 8 && (await page.evaluate(() => document.activeElement.innerText)) !== kind; ++i) await press("ArrowRight");
  await press("Enter");
  await everything("Profile, " + kind, ".below", ".content");
  await accessible("Profile, " + kind, ".below");
  if (kind === "self") {
    // Chips: taken away by keyboard, and the focus goes on beside them.
    await focus(".chip .do");
    await press("Enter");
    expect("a chip is taken away, and the focus is on the other", [(await page.$$(".chip")).length, await page.evaluate(() => !!document.activeElement.closest(".chip"))], [1, true]);
    await focus(".profile tbody .do");
    await held("Shift", "F10");
    expect("a row's menu", (await menu()) > 5);
    await accessible("a menu of a profile", ".menu");
    await press("Escape");
    await press("Enter");
    expect("Return on a block leads to its page", /page=block/.test(await hash()));
  }
}
await focus(".flame");
await press("ArrowDown");
const block = await page.$eval(".chosen-block", (e) => e.textContent);
await press("ArrowUp");
expect("arrows choose blocks of the flame graph", [block.length > 0, block !== (await page.$eval(".chosen-block", (e) => e.textContent))], [true, true]);
await held("Shift", "F10");
expect("a block's menu", (await menu()) > 5);
await press("Escape", "Enter");
expect("Return goes to its longest", (await position()) !== Here);

expect("many were counted", controls > 400);
}
console.log(controls + " controls by keyboard alone");
await end();
