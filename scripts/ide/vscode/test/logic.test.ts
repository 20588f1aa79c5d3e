// What is logic in the extension, without VS Code: `node --test`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Access, Accesses } from "../src/answers";
import { problemOf, withoutAddress, type Files } from "../src/configuration";
import { expressionAt, expressionOf, hasNoExpression } from "../src/expressions";
import { addressIn, inPanel } from "../src/bridge";
import { activationRow, at, blockRow, bookmarkRow, code, enclosingRows, historyAnswer, layerRows, placeText } from "../src/rows";
import { inputRows, originAnswer, sliceAnswer } from "../src/sources";

/** The expression where the | is. */
const under = (text: string): string | undefined => {
  const column = text.indexOf("|");
  return expressionAt(text.replace("|", ""), column);
};

test("the expression under the cursor", () => {
  assert.equal(under("  to|tal += 1;"), "total");
  assert.equal(under("  |total += 1;"), "total");
  assert.equal(under("  total| += 1;"), "total");
  assert.equal(under("  item->quan|tity++"), "item->quantity");
  assert.equal(under("  it|em->quantity++"), "item");
  assert.equal(under("  a.b->c[i + f(2)].d|;"), "a.b->c[i + f(2)].d");
  assert.equal(under("  x = m[a[1]][2].fie|ld"), "m[a[1]][2].field");
  assert.equal(under("  ns::Type::mem|ber"), "ns::Type::member");
  assert.equal(under("  this->si|ze"), "this->size");
});

test("what has no place is no expression", () => {
  assert.equal(under("  re|turn x;"), undefined);
  assert.equal(under("  12|34"), undefined);
  assert.equal(under("  x  |  y"), undefined);
  assert.equal(under("|"), undefined);
  assert.equal(under("  f(x).mem|ber"), undefined);
  assert.equal(under("  ].x|"), undefined);
});

test("a menu's item", () => {
  assert.equal(expressionOf({ container: {}, variable: { name: "x", evaluateName: "p->x" } }), "p->x");
  assert.equal(expressionOf({ variable: { name: "x0", evaluateName: "" } }), "x0");
  assert.equal(expressionOf({ name: "p->x", value: "3" }), "p->x");
  assert.equal(expressionOf({ expression: "total" }), "total");
  assert.equal(expressionOf(undefined), undefined);
  assert.equal(expressionOf("text"), undefined);
  const element = { container: {}, variable: { name: "[0]" } };
  assert.equal(expressionOf(element), undefined);
  assert.equal(hasNoExpression(element), true);
  assert.equal(hasNoExpression({ variable: { name: "[0]", evaluateName: "v[0]" } }), false);
  assert.equal(hasNoExpression({ scheme: "file" }), false);
});

const there = new Set(["/w/t.tarmac", "/w/p.elf", "/w/odd@0x10"]);
const files: Files = {
  isFile: (path) => there.has(path),
  exists: (path) => there.has(path) || path === "/w",
  findProgram: (name) => (name === "rewind" ? "/usr/bin/rewind" : undefined),
};
const problem = (configuration: Record<string, unknown>, rewind = "rewind"): string | undefined => problemOf(configuration, rewind, files);

test("a configuration that is right", () => {
  assert.equal(problem({ trace: "/w/t.tarmac" }), undefined);
  assert.equal(problem({ trace: "/w/t.tarmac", program: "/w/p.elf", images: ["/w/p.elf@0x4000"], index: "/tmp/i", loadOptions: ["--li"] }), undefined);
  assert.equal(withoutAddress("/w/odd@0x10", files), "/w/odd@0x10");
  assert.equal(withoutAddress("/w/p.elf@4096", files), "/w/p.elf");
});

test("each fault of a configuration is one sentence", () => {
  assert.match(problem({})!, /^"trace" is missing: /);
  assert.match(problem({ trace: 7 })!, /^"trace" is the path of a file, not 7$/);
  assert.match(problem({ trace: "/w/none" })!, /^"trace" does not exist: \/w\/none$/);
  assert.match(problem({ trace: "/w" })!, /^"trace" is not a file: \/w$/);
  assert.match(problem({ trace: "/w/t.tarmac", program: "/w/none" })!, /^"program" does not exist/);
  assert.match(problem({ trace: "/w/t.tarmac", images: ["/w/none@0x10"] })!, /^"images" does not exist: \/w\/none$/);
  assert.match(problem({ trace: "/w/t.tarmac", images: [1] })!, /^"images" is the path of an ELF file, not 1$/);
  assert.match(problem({ trace: "/w/t.tarmac", index: "" })!, /^"index"/);
  assert.match(problem({ trace: "/w/t.tarmac", loadOptions: "--li" })!, /^"loadOptions" is an array/);
  assert.match(problem({ trace: "/w/t.tarmac" }, "/opt/none")!, /^there is no program \/opt\/none.* Remote settings/);
});

const place = { position: 1234, thread: 2, pc: "0x400", function: "f", function_offset: 8, file: "/a/b.c", source_line: 7 };
const write: Access = { ...place, instruction: "str w1, [x0]", access: "write", old: "0x??", new: "0x05", changed: true };

