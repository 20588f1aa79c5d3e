// The timeline: the whole thread, the window in it, and the window's tracks.
// The server tells what pixels need; a window wider than the one seen is kept,
// so that panning draws at once.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Answer, ask, connection } from "./wire";
import { at, go, hello, hitsOf, historyOf, inTurn, length, openMemory, pan, setWindow, status, thread, told, windowFrom, windowTo, zoom } from "./state";
import { openMenu, Do, Pane } from "./parts";
import { brief, grouped, hash, percent, place } from "./format";
import { bookmarks } from "./bookmarks";
import { criticalMarks, sliceMarks } from "./slice";
import { drawThreads, loadThreads, threadAt, threadsHeight, threadTracks, trackHeight } from "./threads";

const OverviewHeight = 46, Ruler = 18, LayerHeight = 14, Lane = 14, CallHeight = 15;
type Loaded = { from: number; to: number; width: number; key: string; line: Answer; layers: Answer; hits: Answer; writes: Answer };
const detail = signal<Loaded | null>(null);
const whole = signal<{ key: string; line: Answer } | null>(null);
const size = signal({ width: 0, height: 0 });
const firstDepth = signal(0);
const hover = signal<{ x: number; y: number; text: string[] } | null>(null);
const withLayers = signal(false);
/** Which lane the keys are about, from above; -1: none. */
const chosenLane = signal(-1);
let asked = 0;

const span = computed(() => Math.max(windowTo.value - windowFrom.value, 1));

/** The calls of an answer: six numbers each, as the drawing takes them; and of each name the shade, -1: an exception. */
export function withCalls(line: Answer): Answer {
  if (typeof line?.slices !== "string") return line;
  // By hand: there are tens of thousands, and frames wait for them.
  const text: string = line.slices, all = new Float64Array((text.length + 1) >> 1);
  let start = 0, number = 0, n = 0, sign = 1, count = 0;
  for (let i = 0; i <= text.length && text; ++i) {
    const code = i < text.length ? text.charCodeAt(i) : 32;
    if (code === 45) sign = -1;
    else if (code !== 32) n = n * 36 + code - (code >= 97 ? 87 : 48);
    else {
      const field = count % 6;
      all[count++] = field === 1 ? (start += sign * n) : field === 3 ? (number += sign * n) : sign * n;
      n = 0;
      sign = 1;
    }
  }
  const s = all.subarray(0, count);
  const shades = line.names.map((name: string) => (name.startsWith("[exception]") ? -1 : hash(name) % 5));
  return { ...line, slices: s, shades };
}

/** Asks for the window three times as wide, if what is there will not do. */
async function load(force: boolean) {
  const from = windowFrom.peek(), to = windowTo.peek(), pixels = size.peek().width;
  const now = detail.peek();
  const key = [thread.peek(), hitsOf.peek(), historyOf.peek(), withLayers.peek(), firstDepth.peek()].join("\n");
  const wanted = (to - from) / pixels;
  if (!pixels || (!force && now && now.key === key && now.from <= from && to <= now.to && now.width <= Math.max(wanted * 2, 1))) return;
  const wide = to - from;
  const question = {
    thread: thread.peek(), from: Math.max(0, from - wide), to: Math.min(length.peek(), to + wide),
    buckets: Math.min(4096, Math.ceil(pixels * 0.75 * ((Math.min(length.peek(), to + wide) - Math.max(0, from - wide)) / Math.max(wide, 1)))),
  };
  const mine = ++asked;
  const mark = (of: string, location: boolean) =>
    of ? ask({ what: "marks", ...question, at: at.peek(), of, ...(location ? { location: true } : {}) }).catch(() => null) : null;
  const [line, layers, hits, writes] = await Promise.all([
    told(ask({ what: "timeline", ...question, depth: firstDepth.peek(), depths: 48 })),
    ask({ what: "layers", ...question, compute: withLayers.peek() }).catch((error) => ({ missing: error.message })),
    mark(hitsOf.peek(), false),
    mark(historyOf.peek(), true),
  ]);
  if (mine !== asked || !line) return;
  detail.value = { from: question.from, to: question.to, width: line.width, key, line: withCalls(line), layers, hits, writes };
}

