// Where the user is and what he looks at. All of it is in the URL: a jump is an
// entry of the browser's history, a step replaces the one it is in.
import { batch, computed, signal } from "@preact/signals";
import { place } from "./format";
import { ask, Answer } from "./wire";

/** Where a thread is: positions alone are of the thread that is shown. */
export type Moment = { thread: number; at: number };
export type Memory = { expr: string; lock: Moment | null; compare: Moment | null };
export type Profile = {
  view: string;
  of: string;
  select: string[];
  exclude: string[];
  fold: string[];
  metric: string;
};

export const hello = signal<Answer>(null);
export const thread = signal(1);
export const at = signal(0);
export const here = (): Moment => ({ thread: thread.value, at: at.value });
export const windowFrom = signal(0);
export const windowTo = signal(0);
export const folds = signal("");
export const tab = signal("history");
export const memories = signal<Memory[]>([]);
/** Registers are shown as they were there; null: where the user is. */
export const registerLock = signal<Moment | null>(null);
/** g: core, v: vectors, s: as singles, d: as doubles, y: system. */
export const registerSets = signal("gy");
export const historyOf = signal("");
/** What was looked for last: n and N look for it again. */
export const sought = signal("");
export const hitsOf = signal("");
/** A slice: of what, before which position. */
export const sliceOf = signal<({ of: string } & Moment) | null>(null);
/** The part whose critical path is shown. */
export const criticalPart = signal<{ thread: number; from: number; to: number } | null>(null);
export const profile = signal<Profile>({
  view: "self", of: "", select: [], exclude: [], fold: [], metric: "instructions",
});
/** Where there is a debugger: page and debugger move each other. */
export const following = signal(true);
/** What the last key or command came to, or what of the URL is not there. */
export const status = signal("");

export const info = computed(() => hello.value?.threads[thread.value - 1] ?? { instructions: 0, calls: 0 });
export const length = computed<number>(() => info.value.instructions);

/** As it is where it was not encoded: URLs are typed, too. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
const brief = (text: string) => (text.length > 40 ? text.slice(0, 40) + "…" : text);
const list = (text: string) => (text ? text.split(",").map(decoded) : []);
const unlist = (all: string[]) => all.map(encodeURIComponent).join(",");
const number = (text: string | undefined) => (text && /^\d+$/.test(text) ? Number(text) : null);
/** "31408", or "2:31408" in another thread than that of the URL. */
const momentText = (m: Moment | null, of: number) => (m ? (m.thread === of ? "" : m.thread + ":") + m.at : "");
function momentOf(text: string | undefined, of: number): Moment | null {
  const [, inThread, position] = /^(?:(\d+):)?(\d+)$/.exec(text ?? "") ?? [];
  const moment = position ? { thread: Number(inThread ?? of), at: Number(position) } : null;
  return moment && moment.at <= (hello.value.threads[moment.thread - 1]?.instructions ?? -1) ? moment : null;
}

/** What the server understands as folds: "3-7,12,40-". */
function areFolds(text: string): boolean {
  const runs = text ? text.split(",") : [], most = (1n << 64n) - 2n;
  return text.length <= 1 << 15 && runs.length <= 4096 && runs.every((run) => {
    const [, first, to, last] = /^(\d+)(?:(-)(\d*))?$/.exec(run) ?? [];
    return first !== undefined && BigInt(first) <= (to && !last ? most : BigInt(last || first)) && BigInt(last || first) <= most;
  });
}

const MostMemories = 4;

export function urlOf(to: { thread?: number; at?: number; alone?: boolean } = {}): string {
  const of = to.thread ?? thread.value, stays = of === thread.value;
  const parts = ["p=" + of + ":" + (to.at ?? at.value), "id=" + hello.value?.stamp];
  // These say nothing of another thread.
  if (stays) parts.splice(1, 0, "w=" + windowFrom.value + "-" + windowTo.value);
  const add = (name: string, value: string) => value && parts.push(name + "=" + value);
  add("follow", to.alone || !following.value ? "off" : "");
  add("fold", stays ? folds.value : "");
  add("tab", tab.value === "history" ? "" : tab.value);
  add("regs", registerSets.value === "gy" ? "" : registerSets.value || "none");
  add("lock", momentText(registerLock.value, of));
  add("mem", memories.value
    .map((m) => [encodeURIComponent(m.expr), momentText(m.lock, of), momentText(m.compare, of)].join("~")).join(","));
  add("of", encodeURIComponent(historyOf.value));
  add("hits", encodeURIComponent(hitsOf.value));
  const s = sliceOf.value, c = criticalPart.value;
  add("slice", s ? [encodeURIComponent(s.of), s.thread, s.at].join("~") : "");
  add("path", c ? [c.thread, c.from, c.to].join("-") : "");
  const p = profile.value;
  add("page", p.view === "self" ? "" : p.view);
  add("block", encodeURIComponent(p.of));
  add("sel", unlist(p.select));
  add("excl", unlist(p.exclude));
  add("foldb", unlist(p.fold));
  add("metric", p.metric === "instructions" ? "" : p.metric);
  return "#" + parts.join("&");
}

