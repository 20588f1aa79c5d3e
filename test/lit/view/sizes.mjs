// Texts, URLs and folds that are larger than the server takes, in a real Chromium: the page says so, and goes on.
// sizes.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { drive, expect, pause } from "./drive.mjs";

const { page, settle, position, press, goto, end } = await drive(process.argv.slice(2));
const status = () => page.$eval("[role=status].status", (e) => e.textContent);
const warnings = () => page.$$eval(".notice.warn", (all) => all.map((e) => e.innerText));
const notices = () => page.$$eval(".memory .notice", (all) => all.map((e) => e.innerText));
const enter = (selector, text) =>
  page.evaluate((selector, text) => {
    const field = document.querySelector(selector);
    field.value = text;
    field.form.requestSubmit();
  }, selector, text);
const go = async (fragment) => {
  await page.evaluate((fragment) => (location.hash = fragment, location.reload()), fragment);
  await page.waitForNavigation();
  await page.waitForSelector(".rows .row");
  await settle();
};
const tooLong = (letter, bytes) => '"' + letter.repeat(20) + '…" is too long: ' + bytes + " bytes, at most 4,096 are understood";

// --- A text that no message holds ---
await enter("#search", "a".repeat(4096));
await settle();
expect("4,096 bytes are asked for", (await status()).includes("is too long"), false);
for (const [text, said] of [
  ["a".repeat(4097), tooLong("a", "4,097")],
  ["a".repeat(66000), tooLong("a", "66,000")],
  ["ä".repeat(2100), tooLong("ä", "4,200")],
]) {
  await enter("#search", text);
  await settle();
  expect("searched for: " + text.length + " characters", await status(), said);
}
await pause(1500);
expect("the server is there", await warnings(), []);
await goto(100);
expect("and answers", [await position(), await status()], [100, ""]);

// --- The same in a pane, and in the URL ---
await enter(".memory input[name=expr]", "b".repeat(66000));
await settle();
expect("a pane says so", await notices(), [tooLong("b", "66,000")]);
// The URL follows a little later.
await page.waitForFunction(() => location.href.includes("b".repeat(100)));
await page.reload();
await page.waitForSelector(".rows .row");
await settle();
expect("again after a reload", [await notices(), await warnings()], [[tooLong("b", "66,000")], []]);
await enter(".memory input[name=expr]", "sp");
await settle();
expect("until it is about something else", [await notices(), await page.$$eval(".memory .byte", (all) => all.length)], [[], 256]);

// --- Questions that together are more than a message ---
const runs = (count) => Array.from({ length: count }, (_, i) => 2 * i).join(",");
await go("p=1:100&fold=" + runs(3000) + "&mem=sp~~,sp~~,0~~,x0~~");
await pause(1500);
expect("3,000 folds and four panes", [await warnings(), await position(), await status(), (await notices()).filter((t) => !/unknown/.test(t))], [[], 100, "", []]);
await press("ArrowDown");
expect("go on", await position() > 100);

// --- Folds that are none ---
for (const [folds, named] of [["x", "x"], ["9-3", "9-3"], ["1,,2", "1,,2"], ["18446744073709551615", "18446744073709551615"], [runs(9000), runs(9000).slice(0, 40) + "…"]]) {
  await go("p=1:100&fold=" + folds);
  expect("fold=" + folds.slice(0, 20), [await position(), await status(), await page.$$eval(".row", (all) => all.length > 50)], [100, "there are no folds " + named, true]);
}
await go("p=1:100&fold=0-");
expect("an open range is one", await status(), "");

// --- More panes than there are, and moments that are not there ---
await go("p=1:100&mem=" + Array(200).fill("sp~~").join(","));
expect("200 panes", [await page.$$eval(".memory", (all) => all.length), await status()], [4, "there are 4 panes of memory at most: the first of 200 are shown"]);
await go("p=1:100&mem=sp~999999999~7:1");
expect("moments of a pane", await status(), "there is no position 999999999 to lock or compare; there is no position 7:1 to lock or compare");
await go("p=1:100&mem=0xfffffffffffffff8~~");
expect("the last byte of memory", await page.$$eval(".memory .byte", (all) => all[all.length - 1].title), "0xffffffffffffffff");
// --- A narrow window: no control lies where no scrolling leads ---
const outside = () =>
  page.evaluate(() => [...document.querySelectorAll("button, input, select, a")].filter((e) => {
    const box = e.getBoundingClientRect();
    if (!box.width || box.right <= innerWidth + 1) return false;
    for (let up = e.parentElement; up; up = up.parentElement)
      if (up.scrollWidth > up.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(up).overflowX)) return false;
    return true;
  }).map((e) => (e.textContent || e.name) + " ends at " + Math.round(e.getBoundingClientRect().right)));
await go("p=1:100&mem=sp~50~20");
for (const width of [320, 480, 899]) {
  await page.setViewport({ width, height: 700 });
  await pause(200);
  await settle();
  expect(width + " pixels wide", await outside(), []);
}
await end();