async function loadWhole() {
  const key = thread.value + "/" + size.value.width;
  if (!size.value.width || whole.peek()?.key === key) return;
  const line = await told(ask({ what: "timeline", thread: thread.value, from: 0, to: length.value, buckets: Math.max(64, Math.floor(size.value.width / 2)), depths: 64 }));
  if (line) whole.value = { key, line: withCalls(line) };
}

// --- Drawing -----------------------------------------------------------------

/** Those of this frame. */
const colours = new Map<string, string>();
function colour(name: string): string {
  let value = colours.get(name);
  if (value === undefined)
    colours.set(name, (value = getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
  return value;
}

/** How wide a text is: the same ones come again in each frame. */
const widths = new Map<string, number>();
function widthOf(c: CanvasRenderingContext2D, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 5000) widths.clear();
    widths.set(text, (width = c.measureText(text).width));
  }
  return width;
}

function prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1, { clientWidth, clientHeight } = canvas;
  if (canvas.width !== Math.round(clientWidth * ratio) || canvas.height !== Math.round(clientHeight * ratio)) {
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(clientHeight * ratio);
  }
  const c = canvas.getContext("2d")!;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, clientWidth, clientHeight);
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  return c;
}

/** Each column as high as its deepest call. The same for as long as neither calls nor size change. */
let outline = { line: null as Answer, w: 0, h: 0, path: new Path2D() };
function silhouette(line: Answer, w: number, h: number, x: (p: number) => number): Path2D {
  if (outline.line === line && outline.w === w && outline.h === h) return outline.path;
  const deepest = new Float32Array(w + 1), s = line.slices;
  for (let i = 0; i < s.length; i += 6) {
    const to = Math.min(Math.ceil(x(s[i + 1] + s[i + 2])), w);
    for (let px = Math.floor(x(s[i + 1])); px < Math.max(to, Math.floor(x(s[i + 1])) + 1); ++px)
      deepest[px] = Math.max(deepest[px], s[i]);
  }
  const most = Math.max(...deepest, 1), path = new Path2D();
  for (let px = 0; px < w; ) {
    const begin = px, height = Math.max(1, (deepest[px] / most) * (h - 8));
    while (px < w && deepest[px] === deepest[begin]) ++px;
    path.rect(begin, h - height, px - begin, height);
  }
  outline = { line, w, h, path };
  return path;
}

/** Depth as height over the whole thread. */
function drawOverview(canvas: HTMLCanvasElement) {
  const c = prepare(canvas), w = canvas.clientWidth, h = canvas.clientHeight, end = Math.max(length.value, 1);
  const line = whole.value?.line, x = (p: number) => (p / end) * w;
  if (line?.slices) {
    c.fillStyle = colour("--call");
    c.fill(silhouette(line, w, h, x));
  }
  drawEvents(c, line, 0, 6, x);
  // What is not in the window is dimmed; the window has an edge to drag.
  const from = x(windowFrom.value), to = Math.max(x(windowTo.value), from + 2);
  c.fillStyle = colour("--shade");
  c.fillRect(0, 0, from, h);
  c.fillRect(to, 0, w - to, h);
  c.strokeStyle = colour("--ink2");
  c.lineWidth = 1;
  c.strokeRect(from + 0.5, 0.5, Math.max(to - from - 1, 1), h - 1);
  drawHere(c, x(at.value), h);
}

function drawHere(c: CanvasRenderingContext2D, x: number, h: number) {
  c.fillStyle = colour("--here");
  c.fillRect(Math.round(x) - 0.5, 0, 1.5, h);
}

function drawEvents(c: CanvasRenderingContext2D, line: Answer, y: number, h: number, x: (p: number) => number) {
  for (const e of line?.events ?? []) {
    c.fillStyle = colour(e.kind === "exception" ? "--exception" : e.kind === "gap" || e.kind === "error" ? "--gap" : "--ink3");
    c.fillRect(Math.round(x(e.at)), y, 2, h);
  }
}

