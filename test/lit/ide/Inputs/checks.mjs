// What must work in the real VS Code. Each check is a function, and leaves a session
// that stands.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { basename, dirname } from "node:path";
import { sleep, until } from "./workbench.mjs";

// Lines of desk.c.
const RETURN_ZERO = 10, SOLD = 16, LOOP = 24, COUNTED = 25;

/** Is shown: the frame on top is that of the last position. */
async function shown(w, place) {
  if (place.source_line !== undefined)
    await until(`${place.function} on top of the stack`, async () => (await w.stack())[0]?.startsWith(place.function), 10);
  await until("the buttons work", () => w.toolbar("Step Over").and(w.page.locator(":not(.disabled)")).count(), 10);
}

async function step(w, action) {
  const place = await w.stopOf(action);
  await shown(w, place);
  return place;
}

const button = (w, title) => () => w.toolbar(title).click();
const forward = (w) => step(w, button(w, "Continue"));
const reverse = (w) => step(w, button(w, "Reverse"));
const restart = (w) => step(w, button(w, "Restart"));

async function quiet(w) {
  assert.deepEqual(await w.complaints(), []);
  assert.ok(w.events("stopped").every(({ message }) => message.body.reason !== "exception"));
}

/** Sets or takes a breakpoint on a line of desk.c. */
async function breakpoint(w, line) {
  const asked = () => w.messages().filter(({ message }) => message?.type === "response" && message.command === "setBreakpoints").length;
  const before = asked();
  await w.goToLine("desk.c", line);
  await w.key("F9");
  await until("the breakpoint is known", () => asked() > before);
}

/** To the first execution of a line. */
async function to(w, line) {
  await breakpoint(w, line);
  await restart(w);
  const place = await forward(w);
  await breakpoint(w, line);
  assert.equal(place.source_line, line);
  return place;
}

/** All stops that a button leads to, up to the end of the history. */
async function all(w, go) {
  const found = [];
  for (;;) {
    const place = await go(w);
    if (place.reason === "history boundary") return found;
    assert.match(place.reason, /breakpoint/);
    found.push(place);
  }
}

/** 1: F5 on a fresh workspace: stopped at entry in less than 5 s, no error. */
export async function stopsAtEntry(w) {
  const started = () => w.messages().filter(({ from }) => from === "start").length;
  let pressed;
  const place = await w.stopOf(async () => {
    // The workbench takes no key until its extensions have started.
    while (!started()) {
      pressed = Date.now();
      await w.key("F5");
      await until("a session starts", started, 15).catch(() => {});
    }
  });
  const [entry] = w.events("stopped");
  assert.equal(place.reason, "entry");
  assert.equal(place.position, 0);
  await shown(w, place);
  await quiet(w);
  const took = (entry.at - pressed) / 1000;
  // Others may use the machine.
  const limit = 5 * Math.max(1, loadavg()[0] / cpus().length);
  assert.ok(took < limit, `it took ${took} s, not ${limit}`);
  return `${took.toFixed(1)} s`;
}

/** 2: Step Back 20 times over a recursion mirrors 20 times Step Over. */
export async function stepBackMirrorsStepOver(w) {
  await to(w, LOOP);
  const seen = async (place) => [place.function, place.source_line, await w.depth()];
  const there = [await seen(w.last())];
  for (let i = 0; i < 20; ++i) there.push(await seen(await step(w, button(w, "Step Over"))));
  const back = [];
  for (let i = 0; i < 20; ++i) back.push(await seen(await step(w, button(w, "Step Back"))));
  assert.deepEqual(back, there.slice(0, -1).reverse());
  assert.ok(there.every(([name, line, depth]) => name === "main" && (line === LOOP || line === COUNTED) && depth === there[0][2]), JSON.stringify(there));
  // And within the recursion.
  await to(w, RETURN_ZERO);
  const deepest = await w.depth();
  for (const less of [1, 2, 3]) {
    await step(w, button(w, "Step Back Out"));
    assert.equal(await w.depth(), deepest - less);
  }
  const call = w.last();
  const over = await step(w, button(w, "Step Over"));
  assert.equal(await w.depth(), deepest - 3);
  assert.ok(over.position > call.position + 10);
  assert.equal((await step(w, button(w, "Step Back"))).source_line, call.source_line);
  assert.equal(await w.depth(), deepest - 3);
  await quiet(w);
  return `${there.length - 1} steps at depth ${there[0][2]}`;
}

