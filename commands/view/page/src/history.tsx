// Every write of a location in the window: as a table, and as a plot.
import { useEffect, useRef } from "preact/hooks";
import { useAnswer } from "./answers";
import { age, along, axis, hereOf } from "./items";
import { at, change, go, historyOf, thread, windowFrom, windowTo } from "./state";
import { At, Do, Problem } from "./parts";
import { fileName, grouped } from "./format";

const Most = 500;
/** What the type says, of an enumerator its number; without a type, the bytes as a number with a sign. */
const numberOf = ({ new: value, new_text: text }: any) => {
  const typed = text !== undefined && text !== null;
  const number = typed && /^-?(0x[0-9a-f]+|[0-9.]+(e[-+]?[0-9]+)?)(?= |$)/.exec(text);
  if (number) return Number(number[0]);
  if (typed && !/^[A-Za-z_][\w:| ]*$/.test(text)) return null;
  if (!value || !/^0x[0-9a-f]{1,16}$/.test(value)) return null;
  return Number(BigInt.asIntN((value.length - 2) * 4, BigInt(value)));
};

export function History() {
  const shown = useAnswer(() =>
    historyOf.value
      ? {
          what: "history", of: historyOf.value, at: thread.value + ":#" + at.peek(), count: String(Most), own: true, ...axis(),
          from: thread.value + ":#" + windowFrom.value, to: thread.value + ":#" + windowTo.value,
        }
      : null, ["of"]);
  const data = shown.value.data, items: any[] = data?.items ?? [];
  // The table begins near the position.
  let near = items.findIndex((i) => age(i) !== "past");
  if (near < 0) near = items.length;
  const first = Math.max(0, near - 100), part = items.slice(first, first + 200);
  return (
    <div class="history">
      <form class="bar" onSubmit={(event) => {
        event.preventDefault();
        change(() => (historyOf.value = (new FormData(event.currentTarget).get("of") as string).trim()), true);
      }}>
        <label>History of <input name="of" tabIndex={-1} value={historyOf.value} placeholder="register, address or symbol" spellcheck={false} autocomplete="off" /></label>
        {data && <span class="hint">{grouped(items.length)} writes in the window{data.complete ? ", all of them" : ", more follow"}{data.owner ? ", by the call of " + data.owner.function + " whose variable it is" : ""}</span>}
      </form>
      <Problem shown={shown.value} />
      {!historyOf.value && <p class="notice">Click a register or an address anywhere to see who wrote it, and when.</p>}
      {items.length > 1 && items.some((i) => numberOf(i) !== null) && <Plot items={items} />}
      {items.length > 0 && (
        <table>
          <thead><tr><th>position</th><th>value</th><th>by</th><th>where</th></tr></thead>
          <tbody>
            {part.map((i) => (
              <tr class={age(i)}>
                <td><At to={i.position} thread={i.thread} /></td>
                <td class={"code" + (i.new === null ? " unknown" : "")}>{i.new_text ?? i.new ?? "unknown"}{i.changed ? "" : <span class="hint"> unchanged</span>}</td>
                <td class="code">{i.function ?? i.pc}</td>
                <td>{i.file ? fileName(i.file) + ":" + i.source_line : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {items.length > part.length && <p class="hint">rows {grouped(first + 1)} to {grouped(first + part.length)} of {grouped(items.length)}, around the position</p>}
    </div>
  );
}

/** The value as steps; where it is unknown there is no line. */
function Plot({ items }: { items: any[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const values = items.map(numberOf);
  const known = values.filter((v): v is number => v !== null);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const from = windowFrom.value, to = Math.max(windowTo.value, from + 1);
  useEffect(() => {
    const element = canvas.current!, ratio = devicePixelRatio || 1;
    const w = element.clientWidth, h = element.clientHeight;
    element.width = w * ratio;
    element.height = h * ratio;
    const c = element.getContext("2d")!, ink = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    c.scale(ratio, ratio);
    const x = (p: number) => ((p - from) / (to - from)) * w;
    const y = (v: number) => (high === low ? h / 2 : h - 4 - ((v - low) / (high - low)) * (h - 8));
    c.strokeStyle = ink("--write");
    c.lineWidth = 1.25;
    c.beginPath();
    let pen = false;
    items.forEach((item, i) => {
      const value = values[i], end = i + 1 < items.length ? hereOf(items[i + 1]) : to;
      if (value === null) return (pen = false);
      if (!pen) c.moveTo(x(hereOf(item)), y(value));
      c.lineTo(x(hereOf(item)), y(value));
      c.lineTo(x(end), y(value));
      pen = true;
    });
    c.stroke();
    c.fillStyle = ink("--here");
    c.fillRect(x(at.value), 0, 1.5, h);
  });
  const click = (event: MouseEvent) => {
    const p = from + (event.offsetX / canvas.current!.clientWidth) * (to - from);
    const nearest = items.reduce((a, b) => (Math.abs(hereOf(a) - p) <= Math.abs(hereOf(b) - p) ? a : b));
    go(nearest.position, "jump", nearest.thread);
  };
  // From write to write, as in the table.
  const keys = (press: KeyboardEvent) => {
    if (!/^(Arrow(Left|Right)|Home|End)$/.test(press.key) || press.ctrlKey || press.altKey) return;
    press.preventDefault();
    press.stopPropagation();
    if (press.key.startsWith("Arrow")) return along(items, press.key === "ArrowRight", "step");
    const end = press.key === "Home" ? items[0] : items[items.length - 1];
    go(end.position, "step", end.thread);
  };
  return (
    <figure class="plot">
      <canvas ref={canvas} tabIndex={0} role="application" aria-roledescription="plot"
        aria-label={"Value over time, from " + low + " to " + high + "; Left and Right go from write to write"} onClick={click} onKeyDown={keys} />
      <figcaption class="hint"><Do run={() => go(items[0].position, "jump", items[0].thread)}>first</Do> {grouped(low)} … {grouped(high)} <Do run={() => go(items[items.length - 1].position, "jump", items[items.length - 1].thread)}>last</Do></figcaption>
    </figure>
  );
}