function label(c: CanvasRenderingContext2D, text: string, left: number, right: number, y: number, h: number) {
  const from = Math.max(left, 0) + 3, room = Math.min(right, c.canvas.clientWidth) - from - 2;
  if (room < 14) return;
  let shown = text;
  if (widthOf(c, shown) > room) {
    let n = Math.floor(room / 5.5);
    while (n > 1 && widthOf(c, text.slice(0, n) + "…") > room) --n;
    if (n < 2) return;
    shown = text.slice(0, n) + "…";
  }
  c.fillStyle = colour("--ink");
  c.fillText(shown, from, y + h / 2 + 0.5);
}

type Mark = { at: number; text?: string };
/** Below the calls: what is at single places. */
type MarkLane = { name: string; y: number; ink: string; marks: Mark[] };
/** Where what is, from above; -1: nowhere. */
type Lanes = { layers: number; calls: number; end: number; marks: MarkLane[]; threads: number };
function lanesOf(d: Loaded | null): Lanes {
  const layers = Ruler, calls = layers + (d?.layers?.layers?.length ?? 0) * LayerHeight + 2;
  const at = (places: number[]) => places.map((at) => ({ at }));
  const marks: MarkLane[] = [];
  const add = (name: string, ink: string, of: Mark[] | null | undefined) => of && marks.push({ name, ink, marks: of, y: 0 });
  const events = d?.line?.events ?? [];
  if (events.length) add("events", "", events.map((e: any) => ({ at: e.at, text: e.text || e.kind })));
  if (bookmarks.value.length)
    add("bookmarks", "--here", bookmarks.value.filter((b) => b.thread === thread.value).map((b) => ({ at: b.position, text: b.name })));
  add("visits of " + hitsOf.value, "--ink", d?.hits && at(d.hits.marks));
  add("writes of " + historyOf.value, "--write", d?.writes && at(d.writes.marks));
  for (const [of, ink] of [[sliceMarks.value, "--read"], [criticalMarks.value, "--exception"]] as const) of && add(of.name, ink, at(of.places));
  const bottom = size.value.height - 2 - threadsHeight(), end = bottom - marks.length * Lane;
  marks.forEach((lane, n) => (lane.y = end + n * Lane));
  return { layers, calls, end: marks.length || threadsHeight() ? end : size.value.height, marks, threads: threadsHeight() ? bottom : -1 };
}

function drawRuler(c: CanvasRenderingContext2D, w: number, x: (p: number) => number) {
  const raw = span.value / Math.max(w / 110, 1), power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? power * 10;
  c.fillStyle = colour("--ink2");
  c.strokeStyle = colour("--rule");
  c.lineWidth = 1;
  for (let p = Math.ceil(windowFrom.value / step) * step; p < windowTo.value; p += step) {
    const px = Math.round(x(p)) + 0.5;
    c.beginPath();
    c.moveTo(px, 4);
    c.lineTo(px, size.value.height);
    c.stroke();
    c.fillText("#" + brief(p), px + 3, Ruler / 2);
  }
}

