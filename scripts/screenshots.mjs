// A picture of the page: screenshots.mjs <node_modules> <rewind> <trace> <image> <hash> <webp>
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [packages, rewind, trace, image, hash, png] = process.argv.slice(2);
const puppeteer = createRequire(join(resolve(packages), "x.js"))("puppeteer-core");
const server = spawn(rewind, ["view", trace, "--image", image, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGINT"));
const url = await new Promise((found) => createInterface({ input: server.stdout }).once("line", found));
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
await page.setViewport({ width: 1400, height: 860 });
await page.goto(url + "&" + hash);
await page.waitForSelector(".rows .row");
await new Promise((done) => setTimeout(done, 1500));
await page.screenshot({ path: png, type: "webp", quality: 70 });
await browser.close();
process.exit(0);
