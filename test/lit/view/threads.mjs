// A trace of two threads in a real Chromium: the other one has a track, which leads to it.
// threads.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [packages, chromium, rewind, trace, image] = process.argv.slice(2);
const puppeteer = createRequire(join(packages, "x.js"))("puppeteer-core");
const server = spawn(rewind, ["view", trace, "--image", image, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGINT"));
const url = await new Promise((found) => createInterface({ input: server.stdout }).once("line", found));
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
let bad = 0;
const expect = (what, good) => (good || ++bad, console.log((good ? "ok      " : "FAILED  ") + what));
page.on("pageerror", (error) => expect("no error in the page: " + error.stack, false));
await page.setViewport({ width: 1500, height: 950 });
await page.goto(url + "&p=1:8000&w=2000-14000");
await page.waitForSelector(".rows .row");
const quiet = () => page.waitForFunction(() => document.body.dataset.waiting === "0" && !document.querySelector(".stale"), { polling: 30 });
const where = () => page.evaluate(() => ({ thread: Number(document.querySelector("header select").value), at: Number(document.getElementById("position").textContent.replace(/[#,]/g, "")) }));
await quiet();
await new Promise((done) => setTimeout(done, 300));
await quiet();
const box = await (await page.$(".tracks")).boundingBox();
// The last track is the other thread's; a quarter of the window in.
await page.mouse.move(box.x + box.width * 0.25, box.y + box.height - 12);
const tip = await (await page.waitForSelector(".tip")).evaluate((e) => e.innerText);
expect("the track tells whose it is, and where that is: " + tip.replace("\n", "; "), /thread 2/.test(tip) && /about #\d/.test(tip));
await page.mouse.click(box.x + box.width * 0.25, box.y + box.height - 12);
await page.waitForFunction(() => document.querySelector("header select").value === "2");
await quiet();
const there = await where();
const about = Number(/about #([\d,]+)/.exec(tip)[1].replace(/,/g, ""));
expect("a click goes to that thread, there", there.thread === 2 && there.at === about);
await page.goBack();
await page.waitForFunction(() => document.querySelector("header select").value === "1");
await quiet();
const back = await where();
expect("and back", back.thread === 1 && back.at === 8000);
await browser.close();
console.log(bad ? bad + " failed" : "all of it works");
process.exit(bad ? 1 : 0);
