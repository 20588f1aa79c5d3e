// What tests drive the page with, in a real Chromium: drive(<its arguments>).
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

let bad = 0;
export const expect = (what, got, want = true) => {
  const good = JSON.stringify(got) === JSON.stringify(want);
  if (!good) ++bad;
  console.log((good ? "ok      " : "FAILED  ") + what + (good ? "" : ": " + JSON.stringify(got) + ", not " + JSON.stringify(want)));
};

/** `before` runs in each page before the page's own code. */
export async function drive([packages, chromium, rewind, trace, image], { before } = {}) {
  const require = createRequire(join(packages, "x.js"));
  const puppeteer = require("puppeteer-core");
  const server = spawn(rewind, ["view", trace, ...(image ? ["--image", image] : []), "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => server.kill("SIGINT"));
  const url = await new Promise((found) => createInterface({ input: server.stdout }).once("line", found));
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });

  async function open(address, options = {}) {
    const page = await browser.newPage();
    page.on("pageerror", (error) => expect("no error in the page", String(error.stack ?? error), ""));
    page.on("console", (message) => message.type() === "error" && expect("no error on the console", message.text(), ""));
    if (before) await page.evaluateOnNewDocument(before);
    await page.setViewport({ width: 1500, height: 950, ...options });
    await page.goto(address);
    await page.waitForSelector(".rows .row");
    return page;
  }
  const page = await open(url);
  /** Until nothing is asked any more, and it is drawn. */
  const settle = async (of = page) => {
    for (let quiet = 0; quiet < 2; ) {
      await pause(30);
      quiet = (await of.evaluate(() => document.body.dataset.waiting === "0" && !document.querySelector(".stale"))) ? quiet + 1 : 0;
    }
  };
  const position = (of = page) => of.$eval("#position", (e) => Number(e.textContent.replace(/[#,]/g, "")));
  const focus = (selector) => page.focus(selector);
  const press = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await settle();
    }
  };
  const control = async (key) => {
    await page.keyboard.down("Control");
    await press(key);
    await page.keyboard.up("Control");
  };
  const type = async (text) => {
    await page.keyboard.type(text);
    await press("Enter");
  };
  const goto = async (n) => {
    await focus(".trace .rows");
    await press("g");
    await type(String(n));
    await focus(".trace .rows");
  };
  const row = () => page.$eval(".row.now", (e) => e.innerText.replace(/\s+/g, " "));
  /** When it has followed the steps. */
  const hash = async (of = page) => (await of.waitForFunction(() => !document.body.hasAttribute("data-behind")), of.evaluate(() => location.hash));
  const register = (name) =>
    page.$$eval(".register", (all, name) => all.map((e) => [...e.children].map((c) => c.textContent)).find((e) => e[0] === name)?.[1], name);
  const folds = async () => /fold=([^&]*)/.exec(await hash())?.[1] ?? "";
  const end = async () => {
    await browser.close();
    console.log(bad ? bad + " failed" : "all of it works");
    process.exit(bad ? 1 : 0);
  };
  await settle();
  return { server, browser, page, url, open, settle, position, focus, press, control, type, goto, row, hash, register, folds, end };
}
