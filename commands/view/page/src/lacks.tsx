// What of the trace is damaged or missing: told once, until the user has read it.
import { signal } from "@preact/signals";
import { Do } from "./parts";
import { event, hello, resolve } from "./state";

type Lack = { text: string; event?: string; first: { text: string; line?: number }[] };
const Key = "rewind-lacks-read";
/** Of which trace this tab has read it. */
const read = signal(sessionStorage.getItem(Key));

export function Lacks() {
  const lacks: Lack[] = hello.value.lacks, stamp: string = hello.value.stamp;
  if (!lacks.length || read.value === stamp) return null;
  return (
    <aside class="notice warn lacks" aria-label="What this trace lacks">
      <details>
        <summary>This trace is damaged or incomplete: {lacks.map((lack) => lack.text).join("; ")}</summary>
        <ul tabIndex={0} aria-label="What this trace lacks, in detail">
          {lacks.map((lack) => (
            <li>
              {lack.text} {lack.event && <Do run={() => event(lack.event!, false)} title="from the position on">next one</Do>}
              {lack.first.length > 0 && (
                <ul>
                  {lack.first.map(({ text, line }) => (
                    <li>{line === undefined ? text : <Do run={() => resolve("l:" + line)} title="to the instruction there">{text}</Do>}</li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      </details>
      <Do run={() => (sessionStorage.setItem(Key, stamp), (read.value = stamp))} title="do not tell it again in this tab">dismiss</Do>
    </aside>
  );
}
