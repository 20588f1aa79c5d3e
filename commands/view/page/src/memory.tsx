// Memory: a pane follows an expression, or stays where and when it is told.
import { Signal, signal } from "@preact/signals";
import { useAnswer } from "./answers";
import { access, change, folds, hello, here, memories, Memory, openHistory, thread } from "./state";
import { valueItems } from "./trace";
import { askLine, askMoment, At, Do, Item, openMenu, Pane, Problem } from "./parts";
import { Guard } from "./guard";
import { placeIn } from "./format";

const Size = 256;

function MemoryPane({ index }: { index: number }) {
  const of = () => memories.value[index];
  const set = (part: Partial<Memory>) =>
    change(() => (memories.value = memories.value.map((m, i) => (i === index ? { ...m, ...part } : m))));
  const shown = useAnswer(() => {
    const m = of();
    return m && {
      what: "memory", ...(m.lock ?? here()), address: m.expr, size: Size,
      ...(m.compare ? { since: m.compare.at, since_thread: m.compare.thread }
        : (m.lock?.thread ?? thread.value) === thread.value ? { folds: folds.value } : {}),
    };
  });
  const cursor = (cursors[index] ??= signal(0)), chosen = "byte-" + index;
  const m = of();
  if (!m) return null;
  const data = shown.value.data;
  const first = data ? BigInt(data.address) : 0n;
  const address = (i: number, from = first) => "0x" + (from + BigInt(i)).toString(16);
  const count = data ? data.changed.length : 0;
  /** What the keys are about, which may be on its way. */
  const wanted = () => (/^0x[0-9a-f]{1,16}$/i.test(of().expr) ? BigInt(of().expr) & ~15n : first);
  const scroll = (by: number) => set({ expr: data ? hexPlus(wanted(), by) : m.expr });
  const writes = (size: number, from = first) => {
    const start = Math.floor(cursor.value / size) * size;
    access("last-write", address(start, from), undefined, size);
  };
  const changeOf = (what: string, from = first) => access(what, address(0, from), undefined, count);
  const lockTo = (unit: "line" | "time") => askMoment("Lock memory to", unit, (lock) => set({ lock }));
  const close = () => change(() => (memories.value = memories.value.filter((_, i) => i !== index)));
  const keys = (press: KeyboardEvent) => {
    if (press.ctrlKey) {
      if (press.key.toLowerCase() !== "l") return false;
      set({ lock: m.lock === null ? here() : null });
      return true;
    }
    const step = (by: number) => {
      const to = cursor.value + by;
      if (to < 0) scroll(-Size / 2);
      else if (to >= count) scroll(Size / 2);
      cursor.value = ((to % Size) + Size) % Size;
    };
    const Keys: Record<string, () => void> = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => step(-16), ArrowDown: () => step(16),
      PageUp: () => scroll(-Size), PageDown: () => scroll(Size),
      "1": () => writes(1, wanted()), "2": () => writes(2, wanted()), "4": () => writes(4, wanted()), "8": () => writes(8, wanted()),
      Enter: () => writes(1, wanted()), "[": () => changeOf("last-write", wanted()), "]": () => changeOf("next-write", wanted()),
      l: () => lockTo("line"), t: () => lockTo("time"),
      d: () => askMoment("Compare with", "line", (compare) => set({ compare })),
      m: () => askLine("Memory at", (expr) => set({ expr })),
      F: () => set({ expr: data ? address(data.offset) : m.expr }),
      h: () => openHistory(address(cursor.value, wanted())),
      x: close,
    };
    if (!(press.key in Keys)) return false;
    Keys[press.key]();
    if (press.key.startsWith("Arrow")) requestAnimationFrame(() => document.getElementById(chosen)?.scrollIntoView({ block: "nearest" }));
    return true;
  };
  /** The aligned bytes that the byte is one of, as a number: null if it is not known, undefined if it is not here. */
  const word = (i: number, size: number) => {
    const from = i - Number((first + BigInt(i)) % BigInt(size));
    if (from < 0 || from + size > count) return undefined;
    const bytes = data.bytes.slice(2 * from, 2 * (from + size)).match(/../g);
    if (bytes.includes("??")) return null;
    return "0x" + (hello.value.byte_order === "big" ? bytes : bytes.reverse()).join("");
  };
  const menu = (i: number): Item[] => [
    ...[1, 2, 4, 8].map((size) => ({
      label: "Last write of " + size + (size === 1 ? " byte" : " bytes"), key: String(size),
      run: () => ((cursor.value = i), writes(size)),
    })),
    { label: "Next write of this byte", run: () => access("next-write", address(i)) },
    { label: "History of 8 bytes", key: "h", run: () => openHistory(address(i - (i % 8))) },
    ...[1, 4, 8].flatMap((size): Item[] => {
      const value = word(i, size);
      return value === undefined ? [] : [{ text: size === 1 ? "the byte" : "the " + size + " aligned bytes" }, ...valueItems(value)];
    }),
  ];
  /** Where the bytes shown end, the wheel goes on. */
  const wheel = (event: WheelEvent) => {
    const box = event.currentTarget as HTMLElement;
    const end = event.deltaY < 0 ? box.scrollTop <= 0 : box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
    if (!event.deltaY || event.ctrlKey || !end || shown.value.stale) return;
    event.preventDefault();
    scroll(event.deltaY < 0 ? -64 : 64);
  };
  const lines = [];
  for (let row = 0; row * 16 < count; ++row) {
    const cells = [], ascii = [];
    for (let i = row * 16; i < Math.min(row * 16 + 16, count); ++i) {
      const byte = data.bytes.slice(2 * i, 2 * i + 2);
      const known = byte !== "??", code = parseInt(byte, 16);
      const kind = (known ? "" : " unknown") + (data.changed[i] === "1" ? " changed" : "") + (i === cursor.value ? " chosen" : "");
      cells.push(
        <span role="gridcell" id={i === cursor.value ? chosen : undefined} aria-selected={i === cursor.value} class={"byte" + kind} onClick={() => (cursor.value = i)} onContextMenu={(click) => openMenu(click, menu(i))}
          title={address(i) + (data.changed[i] === "1" ? ", changed since " + placeIn(data.since, data.since_thread, thread.value) : "")}>
          {byte}
        </span>,
      );
      ascii.push(<span class={"char" + kind}>{!known ? "?" : code >= 32 && code < 127 ? String.fromCharCode(code) : "·"}</span>);
    }
    lines.push(
      <div role="row" class="line" key={row}>
        <span role="rowheader" class="address">{address(row * 16)}</span>
        <span role="presentation" class="bytes">{cells}</span>
        <span role="gridcell" class="ascii">{ascii}</span>
        <span role="gridcell" class="symbol">{data.symbols[row]}</span>
      </div>,
    );
  }
  return (
    <Pane
      name={"Memory " + (index + 1)}
      class={"memory" + (shown.value.stale ? " stale" : "")}
      keys={keys}
      title={
        <form onSubmit={(event) => {
          event.preventDefault();
          set({ expr: new FormData(event.currentTarget).get("expr") as string || m.expr });
        }}>
          <label>Memory <input name="expr" tabIndex={-1} value={m.expr} spellcheck={false} autocomplete="off" aria-label="Address, symbol or expression" /></label>
        </form>
      }
      tools={
        <>
          {m.lock !== null && <>at <At to={m.lock.at} thread={m.lock.thread} /></>}
          <Do run={() => set({ lock: m.lock === null ? here() : null })} title="stay at this moment, or follow (Ctrl-L)">{m.lock === null ? "lock" : "unlock"}</Do>
          {m.compare === null
            ? <Do run={() => set({ compare: here() })} title="mark what differs from this moment from now on (d)">compare</Do>
            : <>since <At to={m.compare.at} thread={m.compare.thread} /> <Do run={() => set({ compare: null })}>stop</Do></>}
          <Do run={() => changeOf("last-write")} title="last change ([)">‹</Do>
          <Do run={() => changeOf("next-write")} title="next change (])">›</Do>
          <Do run={close} title="close (x)">×</Do>
        </>
      }
    >
      <Problem shown={shown.value} />
      <div class="dump" role="grid" aria-label={"Bytes at " + m.expr} aria-activedescendant={count ? chosen : undefined} aria-keyshortcuts="F2" tabIndex={0} onWheel={wheel}><div role="rowgroup">{lines}</div></div>
    </Pane>
  );
}
const cursors: Signal<number>[] = [];
const hexPlus = (n: bigint, by: number) => "0x" + BigInt.asUintN(64, n + BigInt(by)).toString(16);

export function Memories() {
  return <>{memories.value.map((_, i) => <Guard key={i} name={"Memory " + (i + 1)} class="memory"><MemoryPane index={i} /></Guard>)}</>;
}