/** Where the line of the cursor was executed before, or is next. */
async function jump(w, which) {
  await w.command("Debug: Jump to Cursor");
  await w.page.locator(".quick-input-list .monaco-list-row", { hasText: `${which} execution` }).click();
}

/** 3: no box of an exception after a step back, a jump, the last write, an end. */
export async function noExceptionBox(w) {
  const reasons = [];
  const look = async (place) => {
    reasons.push(place.reason);
    await sleep(300); // a box takes a moment
    await quiet(w);
  };
  await to(w, RETURN_ZERO);
  await look(await step(w, button(w, "Step Back")));
  await look(await step(w, button(w, "Step Back Into")));
  await look(await step(w, button(w, "Step Back Out")));
  await w.goToLine("desk.c", SOLD);
  await look(await step(w, () => jump(w, "next")));
  await w.goToLine("desk.c", SOLD, 7); // in "quantity": of p
  await look(await step(w, () => w.command("Rewind: Go to Last Write")));
  await look(await forward(w));
  await look(await reverse(w));
  assert.deepEqual(reasons, ["step", "step", "step", "goto", "goto", "history boundary", "history boundary"]);
  return reasons.join(", ");
}

/** 4: Step Back is one instruction in the disassembly and one line in the source;
 * the disassembly does not open by itself. */
export async function granularity(w) {
  const disassembly = () => w.page.locator(".tab", { hasText: "Disassembly" }).count();
  assert.equal(await disassembly(), 0);
  await to(w, SOLD);
  await w.page.locator(".tab[data-resource-name='desk.c']").click();
  const line = await step(w, () => w.key("F10"));
  const before = await step(w, () => w.key("Alt+F10"));
  assert.equal(before.source_line, SOLD);
  assert.ok(line.position - before.position > 1);
  assert.equal(await disassembly(), 0);
  await sleep(1000); // the palette lists what can be done when it opens
  await w.command("Open Disassembly View");
  await w.page.locator(".editor-instance .monaco-list-row", { hasText: "p->quantity" }).first().click();
  const positions = [before.position];
  const asked = () => w.messages().filter(({ message }) => message?.type === "request" && /^rewind.reverse|^stepBack/.test(message.command)).map(({ message }) => message.command);
  const earlier = asked().length;
  for (const key of ["Alt+F10", "Alt+F11", "Alt+F10"]) positions.push((await w.stopOf(() => w.key(key))).position);
  assert.deepEqual(positions, [0, 1, 2, 3].map((n) => before.position - n));
  // The button says to the adapter what all clients say.
  const last = await step(w, button(w, "Step Back"));
  assert.equal(last.position, before.position - 4);
  assert.deepEqual(asked().slice(earlier), ["rewind/reverse-nexti", "rewind/reverse-stepi", "rewind/reverse-nexti", "stepBack"]);
  await w.screenshot("4-disassembly");
  const depth = await w.depth();
  await w.page.locator(".editor-instance .monaco-list-row", { hasText: "main" }).first().click();
  await w.stopOf(() => w.key("Shift+Alt+F11"));
  assert.equal(await w.depth(), depth - 1);
  await w.command("View: Close Editor");
  await quiet(w);
  return `a line: ${line.position - before.position} instructions`;
}

/** 5: every hit forward is a hit backward, with conditions, too. */
export async function breakpointsMirror(w) {
  await restart(w);
  await breakpoint(w, SOLD);
  const there = await all(w, forward);
  const back = await all(w, reverse);
  assert.equal(there.length, 4);
  assert.deepEqual(back.map((place) => place.position).reverse(), there.map((place) => place.position));
  await w.goToLine("desk.c", SOLD);
  await w.command("Debug: Edit Breakpoint");
  await w.type(".breakpoint-widget", "n > 2");
  const some = await all(w, forward);
  const someBack = await all(w, reverse);
  assert.equal(some.length, 2);
  assert.deepEqual(someBack.map((place) => place.position).reverse(), some.map((place) => place.position));
  await breakpoint(w, SOLD);
  await quiet(w);
  return "4 hits, 2 with a condition";
}

