// Keys that are faster than the server's answers, in a real Chromium: none is lost, and who goes elsewhere meanwhile stays there.
// Needs a trace with exceptions before the instructions 19999, 39999 and 59999.
// turns.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { drive, expect } from "./drive.mjs";

const { page, settle, position, focus, goto, hash, end } = await drive(process.argv.slice(2), {
  // Questions wait for `slow` ms, in their order.
  before: () => {
    window.slow = 0;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) {
      if (window.slow) setTimeout(() => send.call(this, text), window.slow);
      else send.call(this, text);
    };
  },
});
/** All keys at once, before any answer. */
const quickly = async (selector, keys, repeat = false) => {
  await page.evaluate((selector, keys, repeat) => {
    window.slow = 150;
    for (const key of keys) document.querySelector(selector).dispatchEvent(new KeyboardEvent("keydown", { key, repeat, bubbles: true, cancelable: true }));
  }, selector, keys, repeat);
};
const answered = async () => {
  await settle();
  await page.evaluate(() => (window.slow = 0));
  await settle();
};
const at = async (selector, keys) => (await quickly(selector, keys), await answered(), await position());
const Rows = ".trace .rows";
const status = () => page.$eval(".status", (e) => e.textContent);
/** The rows there are on their way when the keys come. */
const arrive = (n) => page.evaluate((n) => ((window.slow = 150), (location.hash = "#p=1:" + n)), n);

await arrive(31408);
expect("Down, five times, while the rows are on their way", await at(Rows, Array(5).fill("ArrowDown")), 31413);
await arrive(50000);
expect("Up and Down in turns", await at(Rows, ["ArrowUp", "ArrowUp", "ArrowDown", "ArrowUp"]), 49998);
await arrive(31408);
await quickly(Rows, ["a"]);
await answered();
expect("a, while the row is on its way", [await page.$$eval(".effect.marked", (all) => all.length), await status()], [1, ""]);
await arrive(20000);
await answered();
const page1 = await at(Rows, ["PageDown"]);
await arrive(50000);
await answered();
await arrive(20000);
expect("PgDn and PgUp", [page1 > 20008, await at(Rows, ["PageDown", "PageUp"])], [true, 20000]);
await goto(0);
expect("e, three times", await at(Rows, ["e", "e", "e"]), 59999);
expect("and one that is not there, and back", [await at(Rows, ["e", "E"]), await status()], [39999, ""]);
await goto(31408);
await quickly(Rows, ["-"]);
await answered();
const caller = await position();
await quickly(Rows, ["-"]);
await answered();
const callers = await position();
await quickly(Rows, ["}"]);
await answered();
await goto(31408);
expect("- twice: the call, and the one around it", [callers < caller, await at(Rows, ["-", "-"])], [true, callers]);
const both = /fold=([^&]*)/.exec(await hash())[1];
await quickly(Rows, ["}"]);
await answered();
await goto(31408);
await quickly(Rows, ["-"]);
await answered();
await quickly(Rows, ["-"]);
await answered();
expect("and both are folded", /fold=([^&]*)/.exec(await hash())[1], both);
await quickly(Rows, ["}"]);
await answered();
await goto(31000);
const calls = [await at(Rows, ["k"]), await at(Rows, ["k"])];
await goto(31000);
expect("k, twice", await at(Rows, ["k", "k"]), calls[1]);

// --- Elsewhere meanwhile ---
await goto(31408);
await quickly(Rows, ["e", "ArrowDown"]);
await page.evaluate(() => document.querySelector(".row:not(.now)").click());
const clicked = await position();
await answered();
expect("a click meanwhile: what was asked before does not lead away from there", [clicked !== 31408, await position()], [true, clicked]);
await goto(31408);
await quickly(Rows, ["e", "ArrowDown", "Home"]);
await answered();
expect("Home meanwhile", await position(), 0);
await goto(31408);
await goto(100);
await quickly(Rows, ["e"]);
await page.goBack();
await answered();
expect("back meanwhile", await position(), 31408);

// --- Held down: as far as was seen ---
await goto(0);
await quickly(Rows, ["e"]);
await quickly(Rows, ["e", "e"], true);
await answered();
expect("a key that is held down waits for what it did", await position(), 19999);

// --- Memory ---
await page.evaluate(() => (location.hash = "#p=1:40000&mem=0x4200f0~~"));
await settle();
const first = () => page.$eval(".memory .address", (e) => BigInt(e.textContent));
const begin = await first();
await quickly(".memory .dump", ["PageDown", "PageDown", "PageUp", "PageDown"]);
await answered();
expect("PgDn in memory", Number((await first()) - begin), 512);
await quickly(".memory .dump", ["PageUp", "PageUp", "1"]);
await answered();
expect("and the last write of what is there then", await position(), 35014);
await end();
