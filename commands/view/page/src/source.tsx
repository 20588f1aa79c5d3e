// The source around the position.
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { useAnswer } from "./answers";
import { at, hello, length, resolve, thread } from "./state";
import { Do, Pane, Problem } from "./parts";
import { fileName, grouped } from "./format";
import { rows } from "./trace";

/** So many lines are asked for at once: around the line that is shown, in steps, so that most moves ask nothing. */
const Most = 2000, Step = 1000;
const firstAround = (line: number) => Math.max(1, Math.floor((line - 1) / Step) * Step - Step / 2 + 1);

const file = signal<{ number: number; line: number; name: string } | null>(null);

/** Shows a place of the code that is not the position's. */
export function showSource(where: { file_number?: number; source_line?: number; file?: string }) {
  if (where.file_number === undefined) return;
  file.value = { number: where.file_number, line: where.source_line ?? 1, name: where.file ?? "" };
}

const Rest = ({ lines, where }: { lines: number; where: string }) =>
  lines > 0 ? <div role="row" class="line hint"><span role="cell">{grouped(lines)} lines {where}</span></div> : null;

export function Source() {
  const box = useRef<HTMLDivElement>(null);
  const row = rows.value?.list.find((r) => r.position <= at.value && at.value < r.next);
  useEffect(() => {
    if (row?.file_number !== undefined) showSource(row);
  }, [row?.file_number, row?.source_line]);
  const shown = useAnswer(() => file.value && { what: "source", file: file.value.number, from: firstAround(file.value.line), count: Most }, ["file"]);
  const here = file.value;
  const text = shown.value.data;
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(".now");
    const room = box.current;
    if (!line || !room) return;
    if (line.offsetTop < room.scrollTop + 40 || line.offsetTop > room.scrollTop + room.clientHeight - 60)
      room.scrollTop = line.offsetTop - room.clientHeight / 2;
  }, [text, here?.line, at.value]);
  // Lines that the rows around the position ran, to see the way.
  const ran = new Set<number>();
  for (const r of rows.value?.list ?? [])
    if (r.file_number === here?.number && Math.abs(r.position - at.value) < 60) ran.add(r.source_line);
  const isHere = row?.file_number === here?.number;
  return (
    <Pane name="Source" class="source" title={here ? fileName(here.name) : "Source"}>
      <Problem shown={shown.value} />
      {!here && <p class="notice">{
        !length.value ? "This thread ran nothing, and no line of it is known."
          : hello.value.can.symbols ? "No line is known here: the image has no debug information of it."
          : "No line is known here: an image with debug information tells it (--image)."
      }</p>}
      {text && !text.of && <p class="notice">{fileName(text.file)} is empty.</p>}
      {text && here && (
        <div class="lines" role="table" aria-label="Source lines" aria-keyshortcuts="F2" tabIndex={0} ref={box}>
          <div role="rowgroup">
            <Rest lines={text.from - 1} where="above" />
            {text.lines.map((line: string, i: number) => {
              const n = i + text.from;
              const now = isHere ? n === row?.source_line : n === here.line;
              return (
                <div role="row" key={n} class={"line" + (now ? " now" : ran.has(n) ? " ran" : "")}>
                  <span role="cell" class="number">
                    <Do run={() => resolve(fileName(text.file) + ":" + n)} title={"next visit of line " + n + " (thread " + thread.value + ")"}>{n}</Do>
                  </span>
                  <span role="cell" class="code">{line || " "}</span>
                </div>
              );
            })}
            <Rest lines={text.of - text.from - text.lines.length + 1} where="below" />
          </div>
        </div>
      )}
    </Pane>
  );
}