/** 6: a break when a value changes, from Variables and from a watch, both ways. */
export async function dataBreakpoints(w) {
  await to(w, SOLD);
  // What LLDB tells of each hit.
  const values = () => {
    const said = w.events("output").map(({ message }) => message.body.output).join("");
    return [...said.matchAll(/old value: (\S+)\s+new value: (\S+)/g)].map((found) => [found[1], found[2]]);
  };
  await w.addWatch("p->quantity");
  const watch = async (row) => {
    await w.contextMenu(row, "Break on Value Change");
    await until("it is set", () => w.page.locator(".debug-breakpoints .monaco-list-row", { hasText: "4 bytes at" }).count());
  };
  await watch(w.variable(".debug-watch", "p->quantity"));
  const before = values().length;
  const there = await all(w, forward);
  const turn = values().length;
  const back = await all(w, reverse);
  assert.equal(there.length, back.length);
  assert.deepEqual(values().slice(before, turn), [["10", "9"], ["9", "4"]]);
  assert.deepEqual(values().slice(turn), [["4", "9"], ["9", "10"]]);
  await w.screenshot("values");
  await w.command("Remove All Breakpoints");
  // A local variable's place is another's later on: here its function ends at once.
  await to(w, SOLD);
  await watch(w.variable(".debug-variables", "n"));
  const place = await forward(w);
  assert.match(place.reason, /breakpoint/);
  assert.equal((await reverse(w)).reason, place.reason);
  await w.command("Remove All Breakpoints");
  return "from Variables and from a watch";
}

/** 7: the key of Step Back held for 10 s: no stop is lost, none comes twice. */
export async function heldKey(w) {
  await restart(w);
  await forward(w); // to the end
  const before = w.messages().length;
  await w.page.keyboard.down("Alt");
  for (const end = Date.now() + 10000; Date.now() < end; await sleep(30)) await w.page.keyboard.down("F10");
  await w.page.keyboard.up("F10");
  await w.page.keyboard.up("Alt");
  await sleep(1000);
  const said = w.messages().slice(before).map(({ message }) => message);
  const requests = said.filter((one) => one?.type === "request" && one.command === "stepBack").length;
  const answers = said.filter((one) => one?.type === "response" && one.command === "stepBack" && one.success).length;
  const stops = said.filter((one) => one?.type === "event" && one.event === "stopped").length;
  const positions = said.filter((one) => one?.type === "event" && one.event === "rewind/position").map((one) => one.body.position);
  assert.ok(requests > 10, `${requests} steps`);
  assert.deepEqual([answers, stops, positions.length], [requests, requests, requests]);
  assert.ok(positions.every((position, i) => i === 0 || position < positions[i - 1] || position === 0), positions.join(" "));
  await quiet(w);
  return `${requests} steps`;
}

/** 10: Restart, Restart Frame, Jump to Cursor with several executions, the console. */
export async function jumps(w) {
  await to(w, RETURN_ZERO);
  const depth = await w.depth();
  const row = w.page.locator(".debug-call-stack .stack-frame").nth(2);
  const entered = await step(w, () => w.contextMenu(row, "Restart Frame"));
  assert.equal(entered.function, "count");
  assert.equal(entered.function_offset, 0);
  assert.equal(await w.depth(), depth - 2);
  await w.goToLine("desk.c", SOLD);
  const jumped = await step(w, () => jump(w, "next"));
  assert.equal(jumped.source_line, SOLD);
  assert.ok(jumped.position > entered.position);
  await w.command("Debug Console: Focus on Debug Console View");
  await w.page.keyboard.type("rewind where\n");
  await until("the console answers", async () =>
    (await w.page.locator(".repl-tree").textContent()).replace(/\u00a0/g, " ").includes(`#${jumped.position} of `),
  );
  assert.equal((await restart(w)).position, 0);
  await quiet(w);
  return `to #${jumped.position}`;
}

