// The trace: instructions and what they did, calls folded.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask, connection } from "./wire";
import {
  access, accessed, at, change, event, fold, folded, folds, go, hello, inTurn, length, openHistory, openMemory,
  registerSets, resolve, sought, status, thread, told,
} from "./state";
import { askLine, At, Do, Item, openMenu, Pane } from "./parts";
import { asFloats, asSigned, asUnsigned, grouped, place } from "./format";

export type Row = any;
const RowHeight = 20;
const Around = 120;

export const rows = signal<{ list: Row[]; shown: number; hidden: boolean; first: boolean; last: boolean } | null>(null);
const stale = signal(false);
/** Which of the effects of the row is meant by Return and "a". */
const meant = signal(-1);
const colours = signal(true);
const targets = signal(true);
const indent = signal(true);
/** Where ^L puts the position: middle, top, bottom. */
let cycle = 0;

/** What an instruction did, in the order of the trace: memory, then registers. */
function effectsOf(row: Row) {
  const list = row.memory.map((m: any) => ({
    name: m.address, size: m.size, memory: true, write: m.access === "write", value: m.value, inferred: m.inferred,
  }));
  const inferred = new Set(row.inferred ?? []);
  for (const [name, value] of Object.entries(row.registers))
    list.push({ name, memory: false, write: true, value, inferred: inferred.has(name) });
  for (const [name, value] of Object.entries(row.shown ?? {}))
    list.push({ name, memory: false, write: false, value });
  return list;
}

let loading: Promise<void> | null = null;
const load = (center: number) => (loading = loadAround(center));
async function loadAround(center: number) {
  const question = {
    what: "rows", thread: thread.peek(), at: center, before: Around, after: Around, folds: folds.peek(),
  };
  stale.value = true;
  const mine = ++newest;
  const answer = await told(ask(question));
  if (mine !== newest) return;
  stale.value = false;
  if (!answer) return;
  rows.value = {
    list: answer.rows, shown: answer.shown, hidden: answer.hidden, first: answer.at_start, last: answer.at_end,
  };
}
let newest = 0;

/** The row that shows the position; -1 if it is not among those loaded. */
function current(): number {
  const list = rows.value?.list ?? [];
  for (let i = list.length - 1; i >= 0; --i)
    if (list[i].position <= at.value && at.value < list[i].next) return i;
  return -1;
}

/** The row of the position, once it has come; none at the end of the trace. */
async function rowHere(): Promise<Row | undefined> {
  for (let awaited = null; current() < 0 && stale.peek() && awaited !== loading; ) await (awaited = loading);
  return rows.value?.list[current()];
}

async function moved(by: number): Promise<(() => void) | void> {
  const i = current(), list = rows.value?.list ?? [], to = i + by;
  const step = (position: number) => () => go(position, "step");
  if (i >= 0 && to >= 0 && to < list.length) return step(list[to].position);
  if (i >= 0 && by > 0 && rows.value!.last && to >= list.length) return step(length.value);
  if (i >= 0 && by < 0 && rows.value!.first) return step(0);
  const answer = await told(
    ask({
      what: "rows", thread: thread.value, at: at.value, folds: folds.value,
      before: Math.max(-by, 0), after: Math.max(by, 0) + 1,
    }),
  );
  if (!answer || !answer.rows.length) return;
  const end = by > 0 ? answer.rows[answer.rows.length - 1] : answer.rows[0];
  return step(by > 0 && answer.at_end && answer.rows.length <= by ? length.value : end.position);
}
const move = (by: number) => inTurn(() => moved(by));

function recenter(box: HTMLElement, where: number) {
  const i = current();
  const top = (i < 0 ? (rows.value?.list.length ?? 0) : i) * RowHeight;
  const room = box.clientHeight;
  if (where === 0) box.scrollTop = top - room / 2;
  else if (where === 1) box.scrollTop = top - RowHeight;
  else box.scrollTop = top - room + 2 * RowHeight;
}