function drawTracks(canvas: HTMLCanvasElement) {
  const c = prepare(canvas), w = canvas.clientWidth, h = canvas.clientHeight;
  const d = detail.value, from = windowFrom.value;
  const x = (p: number) => ((p - from) / span.value) * w;
  drawRuler(c, w, x);
  if (!d) return;
  const lanes = lanesOf(d);
  (d.layers?.layers ?? []).forEach((layer: any, n: number) => {
    const y = lanes.layers + n * LayerHeight, u = layer.units;
    for (let i = 0; i < u.length; i += 4) {
      const left = x(u[i]), right = x(u[i] + u[i + 1]);
      if (right < 0 || left > w) continue;
      c.fillStyle = colour("--layer" + (hash(layer.names[u[i + 2]]) % 3));
      c.fillRect(left, y, Math.max(right - left - 0.5, 1), LayerHeight - 1);
      if (right - left > 24) label(c, layer.names[u[i + 2]], left, right, y, LayerHeight);
    }
  });
  const s = d.line.slices ?? [];
  const shades = [0, 1, 2, 3, 4].map((n) => colour("--call" + n));
  const exception = colour("--exception");
  c.save();
  c.beginPath();
  c.rect(0, lanes.calls, w, lanes.end - lanes.calls);
  c.clip();
  for (let i = 0; i < s.length; i += 6) {
    const left = x(s[i + 1]), right = x(s[i + 1] + s[i + 2]);
    if (right < 0 || left > w) continue;
    const y = lanes.calls + (s[i] - firstDepth.value) * CallHeight, name = d.line.names[s[i + 4]];
    const from = Math.max(left, -2), width = Math.max(Math.min(right, w + 2) - from - (right - left > 4 ? 0.7 : 0), 1);
    c.globalAlpha = s[i + 5] > 1 && right - left < 3 ? 0.6 : 1;
    const shade = d.line.shades[s[i + 4]];
    c.fillStyle = shade < 0 ? exception : shades[shade];
    c.fillRect(from, y, width, CallHeight - 1);
    if (right - left > 24) label(c, s[i + 5] > 1 && s[i + 2] < 4 * d.width ? name + "  ×" + grouped(s[i + 5]) : name, left, right, y, CallHeight - 1);
  }
  c.restore(); // alpha, too
  for (const { name, y, ink, marks } of lanes.marks) {
    c.fillStyle = colour("--ground2");
    c.fillRect(0, y, w, Lane - 1);
    if (!ink) drawEvents(c, d.line, y + 2, Lane - 5, x);
    else c.fillStyle = colour(ink);
    for (const mark of ink ? marks : []) c.fillRect(Math.round(x(mark.at)), y + 2, 2, Lane - 5);
    c.fillStyle = colour("--ink2");
    c.fillText(name, 3, y + Lane / 2);
  }
  if (lanes.threads >= 0) drawThreads(c, lanes.threads, w, x, { shades, colour, label });
  drawHere(c, x(at.value), h);
  const lane = chosenLane.value >= 0 ? placesOfLanes(d, lanes)[chosenLane.value] : undefined;
  if (!lane) return;
  const found = callAt(x(at.value), lane.y + lane.height / 2, w), left = found ? Math.max(x(found.start), 1) : x(at.value) - 3;
  c.strokeStyle = colour("--here");
  c.lineWidth = 2;
  c.strokeRect(left, lane.y, Math.max(Math.min(found ? x(found.start + found.length) : 0, w - 1) - left, 6), lane.height - 1);
}

// --- Pointing ----------------------------------------------------------------

function callAt(x: number, y: number, w: number) {
  const d = detail.value;
  if (!d) return null;
  const lanes = lanesOf(d), p = windowFrom.value + (x / w) * span.value, slack = (span.value / w) * 2;
  if (lanes.threads >= 0 && y >= lanes.threads) return threadAt(y - lanes.threads, p);
  if (y >= lanes.end) {
    const lane = lanes.marks.find((lane) => y < lane.y + Lane);
    const near = lane?.marks.reduce((a: Mark | null, b) => (Math.abs(b.at - p) <= Math.max(2 * slack, 0.5) && (!a || Math.abs(b.at - p) < Math.abs(a.at - p)) ? b : a), null);
    return near ? { name: near.text || lane!.name, start: near.at, length: 1, count: 1, depth: -1, what: lane!.name } : null;
  }
  const layer = Math.floor((y - lanes.layers) / LayerHeight);
  const layers = d.layers?.layers ?? [];
  if (y >= lanes.layers && layer < layers.length) {
    const u = layers[layer].units;
    for (let i = 0; i < u.length; i += 4)
      if (u[i] <= p && p < u[i] + u[i + 1])
        return { name: layers[layer].names[u[i + 2]], start: u[i], length: u[i + 1], count: 1, depth: -1, what: layers[layer].pass };
    return null;
  }
  const depth = Math.floor((y - lanes.calls) / CallHeight) + firstDepth.value, s = d.line.slices ?? [];
  let best = null;
  for (let i = 0; i < s.length; i += 6)
    if (s[i] === depth && s[i + 1] - slack <= p && p < s[i + 1] + s[i + 2] + slack) {
      best = { name: d.line.names[s[i + 4]], start: s[i + 1], length: s[i + 2], count: s[i + 5], depth, number: s[i + 3], what: "call" };
      if (s[i + 1] <= p && p < s[i + 1] + s[i + 2]) break;
    }
  return best;
}