export function readUrl() {
  ++departures;
  const fields = new Map<string, string>();
  for (const part of location.hash.slice(1).split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) fields.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const get = (name: string) => fields.get(name) ?? "";
  const text = (name: string) => decoded(get(name));
  const missing: string[] = [];
  const shown = (asked: string | undefined) => (number(asked) === null ? '"' + decoded(asked ?? "").slice(0, 40) + '"' : place(Number(asked)));
  batch(() => {
    if (fields.has("id") && get("id") !== hello.value.stamp) missing.push("this link was made for another state of the trace");
    const [t, p] = fields.has("p") ? get("p").split(":") : ["1", "0"];
    const there = hello.value.threads.some((known: any) => known.thread === number(t));
    if (!there) missing.push("there is no thread " + shown(t).replace("#", ""));
    thread.value = there ? number(t)! : 1;
    const end = length.value, asked = number(p);
    if (there && !p) missing.push("p=" + text("p").slice(0, 40) + " names no position: p=<thread>:<position>, p=" + thread.value + ":0 for instance");
    else if (there && (asked === null || asked > end))
      missing.push("there is no position " + shown(p) + ": thread " + thread.value + " ends at " + place(end));
    at.value = there ? Math.min(asked ?? 0, end) : 0;
    const [from, to] = get("w").split("-").map(number);
    const good = from !== null && to !== null && to !== undefined && from < to && to <= end;
    if (there && fields.has("w") && !good && !missing.length) missing.push("there is no window " + decoded(get("w")).slice(0, 40));
    windowFrom.value = good ? from : 0;
    windowTo.value = good ? to! : end;
    following.value = get("follow") !== "off";
    const folded = areFolds(get("fold"));
    if (!folded) missing.push("there are no folds " + brief(text("fold")));
    folds.value = folded ? get("fold") : "";
    tab.value = get("tab") || "history";
    registerSets.value = get("regs") === "none" ? "" : get("regs") || "gy";
    const moment = (part: string | undefined) => {
      const found = momentOf(part, thread.value);
      if (part && !found) missing.push("there is no position " + brief(decoded(part)) + " to lock or compare");
      return found;
    };
    registerLock.value = moment(get("lock"));
    const panes = get("mem").split(",");
    if (panes.length > MostMemories) missing.push("there are " + MostMemories + " panes of memory at most: the first of " + panes.length + " are shown");
    memories.value = get("mem")
      ? panes.slice(0, MostMemories).map((m) => {
          const [expr, lock, compare] = m.split("~");
          return { expr: decoded(expr), lock: moment(lock), compare: moment(compare) };
        })
      : [{ expr: hello.value.sp ?? "0", lock: null, compare: null }];
    historyOf.value = text("of");
    hitsOf.value = text("hits");
    const [of, inThread, before] = get("slice").split("~");
    sliceOf.value = of && number(inThread) && number(before) !== null ? { of: decoded(of), thread: number(inThread)!, at: number(before)! } : null;
    const [whose, first, last] = get("path").split("-").map(number);
    criticalPart.value = whose && first !== null && last ? { thread: whose, from: first, to: last } : null;
    profile.value = {
      view: get("page") || "self", of: text("block"), select: list(get("sel")),
      exclude: list(get("excl")), fold: list(get("foldb")), metric: get("metric") || "instructions",
    };
    status.value = missing.join("; ");
  });
}

let writing = 0;
function replaceUrl() {
  clearTimeout(writing);
  history.replaceState(null, "", urlOf());
  document.body.removeAttribute("data-behind");
}
/** The URL follows the state; steps wait a little, as browsers want it: until then the body has data-behind. */
export function writeUrl(jump: boolean) {
  clearTimeout(writing);
  if (jump) history.pushState(null, "", urlOf());
  else writing = window.setTimeout(replaceUrl, 120);
  document.body.toggleAttribute("data-behind", !jump);
}

/** How often the user went somewhere without a move that waits for its turn. */
let departures = 0;
let arriving = false, moving = 0;
let turn: Promise<void> = Promise.resolve();
/** Whether a move waits: keys that are held down wait for it. */
export const isMoving = () => moving > 0;

/**
 * Where some moves lead is the server's to say. They follow one another, each from where the one before it ended, so
 * that keys may be faster than answers. `find` begins one and comes back with its end, which is left out where the user
 * has gone elsewhere meanwhile (a click, the debugger); so are those that wait.
 */
export function inTurn(find: () => Promise<(() => void) | void>): Promise<void> {
  const begun = departures;
  ++moving;
  return (turn = turn
    .then(async () => {
      const end = begun === departures ? await find() : undefined;
      if (!end || begun !== departures) return;
      arriving = true;
      try {
        end();
      } finally {
        arriving = false;
      }
    })
    .catch(reportError)
    .finally(() => --moving));
}
const say = (text: string) => () => void (status.value = text);