/** Only as far as it must, so that nothing jumps. */
function reveal(box: HTMLElement) {
  const i = current();
  if (i < 0) return recenter(box, 0);
  const top = i * RowHeight, room = box.clientHeight;
  if (top < box.scrollTop - 8 * room || top > box.scrollTop + 9 * room) box.scrollTop = top - room / 2;
  else if (top < box.scrollTop + 2 * RowHeight) box.scrollTop = top - 2 * RowHeight;
  else if (top > box.scrollTop + room - 4 * RowHeight) box.scrollTop = top - room + 4 * RowHeight;
}

function effectMenu(e: any, row: Row): Item[] {
  const items: Item[] = [
    { label: "Last write of " + e.name, run: () => access("last-write", e.name, row.position), key: "Return" },
    { label: "Next write of " + e.name, run: () => access("next-write", e.name, row.position) },
    { label: "History of " + e.name, run: () => openHistory(e.name) },
  ];
  if (e.memory) items.push({ label: "Open memory at " + e.name, run: () => openMemory(e.name) });
  else if (e.value) items.push({ label: "Open memory at its value", run: () => openMemory(e.value) });
  return items.concat(valueItems(e.value));
}

export function valueItems(value: string | null): Item[] {
  if (!value) return [{ text: "the value is unknown" }];
  return [
    { text: "hexadecimal " + value },
    { text: "unsigned " + asUnsigned(value) },
    { text: "signed " + asSigned(value) },
    ...(value.length >= 18 ? [{ text: "double " + asFloats(value, 8) }] : []),
    ...(value.length >= 10 ? [{ text: "float " + asFloats(value, 4) }] : []),
  ];
}

function rowMenu(row: Row): Item[] {
  const folded = row.next > row.position + 1;
  return [
    ...(folded
      ? [
          { label: "Unfold one level", run: () => fold("unfold", row.position), key: "+" },
          { label: "Unfold completely", run: () => fold("unfold-whole", row.position) },
        ]
      : row.opens !== undefined
        ? [{ label: "Fold the call behind it", run: () => fold("behind", row.position) }]
        : []),
    { label: "Fold the containing call", run: () => fold("containing", row.position), key: "-" },
    { label: "Fold what the containing call calls", run: () => fold("callees", row.position), key: "[" },
    { label: "Unfold all in the containing call", run: () => fold("unfold-inside", row.position), key: "]" },
    { label: "Fold the whole trace", run: () => fold("all"), key: "{" },
    { label: "Unfold the whole trace", run: () => fold("unfold-all"), key: "}" },
    { label: "Last visit of " + row.pc, run: () => resolve(row.pc, true) },
    { label: "Next visit of " + row.pc, run: () => resolve(row.pc) },
    ...effectsOf(row).flatMap((e: any) => effectMenu(e, row).slice(0, 1)),
  ];
}

function toggle(set: string) {
  const now = registerSets.value;
  change(() => {
    if (set === "v" || set === "s" || set === "d")
      registerSets.value = now.replace(/[vsd]/, "") + (now.includes(set) ? "" : set);
    else registerSets.value = now.includes(set) ? now.replace(set, "") : now + set;
  });
}

/** Folds the call behind the row; else to the instruction that called the function. */
async function foldedOrCall() {
  const row = await rowHere();
  if (row?.opens !== undefined && row.next === row.position + 1) return folded("behind", row.position);
  const running = await told(ask({ what: "stack", thread: thread.value, at: at.value }));
  const start = running?.frames[0]?.start;
  return () => {
    if (start) go(start - 1, "step");
    else status.value = "this call began before the trace";
  };
}

const nothing = () => void (status.value = "this instruction names nothing");
/** The next of what the instruction names. */
async function marked() {
  const row = await rowHere(), count = row ? effectsOf(row).length : 0;
  return () => {
    meant.value = count ? (meant.value + 1) % count : -1;
    if (!count) nothing();
  };
}
async function lastWrite() {
  const row = await rowHere(), e = row && effectsOf(row)[Math.max(meant.value, 0)];
  return e ? accessed("last-write", e.name) : nothing;
}

