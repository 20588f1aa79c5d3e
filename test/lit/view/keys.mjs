// Keys and menus of TTU's table that browser.mjs does not try, in a real Chromium; of a trace with exceptions before
// the instructions 19999, 39999 and 59999.
// keys.mjs <node_modules> <chromium> <rewind> <trace> <image>
import { execFileSync } from "node:child_process";
import { drive, expect, pause } from "./drive.mjs";

const [, , rewind, trace] = process.argv.slice(2);
const { page, settle, position, focus, press, control, type, goto, row, hash, register, folds, end } = await drive(process.argv.slice(2));
const status = () => page.$eval(".status", (e) => e.textContent);
const menu = () => page.$$eval(".menu button, .menu .said", (all) => all.map((e) => e.innerText.split("\n")[0]));
const choose = async (label) => {
  await page.evaluate((label) => [...document.querySelectorAll(".menu button")].find((e) => e.innerText.startsWith(label)).click(), label);
  await settle();
};

// --- Exceptions ---
await focus(".trace .rows");
for (const to of [19999, 39999, 59999]) {
  await press("e");
  expect("e: the next exception", await position(), to);
  expect("the row tells of it", (await row()).includes("exception"));
}
await press("e");
expect("e: there is no further one, and nothing moves", [await position(), await status()], [59999, "there is no exception after here"]);
await press("E");
expect("E: the last one", await position(), 39999);
await goto(40000);
await press("E");
expect("E behind one", await position(), 39999);
await goto(19998);
await press("E");
expect("E: there is none", [await position(), await status()], [19998, "there is no exception before here"]);

// --- Prompts ---
await goto(31408);
await press("l");
await control("u");
const { line } = JSON.parse(execFileSync(rewind, ["where", trace, "31408", "--json"], { encoding: "utf8" }));
await page.keyboard.type(line + "2");
await press("Backspace", "Enter");
expect("Backspace", await position(), 31408);
await press("m");
await type("reg::sp + 8");
const sp = BigInt(await register("sp"));
const dump = () => page.$eval(".memory .address", (e) => BigInt(e.textContent));
expect("reg:: in sums", (await dump()) <= sp + 8n && sp + 8n < (await dump()) + 256n);
await focus(".memory .dump");
await press("x");

// --- Folds ---
await focus(".trace .rows");
await press("_");
const call = await position();
expect("_ folds like -", call < 31408 && (await row()).includes("hidden"));
await press("=");
expect("= unfolds like +", (await row()).includes("hidden"), false);
await press("-");
await page.keyboard.down("Shift");
await press("F10");
await page.keyboard.up("Shift");
expect("a folded call's menu, by keyboard", (await menu()).slice(0, 2), ["Unfold one level", "Unfold completely"]);
await choose("Unfold completely");
expect("unfolded completely", await folds(), "");
await goto(31408);
await press("{");
await press("+");
const level = await folds();
expect("one level", level !== "" && level !== "1-");
await press("}");
await goto(call);
await page.click(".row.now", { button: "right" });
await choose("Fold what the containing call calls");
expect("the containing call's subroutines", (await folds()) !== "");
await press("}");

// --- F6, F7, F8 ---
await goto(31408);
const targets = () => page.$$eval(".insn", (all) => all.filter((e) => / <[^>]+>/.test(e.textContent)).length);
const indents = () => page.$$eval(".insn", (all) => new Set(all.map((e) => e.style.paddingLeft)).size);
const named = await targets();
expect("targets have names", named > 0);
await press("F7");
expect("F7: no names of targets", await targets(), 0);
await press("F7");
expect("F7 again", await targets(), named);
expect("calls are indented", (await indents()) > 1);
await press("F8");
expect("F8: they are not", await indents(), 1);
await press("F8");

// --- Links ---
// They hold what is shown when they are used, by pointer or by keyboard.
await press("0", "w", "w");
const here = /w=[\d-]+/.exec(await hash())[0];
const target = ".row:not(.now) .at";
await page.hover(target);
expect("a link holds the window", await page.$eval(target, (e) => /w=[\d-]+/.exec(e.href)[0]), here);
await press("w");
await page.focus(target);
expect("focused, too", await page.$eval(target, (e) => /w=[\d-]+/.exec(e.href)[0]), /w=[\d-]+/.exec(await hash())[0]);
await focus(".trace .rows");
await press("0");

// --- Registers ---
const changed = () => page.$$eval(".register.changed .name", (all) => all.map((e) => e.textContent));
await goto(31408);
expect("what the row before changed is marked", (await changed())[0], "x0");
await focus(".registers .values");
await press("t");
await type("31409");
expect("t locks to a time", /lock=31408/.test(await hash()));
await press("l");
await control("u");
await type("nowhere");
expect("what is no moment does not lock, and says so", [/lock=31408/.test(await hash()), (await status()) !== ""], [true, true]);
await control("l");
expect("unlocked", /lock=/.test(await hash()), false);
await page.click(".register:first-child .value", { button: "right" });
const said = await menu();
expect("a register's menu has writes and values",
  ["Last write of x0", "Next write of x0", "hexadecimal", "unsigned", "signed", "double", "float"].every((word) => said.some((item) => item.startsWith(word))));
await choose("Last write of x0");
expect("last write of a register", await position(), 31407);

// --- Memory ---
await goto(31408);
await press("m");
await type("0x4200f0");
const bytes = ".memory .byte";
await page.click(bytes, { button: "right" });
const values = await menu();
expect("a byte's menu has values of what it is in",
  ["the byte", "the 4 aligned bytes", "the 8 aligned bytes"].every((word) => values.includes(word)) &&
  values.filter((item) => /^hexadecimal 0x[0-9a-f]{16}$/.test(item)).length === 1);
const eight = await page.$$eval(bytes, (all) => all.slice(0, 8).map((e) => e.textContent));
expect("in the byte order of the trace", values.includes("hexadecimal 0x" + eight.reverse().join("")));
await press("Escape");
const first = await dump();
await focus(".memory .dump");
await press("PageDown");
expect("PgDn", Number((await dump()) - first), 256);
await press("PageUp", "ArrowDown");
expect("Down: a line of bytes", await page.$eval(".memory .byte.chosen", (e) => e.title.split(",")[0]), "0x" + (first + 16n).toString(16));
const box = await (await page.$(".memory .dump")).boundingBox();
await page.mouse.move(box.x + 40, box.y + 40);
for (let i = 0; i < 8; ++i) {
  await page.mouse.wheel({ deltaY: 400 });
  await settle();
}
expect("the wheel goes on through memory", (await dump()) > first);
for (let i = 0; i < 20 && (await dump()) > first; ++i) {
  await page.mouse.wheel({ deltaY: -400 });
  await settle();
}
expect("and back", (await dump()) <= first);
await focus(".memory .dump");
await press("m");
await control("u");
await type("0x4200f0");
await press("t");
await type("31409");
expect("t locks memory to a time", /mem=0x4200f0~31408/.test(await hash()));
await control("l");
await goto(40000);
await focus(".memory .dump");
await press("[");
const last = await position();
expect("[ the last change", last < 40000);
await press("]");
expect("] the next one", (await position()) > last);
await focus(".memory .dump");
await press("x");
await end();
