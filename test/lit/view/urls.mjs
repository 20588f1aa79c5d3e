// URLs of what is not there, in a real Chromium: the page says so, and shows what is.
// urls.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { drive, expect } from "./drive.mjs";

const { page, settle, position, press, focus, hash, end } = await drive(process.argv.slice(2));
const status = () => page.$eval("[role=status].status", (e) => e.textContent);
const threads = await page.evaluate(() => [...document.querySelectorAll("header select option")].length || 1);
const last = Number(/of ([\d,]+)/.exec(await page.$eval(".where", (e) => e.innerText))[1].replace(/,/g, ""));
const grouped = (n) => n.toLocaleString("en-US");
/** Opens it as a link does that was typed: the page begins anew. */
const go = async (fragment) => {
  await page.evaluate((fragment) => (location.hash = fragment, location.reload()), fragment);
  await page.waitForNavigation();
  await page.waitForSelector(".rows .row");
  await settle();
};
const noThread = "there is no thread ", noPosition = (p) => "there is no position " + p + ": thread 1 ends at #" + grouped(last);

expect("a trace that is whole says nothing", [await status(), await page.$$eval(".lacks", (all) => all.length)], ["", 0]);
for (const [fragment, at, said] of [
  ["p=1:999999999", last, noPosition("#999,999,999")],
  ["p=1:" + (last + 1), last, noPosition("#" + grouped(last + 1))],
  ["p=1:" + last, last, ""],
  ["p=1:99999999999999999999999999", last, noPosition("#100,000,000,000,000,000,000,000,000")],
  ["p=1:-1", 0, noPosition('"-1"')],
  ["p=1:", 0, "p=1: names no position: p=<thread>:<position>, p=1:0 for instance"],
  ["p=1", 0, "p=1 names no position: p=<thread>:<position>, p=1:0 for instance"],
  ["p=9:1", 0, noThread + "9"],
  ["p=" + (threads + 1) + ":5", 0, noThread + (threads + 1)],
  ["p=0:1", 0, noThread + "0"],
  ["p=x:1", 0, noThread + '"x"'],
  ["p=%3Cb%3E:1", 0, noThread + '"<b>"'],
  ["p=1:100&w=50-150", 100, ""],
  ["p=1:100&w=150-50", 100, "there is no window 150-50"],
  ["p=1:100&w=0-999999999", 100, "there is no window 0-999999999"],
  ["p=1:100&id=0x1", 100, "this link was made for another state of the trace"],
  ["p=1:999999999&id=0x1", last, "this link was made for another state of the trace; " + noPosition("#999,999,999")],
  ["p=1:100&of=%&mem=%E0%A4", 100, ""],
]) {
  await go(fragment);
  expect("#" + fragment, [await position(), await status()], [at, said]);
}
// Typed over the URL of the page that is open, too; and it is said no longer than it is so.
await page.evaluate(() => (location.hash = "p=9:1"));
await settle();
expect("typed over the page's", [await position(), await status()], [0, noThread + "9"]);
await focus(".trace .rows");
await press("ArrowDown");
expect("until one goes on", [await position(), await status()], [1, ""]);
expect("the URL is a good one then", /p=1:1&/.test(await hash()));
await end();
