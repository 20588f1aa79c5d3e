// Profiles: what `rewind profile` tells, with its filters as chips.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useAnswer } from "./answers";
import { change, go, profile, Profile as State, resolve, thread, told } from "./state";
import { ask } from "./wire";
import { At, Do, Item, openMenu, Problem, Toggle } from "./parts";
import { grouped, hash, percent, placeIn } from "./format";

const Views = [["self", "self"], ["dominated", "dominated"], ["block", "in and out"], ["sequences", "sequences"], ["tree", "flame graph"]];
const Metrics = ["instructions", "time", "calls", "reads", "writes", "bytes-read", "bytes-written", "lines", "taken-branches", "exceptions", "failed-conditions"];

const set = (part: Partial<State>) => change(() => (profile.value = { ...profile.value, ...part }), true);
type Filter = "select" | "exclude" | "fold";
const filter = (kind: Filter, name: string) =>
  set({ [kind]: profile.value[kind].includes(name) ? profile.value[kind] : [...profile.value[kind], name] });

/** A block with a place in time, as the filters want it named. */
const named = (item: any) => item.address ?? item.block;

async function kth(item: any) {
  const calls = await told(ask({ what: "calls-info", of: item.address ?? item.block, count: "200" }));
  return calls?.items ?? [];
}

export function blockMenu(item: any): Item[] {
  const name = named(item);
  return [
    ...(item.longest ? [{ label: "Go to its longest, " + grouped(item.longest.cost), run: () => go(item.longest.position, "jump", item.longest.thread) }] : []),
    ...(item.first ? [{ label: "Go to its first", run: () => go(item.first.position, "jump", item.first.thread) }] : []),
    { label: "Go to the next visit", run: () => resolve(item.block) },
    { label: "Go to the last visit", run: () => resolve(item.block, true) },
    { label: "In and out of it", run: () => set({ view: "block", of: name }) },
    { label: "Select it", run: () => filter("select", name) },
    { label: "Exclude it", run: () => filter("exclude", name) },
    { label: "Fold it", run: () => filter("fold", name) },
    { label: "Its calls, the first 200", run: async () => calls(await kth(item), item) },
  ];
}

function calls(list: any[], item: any) {
  const anchor = document.querySelector<HTMLElement>(".profile .bar")!;
  openMenu(anchor, [
    { text: item.block + ": " + list.length + " calls" },
    ...list.map((c, k) => ({ label: k + 1 + ": " + placeIn(c.start, c.thread, thread.value) + ", " + grouped(c.instructions) + " instructions", run: () => go(c.start, "jump", c.thread) })),
  ]);
}

function question() {
  const p = profile.value;
  if (p.view === "block" && !p.of) return null;
  return {
    what: "profile-" + p.view, metric: p.metric, select: p.select, exclude: p.exclude, fold: p.fold,
    ...(p.view === "block" ? { of: p.of } : { count: p.view === "tree" ? "5000" : "500" }),
  };
}

