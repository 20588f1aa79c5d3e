// A source file that is longer than what is asked for at once, and what the search field takes, in a real Chromium.
// source.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { drive, expect } from "./drive.mjs";

const { page, position, focus, press, type, goto, hash, end } = await drive(process.argv.slice(2));
const now = () => page.$$eval(".lines .now", (all) => all.map((e) => e.innerText.replace(/\s+/g, " ").trim()));
const rest = () => page.$$eval(".lines .line.hint", (all) => all.map((e) => e.innerText));
const status = () => page.$eval(".status", (e) => e.textContent);

await focus(".trace .rows");
await press("/");
await type("late");
expect("a line far below", [await now(), await rest()], [["7007 return x * 2;"], ["6,500 lines above", "1,512 lines below"]]);
expect("it is in sight", await page.$eval(".lines", (box) => {
  const at = box.querySelector(".now").getBoundingClientRect(), room = box.getBoundingClientRect();
  return at.top >= room.top && at.bottom <= room.bottom;
}));
await press("/");
await type("early");
expect("one far above; the field was emptied", [await now(), await rest()], [["4 return x + n;"], ["8,012 lines below"]]);
const here = await position();
for (const [typed, said] of [
  ["t:99999999999", "time 99999999999 is out of range"], ["l:99999999999", "line 99999999999 is out of range"],
  ["#99999999999", "position #99999999999 is out of range"], ["99999999999", "position 99999999999 is out of range"], ["101%", "not a share"],
  ["nosuch", "'nosuch' is no register"],
]) {
  await press("/");
  await type(typed);
  expect(typed, [(await status()).includes(said) || (await status()), await position()], [true, here]);
}
expect("no memory was opened for them", /mem=sp~~/.test(await hash()));
await end();
