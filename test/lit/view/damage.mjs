// A damaged trace in a real Chromium: the page tells what `rewind info` tells, until it was read.
// damage.mjs <node_modules> <chromium> <rewind> <trace> [<image>]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drive, expect, pause } from "./drive.mjs";

const [packages, , rewind, trace] = process.argv.slice(2);
const axe = readFileSync(join(packages, "axe-core/axe.min.js"), "utf8");
const { page, browser, open, settle, position, press, url, end } = await drive(process.argv.slice(2));
const json = (...words) => JSON.parse(execFileSync(rewind, [words[0], trace, ...words.slice(1), "--json"], { encoding: "utf8" }).split("\n")[0]);
const info = JSON.parse(execFileSync(rewind, ["info", trace, "--json"], { encoding: "utf8" }));
const notices = (of = page) => of.$$eval(".lacks", (all) => all.length);

expect("it is damaged", info.malformed_count > 0);
const summary = await page.$eval(".lacks summary", (e) => e.innerText);
const records = info.lines === undefined ? "record" : "line";
const malformed = info.malformed_count + " " + records + (info.malformed_count === 1 ? " is" : "s are") + " malformed and left out";
expect("how much is malformed: " + summary, summary.includes(malformed));
const gaps = info.events_by_kind.gap ?? 0;
expect("gaps", Number(/(\d+) gap/.exec(summary)?.[1] ?? 0), gaps);
expect("the cut end", summary.includes("last line: " + info.notes["last line"]), info.notes["last line"] !== undefined);
const listed = () => page.$$eval(".lacks ul ul li", (all) => all.map((e) => e.checkVisibility() && e.innerText));
expect("it is folded", await listed(), info.malformed_lines.map(() => false));

// --- By keyboard: unfold, go there, read, dismiss ---
await page.focus(".lacks summary");
await press("Enter");
expect("each malformed one", await listed(), info.malformed_lines.map((m) => (m.line ? "line " + m.line : "byte " + m.offset) + ": " + m.what));
await page.evaluate(axe);
expect("axe finds nothing", await page.evaluate(async () => (await axe.run()).violations.map((v) => v.id + ": " + v.nodes[0].html.slice(0, 120))), []);
for (const [i, m] of info.malformed_lines.entries()) {
  if (!m.line) continue;
  await page.evaluate((i) => document.querySelectorAll(".lacks ul ul .do")[i].focus(), i);
  await press("Enter");
  expect("Return on it goes to line " + m.line, await position(), json("list", "l:" + m.line, "-c", "1").position);
}
if (gaps) {
  const before = await position();
  await page.evaluate(() => [...document.querySelectorAll(".lacks .do")].find((e) => e.innerText === "next one").focus());
  await press("Enter");
  const there = await position();
  expect("the next gap", there > before && (await page.$eval(".row.now", (e) => e.innerText)).includes("gap"));
}
expect("it stays until it is dismissed", await notices(), 1);
await page.evaluate(() => [...document.querySelectorAll(".lacks .do")].find((e) => e.innerText === "dismiss").focus());
await press("Enter");
expect("dismissed", await notices(), 0);
await page.reload();
await page.waitForSelector(".rows .row");
await settle();
expect("and not told again in this tab", await notices(), 0);
const other = await open(url);
await settle(other);
expect("another tab tells it", await notices(other), 1);
await end();
