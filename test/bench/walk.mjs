// A user's walk through a page, and the memory of its tab meanwhile.
// walk.mjs <node_modules> <chromium> <url> <seconds>
// Prints lines, with tabs between: seconds, MiB of JavaScript's heap after a
// collection, MiB that are the renderer's alone, elements of the document, moves.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { readFileSync } from "node:fs";

const [packages, chromium, url, seconds] = process.argv.slice(2);
const puppeteer = createRequire(resolve(packages, "x.js"))("puppeteer-core");
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, protocolTimeout: 600000, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
page.on("pageerror", (error) => (console.error(String(error.stack ?? error)), process.exit(1)));
await page.setViewport({ width: 1500, height: 950 });
await page.goto(url);
await page.waitForSelector(".rows .row");
const wire = await page.createCDPSession();
const whole = await browser.target().createCDPSession();
const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
const own = (pid) => {
  const kib = (name) => Number(new RegExp("^" + name + ":\\s+(\\d+)", "m").exec(readFileSync("/proc/" + pid + "/smaps_rollup", "utf8"))[1]);
  return (kib("Private_Clean") + kib("Private_Dirty") + kib("Swap")) / 1024;
};
// The one of the page is the largest: the other is the empty tab's.
const renderers = processInfo.filter((p) => p.type === "renderer").map((p) => p.id);
const tab = renderers.sort((a, b) => own(b) - own(a))[0];

let seed = 17;
const random = (n) => Math.floor(((seed = (seed * 48271) % 2147483647) / 2147483647) * n);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const idle = () => page.waitForFunction(() => document.body.dataset.waiting === "0", { polling: 20, timeout: 120000 });
const length = await page.evaluate(() => Number(/\/?([\d,]+)\s*$/.exec(document.querySelector(".where")?.innerText ?? "")?.[1]?.replace(/,/g, "")) || 1000000);
const press = async (key, times = 1) => {
  for (let i = 0; i < times; ++i) await page.keyboard.press(key);
};
const line = async (key, text) => {
  await page.focus(".trace .rows");
  await page.keyboard.press(key);
  await page.waitForSelector(".prompt input:focus");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
};
const trace = (...keys) => async () => {
  await page.focus(".trace .rows");
  for (const key of keys) await press(key, 1 + random(20));
};
const tabOf = (n) => page.click(".below header .tab:nth-child(" + n + ")");
const Moves = [
  () => line("g", String(random(length))),
  trace("ArrowDown"), trace("ArrowUp"), trace("PageDown", "PageUp"), trace("-", "+"), trace("[", "]"), trace("{", "}"),
  trace("j"), trace("k"), trace("a", "Enter"), trace("w"), trace("s"), trace("w", "d", "a", "s"), trace("0"),
  () => page.goBack(), () => page.goForward(),
  async () => (await tabOf(1), page.click(".register:nth-child(" + (1 + random(20)) + ") .name .do")),
  () => tabOf(1), () => tabOf(2), () => tabOf(4), () => tabOf(5),
  async () => {
    const box = await (await page.$(".tracks")).boundingBox();
    for (let i = 0; i < 20; ++i) await page.mouse.move(box.x + random(box.width), box.y + random(box.height));
    await page.mouse.click(box.x + random(box.width), box.y + random(box.height));
  },
  async () => {
    const box = await (await page.$(".trace .rows")).boundingBox();
    await page.mouse.move(box.x + 200, box.y + 100);
    for (let i = 0; i < 30; ++i) await page.mouse.wheel({ deltaY: random(2) ? 700 : -700 });
  },
];
const begun = Date.now();
let moves = 0;
const measure = async () => {
  await idle();
  await wire.send("HeapProfiler.collectGarbage");
  const { usedSize } = await wire.send("Runtime.getHeapUsage");
  const elements = await page.evaluate(() => document.getElementsByTagName("*").length);
  console.log([(Date.now() - begun) / 1000, usedSize / 2 ** 20, own(tab), elements, moves].map((n) => Math.round(n * 10) / 10).join("\t"));
};
await measure();
for (let next = 20; Date.now() - begun < seconds * 1000; ) {
  await Moves[random(Moves.length)]();
  ++moves;
  await pause(50);
  if (moves % 8 === 0) await idle();
  if (Date.now() - begun > next * 1000) {
    await measure();
    next += 20;
  }
}
await measure();
await browser.close();
