// What a value was made of, and what the window waited for: `rewind slice` and
// `rewind critical-path`, on request, as lists and as marks in the tracks.
import { follow, noAnswer } from "./answers";
import { age, along, axis } from "./items";
import { at, change, criticalPart, historyOf, sliceOf, thread, windowFrom, windowTo } from "./state";
import { Answer } from "./wire";
import { At, Do, Problem } from "./parts";
import { fileName, grouped, percent, place } from "./format";
import { computed } from "@preact/signals";

const Most = 1000;
// Asked for, whichever page is open: the tracks have marks of both.
const slice = noAnswer(), sums = noAnswer(), steps = noAnswer();
follow(slice, () => {
  const s = sliceOf.value;
  return s && { what: "slice", of: s.of, at: s.thread + ":#" + s.at, count: String(Most), ...axis() };
}, ["of", "at"]);
const ofPart = (more: object) => () => {
  const p = criticalPart.value;
  return p && { what: "critical-path", thread: String(p.thread), from: p.thread + ":#" + p.from, to: p.thread + ":#" + p.to, ...axis(), ...more };
};
follow(sums, ofPart({ count: "100" }), ["from", "to"]);
follow(steps, ofPart({ count: String(Most), steps: true }), ["from", "to"]);

type Marks = { name: string; places: number[] };
const marksOf = (name: string, a: Answer): Marks | null =>
  a && { name: name + (a.complete ? "" : ", its first " + grouped(a.items.length) + " listed"), places: a.items.filter((i: any) => i.thread === thread.value).map((i: any) => i.position) };
/** For the tracks; null where nothing was asked. */
export const sliceMarks = computed(() => (sliceOf.value ? marksOf("slice of " + sliceOf.value.of, slice.value.data) : null));
export const criticalMarks = computed(() => (criticalPart.value ? marksOf("critical path", steps.value.data) : null));

const Walk = ({ items }: { items: any[] }) => (
  <span>
    <Do run={() => along(items, false)} title="the one before the position">earlier</Do> · <Do run={() => along(items, true)} title="the one behind the position">later</Do>
  </span>
);
const Limits = ({ of }: { of: Answer }) => (of?.limits ?? []).map((text: string) => <p class="notice">{text}</p>);

export function Slice() {
  const s = sliceOf.value, a = slice.value.data;
  return (
    <div class="slice">
      <form class="bar" onSubmit={(event) => {
        event.preventDefault();
        const of = (new FormData(event.currentTarget).get("of") as string).trim();
        change(() => (sliceOf.value = of ? { of, thread: thread.value, at: at.value } : null), true);
      }}>
        <label>What went into <input name="of" tabIndex={-1} value={s?.of ?? historyOf.value} placeholder="register, address or symbol" spellcheck={false} autocomplete="off" /></label>
        <button type="submit" class="tab" tabIndex={-1}>before the position</button>
        {s && slice.value.stale && <span class="hint">looking…</span>}
        {a && <span class="hint">{grouped(a.instructions)} instructions before {place(s!.at)}{a.complete ? ", all of them" : ", the last are listed"}</span>}
        {a && <Walk items={[...a.items].reverse()} />}
        {s && <Do run={() => change(() => (sliceOf.value = null), true)}>clear</Do>}
      </form>
      <Problem shown={slice.value} />
      <Limits of={a} />
      {a && (
        <table>
          <thead><tr><th>position</th><th class="number">depth</th><th>instruction</th><th>made</th><th>needed</th><th>where</th></tr></thead>
          <tbody>
            {a.items.map((i: any) => (
              <tr class={age(i)}>
                <td><At to={i.position} thread={i.thread} /></td><td class="number">{i.depth}</td>
                <td class="code">{i.instruction}</td><td class="code">{i.made}</td><td class="code">{i.needed}</td>
                <td>{i.file ? fileName(i.file) + ":" + i.source_line : i.function}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!s && <p class="notice">Which instructions made the value that a register or some memory has at the position: name it above.</p>}
    </div>
  );
}

export function CriticalPath() {
  const p = criticalPart.value, a = sums.value.data, list = steps.value.data;
  const begin = () =>
    change(() => (criticalPart.value = { thread: thread.value, from: windowFrom.value, to: windowTo.value }), true);
  const Shares = ({ title, of, name }: { title: string; of: any[]; name: string }) => (
    <table>
      <thead><tr><th class="number">path</th><th class="number">share</th><th class="number">executed</th><th>{title}</th></tr></thead>
      <tbody>
        {of.map((i: any) => (
          <tr>
            <td class="number">{grouped(i.path)}</td><td class="number hint">{percent(i.path, a.length)}</td>
            <td class="number">{grouped(i.executed)}</td><td class="code">{i[name]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return (
    <div class="critical">
      <div class="bar">
        <button type="button" class="tab" tabIndex={-1} onClick={begin}>of the window</button>
        {p && (sums.value.stale || steps.value.stale) && <span class="hint">looking…</span>}
        {a && <span class="hint">{place(p!.from)} to {place(p!.to)}: {grouped(a.length)} of {grouped(a.work)} wait for one another, {a.parallelism.toFixed(1)} at once</span>}
        {list && <Walk items={list.items} />}
        {p && <Do run={() => change(() => (criticalPart.value = null), true)}>clear</Do>}
      </div>
      <Problem shown={sums.value} />
      <Limits of={a} />
      {a && <div class="shares"><Shares title="function" of={a.functions} name="function" /><Shares title="line" of={a.lines} name="source" /></div>}
      {list && (
        <table>
          <caption class="hint">The path{list.complete ? "" : ", its first " + grouped(list.items.length) + " instructions"}</caption>
          <thead><tr><th class="number">time</th><th>position</th><th>instruction</th><th>waited for the one before through</th><th>where</th></tr></thead>
          <tbody>
            {list.items.map((i: any) => (
              <tr class={age(i)}>
                <td class="number">{grouped(i.start)}</td><td><At to={i.position} thread={i.thread} /></td>
                <td class="code">{i.instruction}</td><td class="code">{i.through}</td>
                <td>{i.file ? fileName(i.file) + ":" + i.source_line : i.function}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!p && <p class="notice">The longest chain of instructions that depend on one another: no machine could have run the window faster.</p>}
    </div>
  );
}