/** What is not in the protocol: menus, views, rows that lead to positions. */
export async function views(w) {
  await to(w, SOLD);
  await w.contextMenu(w.variable(".debug-variables", "p"), "Show History");
  const answers = w.page.locator(".pane", { has: w.page.locator(".pane-header[aria-label^='Rewind: Answers']") });
  const rows = answers.locator(".monaco-list-row");
  await answers.getByText("History of p").waitFor();
  await w.goToLine("desk.c", SOLD + 1, 4); // "total"
  await w.command("Rewind: Show History");
  await answers.getByText("History of total").waitFor();
  await rows.nth(4).waitFor();
  await w.screenshot("history");
  const label = await rows.nth(2).textContent();
  const place = await step(w, () => rows.nth(2).click());
  assert.ok(label.includes(`#${place.position.toLocaleString("en-US")}`), label);
  await w.command("Rewind: Go to Position");
  await step(w, () => w.answer("50%"));
  assert.equal(w.last().position, Math.floor(w.last().of / 2));
  return label;
}

/** The trees: calls, bookmarks with notes, layers. Their rows lead to positions. */
export async function trees(w) {
  const pane = (name) => w.page.locator(".pane", { has: w.page.locator(`.pane-header[aria-label^='Rewind: ${name}']`) });
  const header = (name) => w.page.locator(`.pane-header[aria-label^='Rewind: ${name}']`);
  const open = (row) => row.locator(".monaco-tl-twistie").click();
  for (const name of ["Variables", "Watch", "Breakpoints"]) await w.page.locator(`.pane-header[aria-label^='${name}']`).click();
  for (const name of ["Calls", "Bookmarks", "Layers"]) await header(name).click();
  const call = (name) => pane("Calls").locator(".monaco-list-row", { hasText: name }).first();
  await open(call("_start"));
  await open(call("__libc_start_main"));
  const entered = await step(w, () => call("_dl_aux_init").click());
  assert.deepEqual([entered.function, entered.function_offset], ["_dl_aux_init", 0]);

  await w.command("Rewind: Add Bookmark");
  await w.answer("sold");
  await w.page.locator(".quick-input-widget", { hasText: "A note on sold" }).waitFor();
  await w.answer("the first \"one\"");
  const bookmark = pane("Bookmarks").locator(".monaco-list-row", { hasText: "sold" });
  await bookmark.filter({ hasText: 'the first "one"' }).waitFor();
  await restart(w);
  assert.equal((await step(w, () => bookmark.click())).position, entered.position);
  await bookmark.hover();
  await bookmark.locator(".action-label[aria-label^='Delete Bookmark']").click();
  await until("it is deleted", async () => (await bookmark.count()) === 0);

  const blocks = pane("Layers").locator(".monaco-list-row");
  await open(blocks.filter({ hasText: "Hot" }));
  const hot = blocks.filter({ hasText: / %/ }).first();
  await hot.waitFor();
  await w.screenshot("trees");
  const there = await step(w, () => hot.click());
  await quiet(w);
  return `${entered.position}, ${there.position}`;
}

/** 9: lldb-dap is killed: one clear error, nobody is left. */
export async function killed(w) {
  const { pid } = w.messages().filter(({ from }) => from === "start").at(-1);
  const [adapter] = w.childrenOf(pid);
  process.kill(adapter, "SIGKILL");
  await until("the session is over", async () => !(await w.page.locator(".debug-toolbar:visible").count()));
  await until("nobody is left", () => !w.alive(pid) && !w.alive(adapter));
  const console = (await w.page.locator(".repl-tree").textContent()).replace(/\u00a0/g, " ");
  assert.equal(console.split("lldb-dap has ended (signal 9)").length, 2, console);
  // It stays for a while, and others look for complaints.
  await w.command("Notifications: Clear All Notifications");
  return "one error, no process";
}

/** The page of `rewind view` in a panel: it goes where the debugger goes, and leads
 * it. */