test("places", () => {
  assert.equal(at(place), "2:#1234");
  assert.equal(code(place), "f+0x8 at b.c:7");
  assert.equal(code({ position: 0, thread: 1, pc: "0x400" }), "0x400");
  assert.equal(code({ position: 0, thread: 1 }), "");
});

test("a history: values are never invented", () => {
  const said: Accesses = {
    complete: false,
    items: [write, { ...write, new: null, old: null }, { ...write, old_text: "5", new_text: "6" }, { ...write, access: "read", value: "0x07" }],
  };
  const answer = historyAnswer("x", said, 1);
  assert.equal(answer.title, "History of x");
  assert.deepEqual(
    answer.rows.map((row) => row.label),
    ["#1,234  0x?? → 0x05", "#1,234  ? → ?", "#1,234  5 → 6", "#1,234  reads 0x07"],
  );
  assert.equal(answer.rows[0]!.goto, "2:#1234");
  assert.equal(answer.remark, "the first 4 accesses; there are more");
  assert.equal(historyAnswer("x", { items: [write], complete: true }, 1).remark, undefined);
  assert.match(historyAnswer("x", { items: [write], complete: false, cancelled: true }, 1).remark!, /^interrupted/);
  assert.match(historyAnswer("x", { items: [], complete: true }, 1).remark!, /no write/);
  assert.equal(historyAnswer("x", { items: [], complete: true, note: "why" }, 1).remark, "why");
});