/** Goes to a position. A jump can be taken back. */
export function go(to: number, how: "jump" | "step" = "jump", inThread = thread.value) {
  if (!arriving) ++departures;
  if (how === "jump") replaceUrl();
  batch(() => {
    if (inThread !== thread.value) {
      thread.value = inThread;
      folds.value = "";
      windowFrom.value = 0;
      windowTo.value = length.value;
    }
    at.value = Math.max(0, Math.min(to, length.value));
    status.value = "";
    follow();
  });
  writeUrl(how === "jump");
}

/** The window comes along. */
function follow() {
  const width = windowTo.value - windowFrom.value;
  if (at.value >= windowFrom.value && at.value < windowTo.value) return;
  const from = Math.max(0, Math.min(at.value - Math.floor(width / 2), length.value - width));
  windowFrom.value = from;
  windowTo.value = from + width;
}

export function setWindow(from: number, to: number) {
  const end = length.value;
  const width = Math.max(Math.min(Math.round(to - from), end), Math.min(16, end));
  const start = Math.max(0, Math.min(Math.round(from), end - width));
  batch(() => {
    windowFrom.value = start;
    windowTo.value = start + width;
  });
  writeUrl(false);
}

/** Zooms about a place, the position if none is given. */
export function zoom(by: number, about = at.value) {
  const from = windowFrom.value, to = windowTo.value;
  const center = about >= from && about < to ? about : (from + to) / 2;
  setWindow(center - (center - from) * by, center + (to - center) * by);
}

export function pan(by: number) {
  const width = windowTo.value - windowFrom.value;
  setWindow(windowFrom.value + by * width, windowTo.value + by * width);
}

/** What goes wrong is said, not thrown away. */
export async function told<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    status.value = (error as Error).message;
    return null;
  }
}

export function change(set: () => void, jump = false) {
  if (jump) replaceUrl();
  batch(() => {
    status.value = "";
    set();
  });
  writeUrl(jump);
}

export const fold = (action: string, where?: number) => inTurn(() => folded(action, where));
export async function folded(action: string, asked?: number) {
  const where = asked ?? at.value;
  const done = await told(ask({ what: "fold", thread: thread.value, at: where, folds: folds.value, action }));
  if (!done) return;
  return () => {
    batch(() => {
      status.value = "";
      folds.value = done.folds;
      if (where === at.value) go(done.at, "step");
    });
    writeUrl(false);
  };
}

/** Finds what somebody typed, and goes there. */
export const resolve = (text: string, back = false) =>
  inTurn(async () => {
    const found = await told(ask({ what: "resolve", thread: thread.value, at: at.value, text, back }));
    if (!found) return;
    return () => {
      if (found.kind === "memory") return openMemory(text);
      if (found.kind === "visit") hitsOf.value = text;
      go(found.at, "jump", found.thread);
      if (found.wrapped) status.value = back ? "from the end on" : "from the beginning on";
    };
  });

/** A moment that was typed: digits alone are what `digits` says, "l:" a line, "#" a position. */
export async function momentAt(text: string, digits: string): Promise<Moment | undefined> {
  const found = await told(ask({
    what: "resolve", thread: thread.value, at: at.value, text: /^[\d,]+$/.test(text) ? digits + text : text, back: false,
  }));
  if (!found) return;
  if (found.kind === "memory") status.value = text + " was never executed";
  else return { thread: found.thread ?? thread.value, at: found.at };
}

export function openMemory(expr: string) {
  change(() => {
    memories.value = [{ expr, lock: null, compare: null }, ...memories.value].slice(0, MostMemories);
  });
}

export function openHistory(of: string) {
  change(() => {
    historyOf.value = of;
    tab.value = "history";
  }, true);
}

/** The last (or next) access, and there. */
export const access = (what: string, of: string, from?: number, size?: number) => inTurn(() => accessed(what, of, from, size));
export async function accessed(what: string, of: string, from = at.value, size?: number) {
  // The next one is behind the instruction of the position, which is marked as such.
  const begin = thread.value + ":#" + (what.startsWith("next-") ? Math.min(from + 1, length.value) : from);
  const found = await told(ask({ what, of, at: begin, ...(size === undefined ? {} : { size: String(size) }) }));
  if (!found) return;
  const item = found.items[0];
  if (!item) return say("there is no " + what.replace("-", " ") + " of " + of);
  return () => go(item.position, "jump", item.thread);
}

export const event = (kind: string, back: boolean) =>
  inTurn(async () => {
    const found = await told(ask({ what: "event", thread: thread.value, at: at.value, kind, back }));
    return found && (() => go(found.at));
  });

/** The next or last call of the function that the user is in. */
export const call = (ahead: boolean) =>
  inTurn(async () => {
    const where = await told(ask({ what: "where", thread: thread.value, at: at.value }));
    if (!where) return;
    const of = await told(ask({ what: "activation", thread: thread.value, number: where.activation }));
    if (!of) return;
    const to = ahead ? of.next : at.value > of.start ? of.start : of.last;
    if (to === undefined) return say("there is no " + (ahead ? "further" : "earlier") + " call of " + of.name);
    return () => go(to);
  });
