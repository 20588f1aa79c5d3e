// Where a value comes from, as trees: below each row is what it was made from.
import type { Deps, Origin, OriginRow, Slice, SliceRow } from "./answers";
import { at, code, placeText, remarkOn, valueText, type Answer, type Row } from "./rows";

/** Each link is made from the next one, or from several where it is made of pieces or
 * operands; what the last ones were computed from is asked for when they are opened. */
export function originAnswer(location: string, said: Origin, inputsOf: (position: string) => Promise<Row[]>, threads: number): Answer {
  const below = (link: number | undefined): OriginRow[] => said.items.filter((step) => step.from === link);
  const row = (step: OriginRow): Row => {
    const links = step.link === undefined ? [] : below(step.link);
    return {
      label: `${placeText(step, threads)}  ${step.instruction}`,
      detail: [step.of, step.how, valueText(step.value_text, step.value), code(step)].filter(Boolean).join("  "),
      goto: at(step),
      opened: links.length > 0,
      sources: () => (links.length ? Promise.resolve(links.map(row)) : inputsOf(at(step))),
    };
  };
  const end = said.end ? `${said.end.kind}${said.end.text ? `: ${said.end.text}` : ""}` : undefined;
  return { title: `Origin of ${location}`, rows: below(undefined).map(row), size: said.items.length, remark: remarkOn(said, "steps") ?? end };
}

/** What an instruction read, and who had made that, back to the start of the trace. */
export function inputRows(said: Deps, inputsOf: (position: string) => Promise<Row[]>, threads: number): Row[] {
  const rows = said.items
    .filter((item) => item.direction === "needs" && item.kind === "raw")
    .map((item): Row => {
      const there = at(item);
      return {
        label: `${placeText(item, threads)}  ${item.instruction}`,
        detail: [item.through, code(item)].filter(Boolean).join("  "),
        goto: there,
        sources: () => inputsOf(there),
      };
    });
  if (said.before_trace) rows.push({ label: `${said.before_trace}: nothing in the trace wrote it before` });
  if (!rows.length) rows.push({ label: "it reads nothing" });
  if (!said.complete) rows.push({ label: "there is more: \"rewind deps\" lists it" });
  return rows;
}

/** A slice is a graph: what two instructions need is below both. */
export function sliceAnswer(location: string, said: Slice, threads: number): Answer {
  const steps = new Map(said.items.map((step) => [at(step), step]));
  const row = (step: SliceRow, made?: string): Row => {
    const needs = step.needs ?? [];
    const ends = (step.ends ?? []).map((end): Row => ({ label: [end.location, end.kind].filter(Boolean).join(": ") }));
    const shown: Row = {
      label: `${placeText(step, threads)}  ${step.instruction}`,
      detail: [made ?? step.made, code(step)].filter(Boolean).join("  "),
      tooltip: `makes ${step.made ?? "?"}\nneeds ${step.needed ?? "?"}`,
      goto: at(step),
    };
    if (needs.length || ends.length)
      shown.sources = () =>
        Promise.resolve([
          ...needs.map(({ location, thread, position }) => {
            const source = steps.get(at({ thread, position }));
            if (source) return row(source, location);
            return { label: placeText({ thread, position }, threads), detail: `${location}, beyond what is listed`, goto: at({ thread, position }) };
          }),
          ...ends,
        ]);
    return shown;
  };
  const limits = said.limits?.length ? said.limits.join("; ") : undefined;
  const roots = said.items.filter((step) => !step.depth).map((step) => ({ ...row(step), opened: true }));
  return { title: `Slice of ${location}`, rows: roots, size: said.items.length, remark: remarkOn(said, "instructions") ?? limits };
}