test("where there are several threads each position says of which", async () => {
  assert.equal(placeText(place, 1), "#1,234");
  assert.equal(placeText(place, 2), "2:#1,234");
  const none = (): Promise<never[]> => Promise.resolve([]);
  const read = { ...place, instruction: "ldr", direction: "needs" as const, kind: "raw" };
  const link = { ...place, instruction: "ldr", needs: [{ location: "x", thread: 3, position: 7 }] };
  const slice = sliceAnswer("x", { complete: true, items: [link] }, 3);
  const rows = [
    ...historyAnswer("x", { complete: true, items: [write] }, 3).rows,
    ...originAnswer("x", { complete: true, items: [link] }, none, 3).rows,
    ...inputRows({ complete: true, items: [read] }, none, 3),
    ...slice.rows,
  ];
  for (const row of rows) assert.match(row.label, /^2:#1,234  /);
  assert.equal((await slice.rows[0]!.sources!())[0]!.label, "3:#7");
  assert.match(activationRow({ id: "@0", function: "f", count: 1, start: 1234, end: 1240, instructions: 6, calls: [] }, 2, 3).detail!, /^2:#1,234  6 /);
  assert.equal(bookmarkRow({ name: "b", thread: 2, position: 1234 }, 3).detail, "2:#1,234");
});

const step = (position: number, instruction: string): { position: number; thread: number; instruction: string } => ({ position, thread: 1, instruction });
const labels = (rows: { label: string }[] | undefined): string[] => (rows ?? []).map((row) => row.label);

test("an origin: each link is made from the next one, the last one from its inputs", async () => {
  const asked: string[] = [];
  const inputs = (position: string): Promise<{ label: string }[]> => {
    asked.push(position);
    return Promise.resolve([{ label: "input" }]);
  };
  const origin = originAnswer(
    "x",
    {
      complete: true,
      items: [
        { ...place, instruction: "ldr", how: "copied", value_text: "3", link: 1 },
        { ...step(7, "add"), how: "computed", link: 2, from: 1 },
        { ...step(6, "strb"), of: "byte 1", link: 3, from: 1 },
      ],
      end: { kind: "computed", text: "add" },
    },
    inputs,
    1,
  );
  const [top] = origin.rows;
  assert.deepEqual([top!.label, top!.detail, top!.goto, top!.opened], ["#1,234  ldr", "copied  3  f+0x8 at b.c:7", "2:#1234", true]);
  assert.equal(origin.rows.length, 1);
  assert.equal(origin.size, 3);
  assert.equal(origin.remark, "computed: add");
  const [last, piece] = await top!.sources!();
  assert.deepEqual([piece!.label, piece!.detail], ["#6  strb", "byte 1  ?"]);
  assert.deepEqual([last!.label, last!.opened], ["#7  add", false]);
  assert.deepEqual(labels(await last!.sources!()), ["input"]);
  assert.deepEqual(asked, ["1:#7"]);
  assert.deepEqual(originAnswer("x", { complete: true, items: [] }, inputs, 1).rows, []);
});

test("what an instruction read", () => {
  const said = {
    complete: true,
    before_trace: "x9",
    items: [
      { ...step(5, "mov"), direction: "needs" as const, kind: "raw", through: "w1" },
      { ...step(4, "bl"), direction: "needs" as const, kind: "call" },
      { ...step(9, "str"), direction: "feeds" as const, kind: "raw", through: "w2" },
    ],
  };
  const none = (): Promise<never[]> => Promise.resolve([]);
  assert.deepEqual(labels(inputRows(said, none, 1)), ["#5  mov", "x9: nothing in the trace wrote it before"]);
  assert.deepEqual(labels(inputRows({ complete: true, items: [] }, none, 1)), ["it reads nothing"]);
  assert.match(labels(inputRows({ complete: false, items: [] }, none, 1))[1]!, /there is more/);
});

test("a slice: what two instructions need is below both; what is not listed is said to be", async () => {
  const slice = sliceAnswer("x", {
    complete: false,
    items: [
      { ...step(9, "add"), depth: 0, made: "x", needed: "a, b", needs: [{ location: "a", thread: 1, position: 8 }, { location: "b", thread: 1, position: 7 }] },
      { ...step(8, "ldr"), depth: 1, made: "a", needs: [{ location: "b", thread: 1, position: 7 }, { location: "m", thread: 1, position: 2 }] },
      { ...step(7, "mov"), depth: 1, made: "b", needs: [], ends: [{ kind: "constant" }] },
    ],
    limits: ["no values"],
  }, 1);
  assert.deepEqual(labels(slice.rows), ["#9  add"]);
  assert.equal(slice.size, 3);
  assert.equal(slice.remark, "the first 3 instructions; there are more");
  const [load, move] = await slice.rows[0]!.sources!();
  assert.deepEqual(labels([load!, move!]), ["#8  ldr", "#7  mov"]);
  const below = await load!.sources!();
  assert.deepEqual(labels(below), ["#7  mov", "#2"]);
  assert.match(below[1]!.detail!, /beyond what is listed/);
  assert.equal(below[1]!.goto, "1:#2");
  assert.deepEqual(labels(await move!.sources!()), ["constant"]);
  assert.equal(sliceAnswer("x", { complete: true, items: [], limits: ["no values"] }, 1).remark, "no values");
});

test("the page in a panel", () => {
  const said = 'stop hook\n{\n  "url": "http://127.0.0.1:4711/#t=0a&p=1:5"\n}';
  const address = addressIn(said);
  assert.deepEqual(address, { url: "http://127.0.0.1:4711/#t=0a&p=1:5", host: "127.0.0.1:4711", fragment: "t=0a&p=1:5" });
  assert.throws(() => addressIn("nothing"), /told no address: nothing/);
  assert.throws(() => addressIn('"url": "https://elsewhere/#t=0"'), /told no address/);
  const html = inPanel({ style: "a{}</style>", script: 'x = "</script><!--"; y = 1 < 2' }, address, "77");
  assert.equal(html.split("</script>").length, 3);
  assert.equal(html.split("</style>").length, 2);
  assert.ok(!html.includes("<!--") && html.includes("y = 1 < 2"));
  assert.match(html, /default-src 'none'/);
});

test("rows of the other views", () => {
  const call = { id: "@5", function: "f", count: 3, start: 10, end: 20, instructions: 10, calls: [] };
  assert.deepEqual(activationRow(call, 1, 1), { label: "f × 3", detail: "#10  10 instructions" });
  assert.deepEqual(bookmarkRow({ name: "bug", thread: 1, position: 5, note: "look" }, 1), { label: "bug", detail: "#5  look", tooltip: "look", goto: "1:#5" });
  assert.equal(blockRow({ thread: 1, position: 0, more: 12 }).label, "… 12 more");
  assert.deepEqual(blockRow({ name: "loop", thread: 1, position: 3, times: 2, share_instructions: 0.5, source: "a.c:1" }), {
    label: "loop",
    detail: "× 2  50.0 %  a.c:1",
    goto: "1:#3",
  });
  assert.equal(layerRows({ layers: [{ layer: 0, pass: "instructions", units: 1000, distinct: 7, reduction: 1 }] })[0]!.detail, "1,000 units, 7 distinct, 1.0 times fewer");
  const around = enclosingRows({ thread: 1, enclosing: [{ id: 1, name: "loop", kind: "loop", start: 9, iteration: 2, iterations: 5 }] });
  assert.deepEqual(around, [{ label: "loop", detail: "loop, round 2 of 5", goto: "1:#9" }]);
});

interface Manifest {
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string }[];
    menus: Record<string, { command?: string; submenu?: string }[]>;
    views: Record<string, { id: string }[]>;
  };
}

test("what the manifest contributes is there, and the other way round", () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as Manifest;
  const { commands, keybindings, menus, views } = manifest.contributes;
  const named = new Set(commands.map((one) => one.command));
  const sources = ["extension", "trees"].map((name) => readFileSync(join(__dirname, `../../src/${name}.ts`), "utf8")).join("\n");
  const registered = new Set<string>();
  for (const [, full, short] of sources.matchAll(/registerCommand\("(rewind\.\w+)"|\bcommand\("(\w+)"/g)) registered.add(full ?? `rewind.${short}`);
  assert.deepEqual([...named].sort(), [...registered].sort());
  for (const one of [...keybindings, ...Object.values(menus).flat()])
    if (one.command?.startsWith("rewind.")) assert.ok(named.has(one.command), one.command);
  for (const { id } of views["debug"]!) assert.ok(sources.includes(`"${id}"`), id);
});
