// The calls that are running.
import { useAnswer } from "./answers";
import { at, setWindow, thread } from "./state";
import { At, Do, Pane, Problem } from "./parts";
import { fileName, grouped } from "./format";
import { showSource } from "./source";

export function Stack() {
  const shown = useAnswer(() => ({ what: "stack", thread: thread.value, at: at.value }));
  const data = shown.value.data;
  return (
    <Pane name="Stack" class={"stack" + (shown.value.stale ? " stale" : "")}>
      <Problem shown={shown.value} />
      <div class="frames" role="table" aria-label="Running calls" aria-keyshortcuts="F2" tabIndex={0}>
        <div role="rowgroup">
          {data?.frames.map((f: any, i: number) => (
            <div role="row" class={"frame" + (i ? "" : " now")} key={f.number}>
              <span role="cell" class="name"><At to={f.at} thread={thread.value} title={f.remarks || undefined}>{f.name}</At></span>
              <span role="cell" class="place">{f.file && <Do run={() => showSource(f)}>{fileName(f.file)}:{f.source_line}</Do>}</span>
              <span role="cell" class="number">
                <Do run={() => setWindow(f.start, f.end)} title="make this call the window">{grouped(f.end - f.start)}</Do>
              </span>
              <span role="cell" class="ends"><At to={f.start} thread={thread.value} title="its first instruction">⇤</At> <At to={f.end} thread={thread.value} title="where it ends">⇥</At></span>
            </div>
          ))}
        </div>
        {data && !data.complete && <p class="notice">more calls follow</p>}
      </div>
    </Pane>
  );
}