/** What keys can choose, from above: layers, depths, marks, threads. */
function placesOfLanes(d: Loaded, lanes: Lanes): { y: number; height: number; depth?: number; starts: () => number[] }[] {
  const layers: any[] = d.layers?.layers ?? [], s = d.line.slices ?? [];
  const of = (all: ArrayLike<number>, by: number, place: number, take = (_: number) => true) => {
    const places = [];
    for (let i = 0; i < all.length; i += by) if (take(i)) places.push(all[i + place]);
    return places;
  };
  const depths = Math.max(0, Math.min(d.line.max_depth ?? 0, firstDepth.value + 48));
  return [
    ...layers.map((layer, n) => ({ y: lanes.layers + n * LayerHeight, height: LayerHeight, starts: () => of(layer.units, 4, 0) })),
    ...Array.from({ length: depths }, (_, depth) => ({
      y: lanes.calls + (depth - firstDepth.value) * CallHeight, height: CallHeight, depth, starts: () => of(s, 6, 1, (i) => s[i] === depth),
    })),
    ...lanes.marks.map(({ y, marks }) => ({ y, height: Lane, starts: () => marks.map((mark) => mark.at) })),
    ...threadTracks.value.tracks.map((_, n) => ({ y: lanes.threads + n * trackHeight, height: trackHeight, starts: () => [] })),
  ];
}

function describe(found: any): string[] {
  if (found.text) return found.text;
  if (found.depth < 0 && found.length === 1) return [found.name, place(found.start), found.what];
  return [
    found.name,
    found.count > 1 && found.what === "call" && found.length < 4 * (detail.value?.width ?? 0)
      ? grouped(found.count) + " calls from " + place(found.start) + " on"
      : grouped(found.length) + " instructions, " + place(found.start) + " to " + place(found.start + found.length - 1),
    found.depth >= 0 ? "depth " + found.depth : found.what,
  ];
}

/** Goes to a call: of several in one place, to the longest of them. */
function goTo(found: any) {
  if (found.thread) return go(found.start, "jump", found.thread);
  if (found.number === undefined || found.count < 2) return go(found.start);
  inTurn(async () => {
    const of = await told(ask({ what: "activation", thread: thread.value, number: found.number }));
    return of && (() => {
      go(of.start);
      status.value = "the longest of " + grouped(found.count) + " calls here";
    });
  });
}