export async function page(w) {
  await to(w, SOLD);
  await w.command("Rewind: Open the Page");
  const there = () => Promise.all(w.page.frames().map(async (frame) => ((await frame.locator("#position").count().catch(() => 0)) ? frame : undefined)));
  const frame = await until("the panel has the page", async () => (await there()).find(Boolean));
  const at = (place) => until(`the page is at #${place.position}`, async () => (await frame.locator("#position").textContent()).replace(/\D/g, "") === String(place.position));
  await at(w.last());
  await at(await step(w, button(w, "Step Over")));
  await at(await step(w, button(w, "Step Back")));
  await w.screenshot("page-panel");
  const led = await step(w, async () => {
    await frame.locator("#search").fill("25%");
    await frame.locator("#search").press("Enter");
  });
  assert.equal(led.position, Math.floor(led.of / 4));
  // Asked again it is the same panel.
  await w.command("Rewind: Open the Page");
  await sleep(500);
  assert.equal((await there()).filter(Boolean).length, 1);
  await w.command("View: Close All Editors");
  await quiet(w);
  return `to #${led.position}`;
}

/** What a value was made from: trees whose rows lead to positions. */
export async function sources(w) {
  const answers = w.page.locator(".pane", { has: w.page.locator(".pane-header[aria-label^='Rewind: Answers']") });
  const rows = answers.locator(".monaco-list-row");
  const level = async (row) => Number(await row.getAttribute("aria-level"));
  const opened = (row) => row.getAttribute("aria-expanded");
  const open = (row) => row.locator(".monaco-tl-twistie").click();
  const labels = async () => rows.allTextContents();
  await w.goToLine("desk.c", SOLD + 1, 4); // "total"
  await w.command("Rewind: Go to Position");
  await step(w, () => w.answer("end"));
  // At the end nothing of the program is in scope but what is global.
  await w.command("Rewind: Show Slice");
  await answers.getByText("Slice of total").waitFor();
  // Its title comes before its rows.
  await until("the slice's first row is open", async () => (await opened(rows.nth(0))) === "true" && (await rows.count()) > 1);
  assert.equal(await level(rows.nth(0)), 1);
  assert.match((await labels())[0], /str/);
  assert.equal(await level(rows.nth(1)), 2);
  const before = await rows.count();
  await open(rows.nth(1));
  await until("there is more below it", async () => (await rows.count()) > before);
  assert.equal(await level(rows.nth(2)), 3);
  await w.screenshot("slice");
  const label = (await labels())[2];
  const made = await step(w, () => rows.nth(2).click());
  assert.ok(label.includes(`#${made.position.toLocaleString("en-US")}`), label);

  await w.command("Rewind: Go to Position");
  await step(w, () => w.answer("end"));
  await w.goToLine("desk.c", SOLD + 1, 4);
  await w.command("Rewind: Show Origin");
  await answers.getByText("Origin of total").waitFor();
  await until("the chain is there", async () => /stored from/.test(await rows.nth(0).textContent()));
  const last = rows.nth((await rows.count()) - 1);
  const depth = await level(last);
  await open(last);
  await until("what it was computed from", async () => (await rows.count()) > depth);
  const input = rows.nth(depth);
  assert.equal(await level(input), depth + 1);
  await w.screenshot("origin");
  const text = await input.textContent();
  const place = await step(w, () => input.click());
  assert.ok(text.includes(`#${place.position.toLocaleString("en-US")}`), text);
  await quiet(w);
  return `${label}; ${text}`;
}

/** Starts a configuration of launch.json. */
async function start(w, name) {
  await w.command("Debug: Select and Start Debugging");
  await w.answer(`debug ${name}`);
}

/** 11: in a session of the official extension, which starts any program as lldb-dap,
 * all is as in ours. */