export function Profile() {
  const shown = useAnswer(question, ["of", "metric", "select", "exclude", "fold"]);
  const p = profile.value, data = shown.value.data;
  const metric = p.metric, total = data?.total?.[metric] ?? 0;
  const chips = (["select", "exclude", "fold"] as Filter[]).flatMap((kind) =>
    p[kind].map((name) => (
      <span class={"chip " + kind}>
        {kind} <b>{nameFor(data, name)}</b>
        <Do run={() => set({ [kind]: p[kind].filter((n) => n !== name) })} title={"no longer " + kind + " " + name}>×</Do>
      </span>
    )));
  const cost = (item: any, what: string) => item[what]?.[metric] ?? 0;
  const rows = (items: any[], what: string, more?: string) => (
    <table>
      <thead>
        <tr><th class="number">{what}</th><th class="number">%</th>{more && <th class="number">{more}</th>}<th class="number">activations</th><th>longest</th><th>block</th></tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr onContextMenu={(click) => openMenu(click, blockMenu(item))}>
            <td class="number">{grouped(cost(item, what))}</td>
            <td class="number bar-cell"><i style={{ width: total ? (100 * cost(item, what)) / total + "%" : "0" }} />{percent(cost(item, what), total)}</td>
            {more && <td class="number">{grouped(cost(item, more))}</td>}
            <td class="number">{grouped(item.activations)}</td>
            <td>{item.longest ? <At to={item.longest.position} thread={item.longest.thread} title={grouped(item.longest.cost) + " " + metric} /> : ""}</td>
            <td class="code">
              <Do run={() => set({ view: "block", of: p.view === "sequences" ? item.block.split(" > ").pop()! : named(item) })}>{item.block}</Do>{" "}
              <Do class="more" run={() => openMenu(document.activeElement as HTMLElement, blockMenu(item))} title={"more about " + item.block}>⋯</Do>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return (
    <div class={"profile" + (shown.value.stale ? " stale" : "")}>
      <div class="bar">
        <span role="group" aria-label="Which profile">
          {Views.map(([view, label]) => (
            <Toggle on={p.view === view} run={() => set({ view })}>{label}</Toggle>
          ))}
        </span>
        <label>of <select tabIndex={-1} value={metric} onChange={(event) => set({ metric: event.currentTarget.value })}>
          {Metrics.map((m) => <option value={m}>{m}</option>)}
        </select></label>
        {data && <span class="hint">{grouped(total)} in all{data.complete ? "" : ", more blocks follow"}</span>}
        {shown.value.stale && <span class="hint">counting…</span>}
        {chips}
      </div>
      <Problem shown={shown.value} />
      {p.view === "block" && !p.of && <p class="notice">Choose a block in one of the other lists.</p>}
      {data?.items && p.view === "self" && rows(data.items, "self")}
      {data?.items && p.view === "sequences" && rows(data.items, "self")}
      {data?.items && p.view === "dominated" && rows(data.items, "dominated", "self")}
      {data?.block && p.view === "block" && (
        <>
          {rows([data.block], "dominated", "self")}
          <h3>going in, from</h3>
          {rows(data.items.filter((i: any) => i.going === "in"), "dominated")}
          <h3>going out, to</h3>
          {rows(data.items.filter((i: any) => i.going === "out"), "dominated")}
        </>
      )}
      {data?.items && p.view === "tree" && <Flame items={data.items} metric={metric} />}
    </div>
  );
}

/** Chips name blocks by address, so that they mean the same everywhere. */
function nameFor(data: any, name: string): string {
  const all = [...(data?.items ?? []), ...(data?.block ? [data.block] : [])];
  for (const item of all) if (item.address === name) known.set(name, item.block.split(" > ").pop());
  return known.get(name) ?? name;
}
const known = new Map<string, string>();

const RowHeight = 17;
type Box = { item: any; from: number; to: number; in?: Box };
/** Which box of the flame graph the keys are about. */
const chosen = signal(-1);
function Flame({ items, metric }: { items: any[]; metric: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const cost = (item: any) => item.inclusive[metric] as number;
  // Children follow their parent, in order of cost: left heavy.
  const boxes: Box[] = [], running: Box[] = [];
  const next: number[] = [0];
  for (const item of items) {
    const from = next[item.depth] ?? 0;
    running[item.depth] = { item, from, to: from + cost(item), in: running[item.depth - 1] };
    boxes.push(running[item.depth]);
    next[item.depth] = from + cost(item);
    next[item.depth + 1] = from;
    next.length = item.depth + 2;
  }
  const here = boxes[Math.min(chosen.value, boxes.length - 1)];
  const total = boxes.filter((b) => !b.item.depth).reduce((sum, b) => sum + cost(b.item), 0) || 1;
  const depth = Math.min(items.reduce((most, item) => Math.max(most, item.depth), 0) + 1, 200);
  useEffect(() => {
    const element = canvas.current!, ratio = devicePixelRatio || 1, w = element.clientWidth, h = element.clientHeight;
    element.width = w * ratio;
    element.height = h * ratio;
    const c = element.getContext("2d")!, ink = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    c.scale(ratio, ratio);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    for (const { item, from, to } of boxes) {
      const x = (from / total) * w, width = ((to - from) / total) * w;
      if (width < 0.3) continue;
      c.fillStyle = ink("--call" + (hash(item.block) % 5));
      c.fillRect(x, item.depth * RowHeight, Math.max(width - 0.7, 0.5), RowHeight - 1);
      if (width < 26) continue;
      c.fillStyle = ink("--ink");
      let text = item.block;
      while (text.length > 2 && c.measureText(text).width > width - 6) text = text.slice(0, Math.floor(text.length * 0.85) - 1) + "…";
      c.fillText(text, x + 3, item.depth * RowHeight + RowHeight / 2);
    }
    if (!here) return;
    c.strokeStyle = ink("--here");
    c.lineWidth = 2;
    c.strokeRect((here.from / total) * w + 1, here.item.depth * RowHeight + 1, Math.max(((here.to - here.from) / total) * w - 2.5, 1), RowHeight - 3);
  });
  const tell = ({ item }: Box) => item.block + "\n" + grouped(cost(item)) + " " + metric + ", " + percent(cost(item), total) + "\n" + grouped(item.activations) + (item.activations === 1 ? " activation" : " activations");
  const open = ({ item }: Box) => item.longest && go(item.longest.position, "jump", item.longest.thread);
  const menu = (event: MouseEvent | HTMLElement, { item }: Box) =>
    openMenu(event, [{ text: item.block + " · " + grouped(cost(item)) + " · " + percent(cost(item), total) }, ...blockMenu(item)]);
  // Up to the caller, down to the callee that costs most, and along those of one depth.
  const keys = (press: KeyboardEvent) => {
    const i = here ? boxes.indexOf(here) : -1, beside = (b: Box) => b.item.depth === here.item.depth;
    const to: Record<string, () => number> = {
      ArrowUp: () => (here.in ? boxes.indexOf(here.in) : i), ArrowDown: () => (boxes[i + 1]?.in === here ? i + 1 : i),
      ArrowRight: () => boxes.findIndex((b, k) => k > i && beside(b)), ArrowLeft: () => boxes.map((b, k) => k < i && beside(b)).lastIndexOf(true),
      Home: () => 0,
    };
    const does: Record<string, () => void> = {
      Enter: () => here && open(here), ContextMenu: () => here && menu(canvas.current!, here), F10: () => here && menu(canvas.current!, here),
    };
    if (press.ctrlKey || press.altKey || press.metaKey || (press.key === "F10" && !press.shiftKey)) return;
    if (press.key in to) {
      const found = here ? to[press.key]() : 0;
      if (found >= 0) chosen.value = found;
      canvas.current!.closest(".content")!.scrollTop = Math.max(0, canvas.current!.offsetTop + (boxes[Math.max(found, 0)].item.depth - 2) * RowHeight);
    } else if (press.key in does) does[press.key]();
    else return;
    press.preventDefault();
    press.stopPropagation();
  };
  const find = (event: MouseEvent) => {
    const p = (event.offsetX / canvas.current!.clientWidth) * total, d = Math.floor(event.offsetY / RowHeight);
    return boxes.find((b) => b.item.depth === d && b.from <= p && p < b.to);
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="flame"
        style={{ height: depth * RowHeight + "px" }}
        tabIndex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label="Flame graph: the arrows choose a block, Return goes to its longest; the other pages have the same as tables"
        title=""
        onClick={(event) => {
          const box = find(event);
          if (box) open(box);
        }}
        onContextMenu={(event) => {
          const box = find(event);
          if (box) menu(event, box);
        }}
        onPointerMove={(event) => {
          const box = find(event);
          canvas.current!.title = box ? tell(box) : "";
        }}
        onFocus={() => here || (chosen.value = 0)}
        onKeyDown={keys}
      />
      <p class="hint chosen-block" role="status">{here ? tell(here).replaceAll("\n", " · ") : ""}</p>
    </>
  );
}