/** TTU's keys of the trace. */
function keys(press: KeyboardEvent): boolean {
  const key = press.key;
  const box = document.querySelector<HTMLElement>(".trace .rows")!;
  const page = Math.max(1, Math.floor(box.clientHeight / RowHeight) - 4);
  if (press.ctrlKey) {
    if (key.toLowerCase() !== "l") return false;
    recenter(box, cycle++ % 3);
    return true;
  }
  if (press.altKey) return false;
  cycle = 0;
  const find = (back: boolean) => (sought.value ? resolve(sought.value, back) : promptVisit(back));
  const promptVisit = (back: boolean) =>
    askLine(back ? "Last visit of" : "Next visit of", (text) => {
      sought.value = text;
      resolve(text, back);
    });
  const Keys: Record<string, () => void> = {
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    PageUp: () => move(-page),
    PageDown: () => move(page),
    Home: () => go(0),
    End: () => go(length.value),
    l: () => askLine("Line", (text) => resolve("l:" + text)),
    t: () => askLine("Time", (text) => resolve("t:" + text)),
    p: () => promptVisit(false),
    P: () => promptVisit(true),
    n: () => find(false),
    N: () => find(true),
    e: () => event("exception", false),
    E: () => event("exception", true),
    ArrowLeft: () => inTurn(foldedOrCall),
    ArrowRight: () => fold("unfold"),
    "-": () => fold("containing"),
    _: () => fold("containing"),
    "+": () => fold("unfold"),
    "=": () => fold("unfold"),
    "[": () => fold("callees"),
    "]": () => fold("unfold-inside"),
    "{": () => fold("all"),
    "}": () => fold("unfold-all"),
    r: () => toggle("g"),
    S: () => toggle("s"),
    D: () => toggle("d"),
    V: () => toggle("v"),
    M: () => toggle("v"),
    m: () => askLine("Memory at", openMemory),
    a: () => inTurn(marked),
    Enter: () => inTurn(lastWrite),
    F6: () => (colours.value = !colours.value),
    F7: () => (targets.value = !targets.value),
    F8: () => (indent.value = !indent.value),
  };
  if (!(key in Keys)) return false;
  Keys[key]();
  return true;
}

/** Without the zeros in front: the pane of registers has them. */
const brief = (value: string) => value.replace(/^0x0+(?=[0-9a-f])/, "0x");
const nameOf = (row: Row) =>
  row.function ? row.function + (row.function_offset ? "+0x" + row.function_offset.toString(16) : "") : "";

function Effect({ e, row, marked }: { e: any; row: Row; marked: boolean }) {
  const text = e.memory ? "[" + e.name + "]" : e.name;
  const sign = e.memory ? (e.write ? "←" : "→") : e.write ? "=" : "is";
  return (
    <span
      class={"effect " + (e.write ? "write" : "read") + (marked ? " marked" : "")}
      onContextMenu={(click) => (click.stopPropagation(), openMenu(click, effectMenu(e, row)))}
    >
      <Do
        run={() => (e.memory ? openMemory(e.name) : openHistory(e.name))}
        title={(e.memory ? (e.write ? "writes " : "reads ") + e.size + " bytes; open memory" : "history of " + e.name)}
      >
        {text}
      </Do>
      <span class={"value" + (e.value ? "" : " unknown") + (e.inferred ? " inferred" : "")}>
        {sign}
        {e.value ? brief(e.value) : "unknown"}
      </span>
    </span>
  );
}

/** Tells assistive technology which row the keys are about. */
const Here = "trace-here";

function TraceLine({ row, now, base }: { row: Row; now: boolean; base: number }) {
  const folded = row.next > row.position + 1;
  const text = targets.value ? row.instruction : row.instruction.replace(/ <[^>]*>$/, "");
  const depth = indent.value ? Math.min(Math.max(row.depth - base, 0), 30) : 0;
  return (
    <div
      role="row"
      id={now ? Here : undefined}
      aria-selected={now}
      class={"row" + (now ? " now" : "") + (row.executed ? "" : " skipped")}
      onClick={() => go(row.position, "step")}
      onContextMenu={(click) => openMenu(click, rowMenu(row))}
    >
      <span role="gridcell" class="box">
        {folded ? (
          <Do run={() => fold("unfold", row.position)} title={"unfold " + grouped(row.next - row.position - 1) + " instructions"}>+</Do>
        ) : row.opens !== undefined ? (
          <Do run={() => fold("behind", row.position)} title="fold the call">−</Do>
        ) : null}
      </span>
      <span role="gridcell" class="position"><At to={row.position} thread={thread.value} /></span>
      {hello.value.can.time && <span role="gridcell" class="time">{row.time === null ? "?" : grouped(row.time)}</span>}
      <span role="gridcell" class="pc" title={row.line ? "line " + row.line : undefined}>{row.pc}</span>
      <span role="gridcell" class="function" title={nameOf(row)}>{nameOf(row)}</span>
      <span role="gridcell" class="insn" style={{ paddingLeft: depth * 8 + "px" }}>
        {row.events?.map((e: any) => <em class={"event " + e.kind.replace(" ", "-")} title={e.text}>{e.kind}</em>)}
        {text}
        {!row.executed && <i> not executed</i>}
        {folded && <b class="hidden"> {grouped(row.next - row.position - 1)} hidden</b>}
      </span>
      <span role="gridcell" class="effects">
        {effectsOf(row).map((e: any, i: number) => (
          <Effect e={e} row={row} marked={now && meant.value === i} />
        ))}
      </span>
    </div>
  );
}

