// Bookmarks that others change while the page is open, in a real Chromium: the page shows what the commands do.
// marks.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { execFileSync } from "node:child_process";
import { drive, expect } from "./drive.mjs";

const [, , rewind, trace] = process.argv.slice(2);
const { page, open, url, settle, position, focus, press, type, goto, end } = await drive(process.argv.slice(2));
const bookmark = (...words) => execFileSync(rewind, ["bookmark", words[0], trace, ...words.slice(1)]);
const status = () => page.$eval("[role=status].status", (e) => e.textContent);
const tab = async (name, of = page) => {
  await of.evaluate((name) => [...document.querySelectorAll(".below button.tab")].find((e) => e.textContent === name).click(), name);
  await settle(of);
};
const listed = (of = page) => of.$$eval(".below tbody tr", (all) => all.map((e) => [...e.children].slice(0, 2).map((c) => c.innerText).join(" ")));
const click = async (name) => {
  await page.evaluate((name) => [...document.querySelectorAll(".below tbody .do")].find((e) => e.textContent === name).click(), name);
  await settle();
};

await tab("Bookmarks");
expect("none", await listed(), []);
bookmark("add", "outside", "#500");
await goto(10);
await settle();
expect("added in a shell: there with the next answer", await listed(), ["#500 outside"]);
await tab("History");
bookmark("delete", "outside");
bookmark("add", "outside", "#900");
await tab("Bookmarks");
expect("moved: there when the pane is shown", await listed(), ["#900 outside"]);
bookmark("delete", "outside");
bookmark("add", "outside", "#700");
await click("outside");
expect("moved while it is shown: a click goes where it is", await position(), 700);
bookmark("delete", "outside");
await click("outside");
expect("deleted: a click says so", [await position(), await status(), await listed()], [700, "there is no bookmark outside any more", []]);
bookmark("add", "focus", "#30");
await page.evaluate(() => dispatchEvent(new Event("focus")));
await settle();
expect("added: there when the tab gets the focus", await listed(), ["#30 focus"]);

// --- Another tab, and the error of the one before ---
const other = await open(url);
await tab("Bookmarks", other);
await page.bringToFront();
await focus(".trace .rows");
await press("b");
await type("bad name");
expect("a bad name", (await status()).includes("bad name"));
await focus(".trace .rows");
await press("b");
await type("good");
expect("and a good one", [await status(), await listed()], ["", ["#30 focus", "#700 good"]]);
await other.bringToFront();
await settle(other);
await other.evaluate(() => dispatchEvent(new Event("focus")));
await settle(other);
expect("the other tab has it", await listed(other), ["#30 focus", "#700 good"]);
await page.bringToFront();
await click("×");
expect("deleted here", await listed(), ["#700 good"]);
await end();
