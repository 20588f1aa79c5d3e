// Panes whose question changes, whose answer is bad, and whose server is another one, in a real Chromium.
// panes.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { drive, expect, pause } from "./drive.mjs";

const [, , rewind, trace, image] = process.argv.slice(2);
const { server, page, browser, settle, position, focus, press, goto, hash, end } = await drive(process.argv.slice(2));
const failed = (of = page) => of.$$eval(".failed", (all) => all.map((e) => e.innerText));
const tab = (label, of = ".below header") =>
  page.evaluate((of, label) => [...document.querySelectorAll(of + " .tab")].find((e) => e.innerText === label).click(), of, label);
const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

// --- Each kind of profile after each other, and each metric ---
const Kinds = ["self", "dominated", "in and out", "sequences", "flame graph"];
await tab("Profile");
await settle();
await page.click(".profile tbody tr:nth-child(1) td:last-child .do");
await settle();
expect("a block is chosen", /block=/.test(await hash()));
const kind = (label) => tab(label, ".profile");
/** What is drawn: the words of the first table's header, or the flame graph. */
const drawn = () => page.$eval(".profile", (e) => (e.querySelector(".flame") ? "flame graph" : [...e.querySelectorAll("table:first-of-type th")].map((h) => h.innerText).slice(0, 3).join()));
const Drawn = { self: "self,%,activations", dominated: "dominated,%,self", "in and out": "dominated,%,self", sequences: "self,%,activations", "flame graph": "flame graph" };
for (const first of Kinds)
  for (const second of Kinds) {
    await kind(first);
    await settle();
    await kind(second);
    await frame();
    await settle();
    expect(first + ", then " + second, [await drawn(), await failed()], [Drawn[second], []]);
  }
const metrics = await page.$$eval(".profile select option", (all) => all.map((e) => e.value));
expect("there are metrics", metrics.length > 5);
for (const first of Kinds)
  for (const [i, metric] of metrics.entries()) {
    // Both change at once, and another time before the answer has come.
    await page.select(".profile select", metric);
    await kind(first);
    await frame();
    await kind(Kinds[i % Kinds.length]);
    await page.select(".profile select", metrics[(i + 3) % metrics.length]);
    await frame();
    await kind(first);
    await settle();
    const got = [await drawn(), await failed()];
    if (JSON.stringify(got) !== JSON.stringify([Drawn[first], []])) expect(first + " by " + metric, got, [Drawn[first], []]);
  }
expect("kinds and metrics in turns", await failed(), []);
await page.select(".profile select", "instructions");
await page.evaluate(() => (location.hash = location.hash.replace(/&block=[^&]*/, "").replace(/&page=[^&]*/, "") + "&page=block"));
await settle();
expect("no block: nothing of the kind before", await page.$$eval(".profile table, .profile .flame", (all) => all.length), 0);

// --- What was asked for, and is cleared ---
await goto(31408);
await tab("Slice");
await page.$eval(".slice input", (e) => (e.value = "x0"));
await page.focus(".slice input");
await press("Enter");
expect("a slice", (await page.$$eval(".slice tbody tr", (all) => all.length)) > 0);
const clear = () => page.evaluate(() => [...document.querySelectorAll(".below .bar .do")].find((e) => e.innerText === "clear").click());
await clear();
await settle();
expect("a slice, cleared", [await page.$$eval(".slice tbody tr", (all) => all.length), await failed()], [0, []]);
await tab("Critical path");
await frame();
await tab("of the window", ".critical");
await settle();
expect("a critical path", (await page.$$eval(".critical tbody tr", (all) => all.length)) > 0);
await clear();
await settle();
expect("a critical path, cleared", [await page.$$eval(".critical tbody tr", (all) => all.length), await failed()], [0, []]);

// --- An answer that a pane cannot draw ---
page.removeAllListeners("pageerror");
const errors = [];
page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
await page.evaluate(() => {
  const parse = JSON.parse;
  JSON.parse = (text) => {
    const told = parse(text);
    for (const answer of told?.answers ?? []) if (window.spoil && answer.frames) answer.frames = [null];
    return told;
  };
  window.spoil = true;
});
await goto(31408 + 500);
expect("one pane says what failed", (await failed()).map((text) => text.startsWith("Stack cannot be shown here: ")), [true]);
expect("the page's errors tell it, too", errors.length > 0);
const rows = () => page.$eval(".row.now", (e) => e.innerText);
const before = await rows();
await focus(".trace .rows");
await press("ArrowDown");
expect("the others go on", [await position(), (await rows()) !== before, (await failed()).length], [31909, true, 1]);
await page.evaluate(() => (window.spoil = false));
await press("ArrowDown");
expect("it is there again after the next change", [(await page.$$eval(".frame", (all) => all.length)) > 0, await failed()], [true, []]);

// --- Another server at the address ---
page.removeAllListeners("console");
const port = new URL(page.url()).port;
const ended = new Promise((done) => server.once("exit", done));
server.kill("SIGINT");
await ended;
await page.waitForFunction(() => document.querySelector("[role=alert]")?.innerText.startsWith("The server does not answer"), { timeout: 5000 });
const other = spawn(rewind, ["view", trace, "--image", image, "--no-open", "--port", port], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => other.kill("SIGINT"));
const url = await new Promise((found) => createInterface({ input: other.stdout }).once("line", found));
await page.waitForFunction(() => /belongs to a server that has ended.*open the whole URL/.test(document.querySelector("[role=alert]")?.innerText), { timeout: 8000 });
expect("the page says that its server is another one", await page.$$eval("[role=alert]", (all) => all.length), 1);
await pause(1500);
expect("and goes on saying it", await page.$$eval("[role=alert]", (all) => all.length), 1);
// A tab without a token asks others: the old one is not given to it.
const second = await browser.newPage();
await second.goto("http://127.0.0.1:" + port + "/");
await second.waitForFunction(() => document.body.innerText.includes("needs the whole URL"), { timeout: 5000 });
expect("no tab is given the old token", true);
await second.close();
await page.bringToFront();
// The new URL, typed over the old one: only its fragment differs.
await page.evaluate((url) => (location.href = url), url);
await page.waitForFunction(() => !document.querySelector("[role=alert]") && document.querySelector(".rows .row"), { timeout: 8000 });
await settle();
await goto(31408);
expect("the new URL leads in", [await position(), /t=[0-9a-f]{32}/.test(await hash())], [31408, false]);
await end();