export async function official(w) {
  const place = await w.stopOf(() => start(w, "official"), 60);
  assert.deepEqual([place.reason, place.position], ["entry", 0]);
  await shown(w, place);
  await to(w, SOLD);
  const there = await step(w, button(w, "Step Over"));
  assert.equal((await step(w, button(w, "Step Back"))).source_line, SOLD);
  assert.ok(there.position > w.last().position);
  // The commands and views of our extension are there.
  await w.command("Rewind: Go to Position");
  await step(w, () => w.answer("end"));
  await w.goToLine("desk.c", SOLD + 1, 4); // "total"
  const written = await step(w, () => w.command("Rewind: Go to Last Write"));
  assert.deepEqual([written.reason, written.function, written.source_line], ["goto", "sell", SOLD + 1]);
  await step(w, button(w, "Step Back Into"));
  await until("the position is shown", async () => (await w.page.locator(".statusbar").textContent()).replace(/\u00a0/g, " ").includes(`#${w.last().position.toLocaleString("en-US")} of`));
  await quiet(w);
  await w.screenshot("official-session");
  const answers = w.page.locator(".pane", { has: w.page.locator(".pane-header[aria-label^='Rewind: Answers']") });
  const rows = answers.locator(".monaco-list-row");
  await w.goToLine("desk.c", SOLD + 1, 4);
  await w.command("Rewind: Show History");
  await answers.getByText("History of total").waitFor();
  await until("the history has rows", async () => (await rows.count()) > 0);
  // What is read out of a row is all that it shows, and not only its tooltip.
  const read = await rows.nth(0).getAttribute("aria-label");
  assert.match(read, /^#[\d,]+  .* → .*str/);
  const over = async () => {
    await w.key("Shift+F5");
    await until("the session is over", async () => !(await w.page.locator(".debug-toolbar:visible").count()));
  };
  await over();
  // An answer is one about its session's recording.
  await w.stopOf(() => start(w, "official"), 60);
  await answers.waitFor();
  await until("the answers are gone", async () => (await answers.getByText("History of").count()) === 0 && (await rows.count()) === 0);
  await over();
  return `written at #${written.position}`;
}

/** 8: a large trace: how far it is, Cancel within a second and no half an index; the
 * second time it opens at once. */
export async function large(w) {
  const trace = w.setup.large;
  const left = () => readdirSync(dirname(trace)).filter((name) => name.includes(basename(trace)) && name !== basename(trace));
  const running = () => w.page.locator(".debug-toolbar:visible").count();
  const loads = () => w.messages().filter(({ message }) => message?.type === "response" && ["launch", "attach"].includes(message.command)).length;
  const before = loads();
  await start(w, "large");
  const toast = w.page.locator(".notification-toast", { hasText: /rewind load|indexing/ });
  await toast.waitFor({ timeout: 60000 });
  const percentages = () => w.events("progressUpdate").map(({ message }) => message.body.percentage).filter((one) => one !== undefined);
  await until("it tells how far it is", () => percentages().filter((one) => one > 0).length > 2, 60);
  const bar = toast.locator(".monaco-progress-container .progress-bit");
  await until("how far it is can be seen", async () => parseFloat(await bar.evaluate((one) => one.style.width)) > 0, 10);
  await w.screenshot("large-progress");
  const told = percentages();
  assert.ok(told.every((one, i) => one <= 100 && (i === 0 || one >= told[i - 1])), told.join(" "));
  await toast.hover();
  const pressed = Date.now();
  await toast.locator(".monaco-button", { hasText: "Cancel" }).click();
  await until("it is cancelled", () => loads() > before, 20);
  const took = Date.now() - pressed;
  await until("the session is over", async () => !(await running()), 20);
  await until("no half an index", () => left().length === 0, 5);
  await sleep(500);
  await quiet(w);
  assert.ok(took < 1000 * Math.max(1, loadavg()[0] / cpus().length), `${took} ms`);

  const first = await w.stopOf(() => start(w, "large"), 400);
  await shown(w, first);
  await w.key("Shift+F5");
  await until("the session is over", async () => !(await running()), 20);
  assert.ok(left().includes(`${basename(trace)}.rewind`));
  const again = Date.now();
  await w.stopOf(() => start(w, "large"), 60);
  const [stop] = w.events("stopped").slice(-1);
  const opened = stop.at - again;
  assert.ok(opened < 5000 * Math.max(1, loadavg()[0] / cpus().length), `${opened} ms`);
  await quiet(w);
  await w.key("Shift+F5");
  await until("the session is over", async () => !(await running()), 20);
  return `cancelled in ${took} ms, open again in ${opened} ms`;
}