export function Trace() {
  const box = useRef<HTMLDivElement>(null);
  // Loaded rows follow the position and the folds.
  useEffect(
    () => {
      let lastSeen = "";
      return effect(() => {
        const position = at.value;
        const seen = folds.value + thread.value;
        if (connection.value !== "open") return;
        meant.value = -1;
        const loaded = rows.peek();
        const list = loaded?.list ?? [];
        const i = list.findIndex((row) => row.position <= position && position < row.next);
        const inside = i >= 0 && (i > 30 || loaded!.first) && (i < list.length - 30 || loaded!.last);
        if (inside && seen === lastSeen) return;
        lastSeen = seen;
        load(position);
      });
    },
    [],
  );
  useEffect(() => effect(() => {
    at.value;
    rows.value;
    requestAnimationFrame(() => box.current && reveal(box.current));
  }), []);
  // Scrolling to an end of what is loaded loads more, and keeps the place.
  const scrolled = () => {
    const loaded = rows.peek(), element = box.current!;
    if (!loaded || stale.peek()) return;
    const top = Math.floor(element.scrollTop / RowHeight);
    const bottom = Math.ceil((element.scrollTop + element.clientHeight) / RowHeight);
    const wanted =
      top < 15 && !loaded.first ? top : bottom > loaded.list.length - 15 && !loaded.last ? Math.min(bottom, loaded.list.length) - 1 : -1;
    if (wanted < 0) return;
    const anchor = loaded.list[top]?.position, offset = element.scrollTop - top * RowHeight;
    load(loaded.list[Math.max(wanted, 0)].position).then(() => {
      const i = rows.peek()!.list.findIndex((row) => row.position === anchor);
      if (i >= 0) requestAnimationFrame(() => (element.scrollTop = i * RowHeight + offset));
    });
  };
  const loaded = rows.value;
  const here = current();
  const base = Math.min(...(loaded?.list.slice(Math.max(here - 40, 0), here + 60).map((row) => row.depth) ?? [0]));
  const inFold = here >= 0 && loaded!.list[here].position !== at.value;
  return (
    <Pane
      name="Trace"
      class={"trace" + (stale.value ? " stale" : "") + (colours.value ? "" : " plain")}
      keys={keys}
      tools={
        <>
          {inFold && <b class="hidden">HIDDEN</b>}
          <Do run={() => fold("all")} title="fold the whole trace ({)">{"{"}</Do>
          <Do run={() => fold("unfold-all")} title="unfold the whole trace (})">{"}"}</Do>
          <Do run={() => (indent.value = !indent.value)} title="indent by call depth (F8)">⇥</Do>
        </>
      }
    >
      <div class="rows" role="grid" aria-label="Instructions" aria-activedescendant={here >= 0 ? Here : undefined} aria-keyshortcuts="F2" tabIndex={0} ref={box} onScroll={scrolled}>
        <div role="rowgroup">
          {loaded?.list.map((row, i) => <TraceLine key={row.position} row={row} now={i === here} base={base} />)}
        </div>
        {loaded?.last && (
          <div class={"end" + (at.value >= length.value ? " now" : "")}>end of the trace, {place(length.value)}</div>
        )}
      </div>
    </Pane>
  );
}
