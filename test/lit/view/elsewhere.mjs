// Places of other threads, in a real Chromium: what is listed leads to the thread where it was, and what was locked stays in its own.
// elsewhere.mjs <node_modules> <chromium> <rewind> <trace of two CPUs> <image>
import { execFileSync } from "node:child_process";
import { drive, expect } from "./drive.mjs";

const [, , rewind, trace, image] = process.argv.slice(2);
const { page, settle, position, focus, press, control, goto, type, hash, register, end } = await drive(process.argv.slice(2));
const thread = () => page.$eval("header select", (e) => Number(e.value));
const json = (command, ...words) => JSON.parse(execFileSync(rewind, [...command.split(" "), trace, "--image", image, ...words, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
const show = async (rest) => {
  await page.evaluate((rest) => (location.hash = "#p=1:9000&" + rest), rest);
  await settle();
};
/** What the list says, and where each of it leads. */
const listed = () => page.$$eval(".below td .at", (all) => all.map((e) => [e.textContent, /p=(\d+:\d+)/.exec(e.href)[1], e.closest("tr").className]));
const written = (i) => (i.thread === 1 ? "" : i.thread + ":") + "#" + i.position.toLocaleString("en-US");
const wanted = (items) => items.map((i) => [written(i), i.thread + ":" + i.position]);

const other = json("history", "0x4200f0", "--from", "1:#0", "-c", "500").items;
const some = json("slice", "0x4200f0", "--at", "1:#19000", "-c", "1000").items;
for (const items of [other, some]) expect("items of both threads", new Set(items.map((i) => i.thread)).size, 2);

// --- A history ---
await show("of=0x4200f0");
const now = Number((await page.$eval(".row.now .time", (e) => e.textContent)).replaceAll(",", ""));
const table = await listed();
expect("the history has all of them, and each link its thread", table.map((i) => i.slice(0, 2)), wanted(other));
expect("which of them were before", table.map((i) => i[2]), other.map((i) => (i.time < now ? "past" : "")));
const far = other.findIndex((i) => i.thread === 2);
const link = () => page.evaluateHandle((n) => document.querySelectorAll(".below td .at")[n], far);
await (await link()).click();
await settle();
expect("a click goes to that thread", [await thread(), await position()], [2, other[far].position]);
expect("where it is the one of the position", (await listed())[far][2], "now");
await page.goBack();
await settle();
expect("back", [await thread(), await position()], [1, 9000]);
await focus(".plot canvas");
await press("Home");
const stops = [];
for (let i = 0; i < other.length; ++i) {
  stops.push((await thread()) + ":" + (await position()));
  await press("ArrowRight");
}
expect("the plot goes from write to write, whoever wrote", stops, other.map((i) => i.thread + ":" + i.position));

// --- A slice ---
await show("slice=0x4200f0~1~19000&tab=slice");
expect("a slice's, too", (await listed()).map((i) => i.slice(0, 2)), wanted(some));
await goto(19500);
const walked = [];
expect("there are many", some.length > 20, true);
const steps = Math.min(60, some.length);
for (let i = 0; i < steps; ++i) {
  await page.evaluate(() => [...document.querySelectorAll(".slice .do")].find((e) => e.innerText === "earlier").click());
  await settle();
  walked.push((await thread()) + ":" + (await position()));
}
expect("earlier leads through both threads", walked, some.slice(0, steps).map((i) => i.thread + ":" + i.position));

// --- Bookmarks, and the longest of a profile ---
await page.evaluate(() => (location.hash = "#p=2:777&tab=bookmarks"));
await settle();
await press("b");
await type("there");
await show("tab=bookmarks");
expect("a bookmark's", (await listed()).map((i) => i.slice(0, 2)), [["2:#777", "2:777"]]);
const longest = json("profile self", "-c", "500");
await show("tab=profile");
const where = longest.items.filter((i) => i.longest).map((i) => [written(i.longest), i.longest.thread + ":" + i.longest.position]);
expect("a profile's", [(await listed()).map((i) => i.slice(0, 2)), where.length > 5], [where, true]);

// --- Locks ---
await show("mem=0x4200f0~~");
await focus(".registers .values");
await control("l");
const mine = [await register("pc"), await register("sp"), await register("x1")];
await focus(".memory .dump");
await control("l");
await press("d");
await type("#1200");
const bytes = () => page.$eval(".memory .dump", (e) => e.innerText);
const then = await bytes(), marked = await page.$$eval(".memory .byte.changed", (all) => all.length);
expect("something differs from that moment", marked > 0);
await page.select("header select", "2");
await settle();
await goto(100);
expect("what is locked stays in its thread", [await register("pc"), await register("sp"), await register("x1")], mine);
expect("memory, too, and what it is compared with", [await bytes(), await page.$$eval(".memory .byte.changed", (all) => all.length)], [then, marked]);
const kept = await hash();
expect("the URL tells of which thread", [/lock=1:9000/.test(kept), /mem=0x4200f0~1:9000~1:1200/.test(kept)], [true, true]);
await page.reload();
await page.waitForSelector(".rows .row");
await settle();
expect("reload shows the same", [await thread(), await register("x1"), await bytes()], [2, mine[2], then]);
await page.click(".registers header .at");
await settle();
expect("and its link leads there", [await thread(), await position()], [1, 9000]);
await end();