export function Timeline() {
  const overview = useRef<HTMLCanvasElement>(null), tracks = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      size.value = { width: tracks.current!.clientWidth, height: tracks.current!.clientHeight };
    });
    watch.observe(tracks.current!);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = signal(0), painted = () => repaint.value++;
    scheme.addEventListener("change", painted);
    let frame = 0;
    const stop = [
      effect(() => {
        if (connection.value !== "open") return;
        thread.value, windowFrom.value, windowTo.value, size.value, hitsOf.value, historyOf.value, withLayers.value, firstDepth.value;
        load(false);
        loadWhole();
        loadThreads(size.value.width, size.value.height);
      }),
      effect(() => {
        detail.value, whole.value, windowFrom.value, windowTo.value, at.value, size.value, bookmarks.value, repaint.value, chosenLane.value, firstDepth.value, sliceMarks.value, criticalMarks.value, threadTracks.value;
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => {
          if (!overview.current) return;
          colours.clear();
          drawOverview(overview.current);
          drawTracks(tracks.current!);
        });
      }),
    ];
    return () => (watch.disconnect(), scheme.removeEventListener("change", painted), stop.forEach((s) => s()));
  }, []);
  const positionOf = (event: MouseEvent, canvas: HTMLCanvasElement, from: number, width: number) =>
    Math.round(from + ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * width);
  // In the overview, dragging sets the window; a click centres it.
  const dragOverview = (down: PointerEvent) => {
    const canvas = overview.current!, start = positionOf(down, canvas, 0, length.value);
    canvas.setPointerCapture(down.pointerId);
    let moved = false;
    canvas.onpointermove = (event) => {
      const now = positionOf(event, canvas, 0, length.value);
      moved ||= Math.abs(event.clientX - down.clientX) > 3;
      if (moved) setWindow(Math.min(start, now), Math.max(start, now));
    };
    canvas.onpointerup = () => {
      canvas.onpointermove = canvas.onpointerup = null;
      if (!moved) setWindow(start - span.value / 2, start + span.value / 2);
    };
  };
  const dragTracks = (down: PointerEvent) => {
    if (down.button) return;
    const canvas = tracks.current!, from = windowFrom.value, to = windowTo.value;
    canvas.setPointerCapture(down.pointerId);
    let moved = false;
    canvas.onpointermove = (event) => {
      moved ||= Math.abs(event.clientX - down.clientX) > 3;
      const by = ((event.clientX - down.clientX) / canvas.clientWidth) * (to - from);
      if (moved) setWindow(from - by, to - by);
    };
    canvas.onpointerup = (event) => {
      canvas.onpointermove = canvas.onpointerup = null;
      if (moved) return;
      const found = callAt(event.offsetX, event.offsetY, canvas.clientWidth);
      if (found) goTo(found);
      else go(positionOf(event, canvas, from, to - from));
    };
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const canvas = tracks.current!, about = positionOf(event, canvas, windowFrom.value, span.value);
    if (event.ctrlKey || event.altKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, about);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / 1500);
    else firstDepth.value = Math.max(0, Math.min(firstDepth.value + Math.sign(event.deltaY), (detail.value?.line.max_depth ?? 0) - 1));
  };
  const menu = (event: MouseEvent | HTMLElement, found: any) =>
    found && openMenu(event, [
      { text: describe(found).join(" · ") },
      { label: "Go to its first instruction", run: () => goTo(found) },
      ...(found.thread ? [] : [{ label: "Go to where it ends", run: () => go(found.start + found.length) },
      { label: "Make it the window", run: () => setWindow(found.start, found.start + found.length) }]),
      { label: "Open memory at sp", run: () => openMemory(hello.value.sp ?? "sp") },
    ]);
  const lanesNow = () => (detail.value ? placesOfLanes(detail.value, lanesOf(detail.value)) : []);
  /** What the keys are about: at the position, in the lane that is chosen. */
  const chosen = (): any => {
    const lane = lanesNow()[chosenLane.value], w = tracks.current!.clientWidth;
    return lane && callAt(((at.value + 0.5 - windowFrom.value) / span.value) * w, lane.y + lane.height / 2, w);
  };
  const choose = (by: number) => {
    const all = lanesNow();
    const to = (chosenLane.value = Math.max(0, Math.min(chosenLane.value + by, all.length - 1)));
    const depth = all[to]?.depth, room = Math.max(1, Math.floor((lanesOf(detail.value).end - lanesOf(detail.value).calls) / CallHeight));
    if (depth === undefined) return;
    if (depth < firstDepth.value) firstDepth.value = depth;
    else if (depth >= firstDepth.value + room) firstDepth.value = depth - room + 1;
  };
  /** To the next item of the lane, or the one before. */
  const along = (ahead: boolean) => {
    const lane = lanesNow()[chosenLane.value];
    if (!lane) return;
    const places = lane.starts().filter((p) => (ahead ? p > at.value : p < at.value));
    if (places.length) go(places.reduce((a, b) => (ahead ? Math.min(a, b) : Math.max(a, b))), "step");
    else status.value = "there is no " + (ahead ? "further" : "earlier") + " one in the window";
  };
  const keys = (press: KeyboardEvent) => {
    const step = Math.max(1, Math.round(span.value / 200));
    const Keys: Record<string, () => void> = {
      ArrowLeft: () => (press.shiftKey ? along(false) : go(at.value - step, "step")),
      ArrowRight: () => (press.shiftKey ? along(true) : go(at.value + step, "step")),
      ArrowUp: () => choose(-1),
      ArrowDown: () => choose(1),
      Enter: () => chosen() && goTo(chosen()),
      ContextMenu: () => menu(tracks.current!, chosen()),
      F10: () => menu(tracks.current!, chosen()),
      Home: () => setWindow(0, length.value),
    };
    if (press.ctrlKey || press.altKey || !(press.key in Keys) || (press.key === "F10" && !press.shiftKey)) return false;
    Keys[press.key]();
    return true;
  };
  const d = detail.value;
  // Read, so that it is told anew.
  const about = size.value && chosenLane.value >= 0 && d && windowTo.value && at.value + 1 ? chosen() : null;
  const missing = d && !d.layers?.layers && !withLayers.value;
  return (
    <Pane
      name="Timeline"
      class="timeline"
      keys={keys}
      title={"Timeline " + place(windowFrom.value) + " to " + place(windowTo.value)}
      tools={
        <>
          {d && !d.line.complete && d.line.slices && <b>more calls than fit: zoom in</b>}
          {missing && <Do run={() => (withLayers.value = true)} title={d!.layers?.missing}>compute loops and blocks</Do>}
          <span class="hint" role="status">{about ? describe(about).join(" · ") : ""}</span>
          {firstDepth.value > 0 && <span class="hint">from depth {firstDepth.value}</span>}
          <span class="hint">{percent(span.value, length.value)} of the thread</span>
          <Do run={() => zoom(0.5)} title="zoom in (w)">+</Do>
          <Do run={() => zoom(2)} title="zoom out (s)">−</Do>
          <Do run={() => setWindow(0, length.value)} title="the whole thread (Home)">all</Do>
        </>
      }
    >
      <canvas ref={overview} class="overview" height={OverviewHeight} role="img" aria-label="The whole thread; the window in it" onPointerDown={dragOverview} />
      <canvas
        ref={tracks}
        class="tracks"
        tabIndex={0}
        role="application"
        aria-roledescription="timeline"
        aria-label="Calls by depth over time: Left and Right move, Up and Down choose a lane, Return goes to what is there, w and s zoom, a and d pan"
        onPointerDown={dragTracks}
        onWheel={wheel}
        onContextMenu={(event) => menu(event, callAt(event.offsetX, event.offsetY, tracks.current!.clientWidth))}
        onDblClick={(event) => {
          const found: any = callAt(event.offsetX, event.offsetY, tracks.current!.clientWidth);
          if (found && !found.thread) setWindow(found.start - found.length * 0.02, found.start + found.length * 1.02);
        }}
        onPointerMove={(event) => {
          const found: any = callAt(event.offsetX, event.offsetY, tracks.current!.clientWidth);
          hover.value = found ? { x: event.clientX, y: event.clientY, text: describe(found) } : null;
        }}
        onPointerLeave={() => (hover.value = null)}
      />
      <Tip />
    </Pane>
  );
}

function Tip() {
  const box = useRef<HTMLDivElement>(null), h = hover.value;
  useEffect(() => {
    if (!h || !box.current) return;
    box.current.style.left = Math.min(h.x + 12, innerWidth - box.current.offsetWidth - 8) + "px";
    box.current.style.top = h.y + 16 + "px";
  }, [h]);
  return h ? <div class="tip" ref={box} role="tooltip">{h.text.map((line) => <div>{line}</div>)}</div> : null;
}
