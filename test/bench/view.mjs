// First paint, frames and memory of a page: view.mjs <node_modules> <chromium> <url>
// Prints lines of name, value and unit, with tabs between.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, chromium, url] = process.argv.slice(2);
const puppeteer = createRequire(resolve(packages, "x.js"))("puppeteer-core");
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
// The browser itself is warm; the page is not.
await (await browser.newPage()).goto("data:text/html,<p>warm");
const page = await browser.newPage();
const wire = await page.createCDPSession();
await wire.send("Network.enable");
let largest = 0;
wire.on("Network.webSocketFrameReceived", (event) => (largest = Math.max(largest, event.response.payloadData.length)));
await page.setViewport({ width: 1500, height: 950 });
await page.goto(url);
await page.waitForSelector(".rows .row");
const say = (name, value, unit) => console.log([name, value, unit].join("\t"));
say("first paint", await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime), "ms");
say("first rows", await page.evaluate(() => performance.now()), "ms");
const idle = () => page.waitForFunction(() => document.body.dataset.waiting === "0", { polling: 20 });
await idle();
// From the whole to one instruction and back, five times, a step a frame.
const frames = await page.evaluate(async () => {
  const key = (key) => document.querySelector(".tracks").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const took = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  let last = await frame();
  for (let round = 0; round < 5; ++round)
    for (const step of ["w", "s"])
      for (let i = 0; i < 24; ++i) {
        key(step);
        const now = await frame();
        took.push(now - last);
        last = now;
      }
  return took.sort((a, b) => a - b);
});
await idle();
say("zooming, 95 of 100 frames", frames[Math.floor(frames.length * 0.95)], "ms");
say("largest answer", largest / 1024, "KiB");
await wire.send("HeapProfiler.collectGarbage");
const { usedSize } = await wire.send("Runtime.getHeapUsage");
say("JavaScript's memory", usedSize / 2 ** 20, "MiB");
await browser.close();
