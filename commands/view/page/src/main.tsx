// The page: panes around one position.
import { effect } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ask, connect, connection, linkWithToken } from "./wire";
import {
  at, call, change, following, go, hello, isMoving, length, pan, readUrl, resolve, setWindow, status, sought, tab, thread, told, urlOf, zoom,
} from "./state";
import { askLine, Do, Menu, Pane, Prompt, Toggle } from "./parts";
import { addBookmark, Bookmarks } from "./bookmarks";
import { begin, debuggerAt, elsewhere, follow } from "./live";
import { Guard } from "./guard";
import { Help, helpOpen } from "./help";
import { History } from "./history";
import { isTyping, keepFocus } from "./keyboard";
import { Lacks } from "./lacks";
import { Memories } from "./memory";
import { Profile } from "./profile";
import { Registers } from "./registers";
import { CriticalPath, Slice } from "./slice";
import { Source } from "./source";
import { Stack } from "./stack";
import { Timeline } from "./timeline";
import { rows, Trace } from "./trace";
import { grouped, percent, place } from "./format";

const Tabs: [string, string, () => any][] = [
  ["history", "History", History],
  ["profile", "Profile", Profile],
  ["slice", "Slice", Slice],
  ["path", "Critical path", CriticalPath],
  ["bookmarks", "Bookmarks", Bookmarks],
];

function Below() {
  const open = Tabs.find(([id]) => id === tab.value) ?? Tabs[0];
  const Content = open[2];
  return (
    <Pane
      name={open[1]}
      class="below"
      title={
        <span role="group" aria-label="Pages">
          {Tabs.map(([id, label]) => (
            <Toggle on={open[0] === id} run={() => change(() => (tab.value = id))}>{label}</Toggle>
          ))}
        </span>
      }
    >
      <div class="content" aria-keyshortcuts="F2" tabIndex={0} role="region" aria-label={open[1] + " page"}><Guard key={open[0]} name={open[1]}><Content /></Guard></div>
    </Pane>
  );
}

function Bar() {
  const h = hello.value, row = rows.value?.list.find((r) => r.position <= at.value && at.value < r.next);
  return (
    <header class="top">
      <h1>{h.trace}</h1>
      <span class="where">
        <b id="position">{place(at.value)}</b>
        <span class="hint">of {grouped(length.value)} · {percent(at.value, length.value) || "0 %"}</span>
        {row && row.time !== undefined && row.time !== null && <span class="hint">{grouped(row.time)} {h.time_unit}</span>}
        {row?.function && <span class="function">{row.function}</span>}
      </span>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements[0] as HTMLInputElement;
          const text = field.value.trim();
          if (text) resolve((sought.value = text));
          document.querySelector<HTMLElement>(".trace .rows")?.focus();
        }}
      >
        <input
          id="search"
          aria-label="Go to or search"
          placeholder="position, symbol, address, file:line, t:time"
          spellcheck={false}
          autocomplete="off"
          onKeyDown={(event) => event.key === "Escape" && document.querySelector<HTMLElement>(".trace .rows")?.focus()}
        />
      </form>
      {h.threads.length > 1 && (
        <label>thread <select value={thread.value} onChange={(event) => go(0, "jump", Number(event.currentTarget.value))}>
          {h.threads.map((t: any) => <option value={t.thread}>{t.thread} {t.name}</option>)}
        </select></label>
      )}
      <Debugger />
      <Do run={() => history.back()} title="back (Alt-Left)">◀</Do>
      <Do run={() => history.forward()} title="forward (Alt-Right)">▶</Do>
      <Do run={() => navigator.clipboard?.writeText(linkWithToken(urlOf({ alone: !!debuggerAt.value }))).then(() => (status.value = "the link is copied; whoever opens it here sees the same"))} title="copy a link to this view, with the token">link</Do>
      <Do run={() => (helpOpen.value = true)} title="keys (?)">?</Do>
      <span class="status" role="status" title={status.value}>{status.value}</span>
    </header>
  );
}

/** The debugger that the page belongs to. */
function Debugger() {
  const other = debuggerAt.value;
  if (!other) return null;
  if (other.state === "gone") return <span class="debugger hint">{other.name}'s process has ended</span>;
  const there = following.value ? "" : elsewhere();
  return (
    <span class="debugger">
      <Toggle on={following.value} run={() => follow(!following.value)} title="page and debugger move each other (f)">follow {other.name}</Toggle>
      {there && <Do run={() => go(other.at, "jump", other.thread)} title="show it here">{there}</Do>}
    </span>
  );
}

function keys(press: KeyboardEvent) {
  if (press.key === "F1" || (press.key === "F10" && !press.shiftKey)) {
    helpOpen.value = !helpOpen.value;
    press.preventDefault();
  }
  if (isTyping(press) || press.ctrlKey || press.metaKey || press.defaultPrevented || helpOpen.value) return;
  if (press.altKey) {
    // As the browser does; not all do.
    if (press.key === "ArrowLeft") history.back();
    else if (press.key === "ArrowRight") history.forward();
    else return;
    press.preventDefault();
    return;
  }
  const Keys: Record<string, () => void> = {
    w: () => zoom(0.5), s: () => zoom(2), a: () => pan(-0.25), d: () => pan(0.25), j: () => call(false), k: () => call(true),
    g: () => askLine("Go to", (text) => resolve(text)),
    "/": () => document.querySelector<HTMLInputElement>("#search")?.select(),
    b: addBookmark, "?": () => (helpOpen.value = true), Escape: () => (status.value = ""),
    "0": () => setWindow(0, length.value), f: () => debuggerAt.value && follow(!following.value),
  };
  if (!(press.key in Keys)) return;
  if (!press.repeat || !isMoving()) Keys[press.key]();
  press.preventDefault();
}

function App() {
  useEffect(() => {
    document.addEventListener("keydown", keys);
    keepFocus(document.getElementById("page")!);
    addEventListener("popstate", readUrl);
    addEventListener("hashchange", readUrl);
    document.querySelector<HTMLElement>(".trace .rows")?.focus();
  }, []);
  return (
    <>
      <Guard name="The header"><Bar /></Guard>
      {connection.value === "refused" && <p class="notice warn" role="alert">This page belongs to a server that has ended; another one is at its address now. What is shown stays as it is: open the whole URL that rewind view printed last.</p>}
      {connection.value === "closed" && <p class="notice warn" role="alert">The server does not answer: it has ended, or the trace's process has. This page tries again.</p>}
      {debuggerAt.value?.state === "gone" && <p class="notice warn" role="status">The process has ended in {debuggerAt.value.name}. The recording can still be looked at here.</p>}
      <Lacks />
      <Prompt />
      <main>
        <Guard name="Timeline" class="timeline"><Timeline /></Guard>
        <Guard name="Source" class="source"><Source /></Guard>
        <Guard name="Trace" class="trace"><Trace /></Guard>
        <div class="side">
          <Guard name="Registers" class="registers"><Registers /></Guard>
          <Guard name="Stack" class="stack"><Stack /></Guard>
        </div>
        <div class="memories"><Memories /></div>
        <Below />
        <Menu />
      </main>
      <Help />
    </>
  );
}

function Start() {
  if (hello.value) return <App />;
  return (
    <p class="notice">
      {connection.value === "refused"
        ? "This page needs the whole URL that rewind view printed: the part after # lets it in."
        : connection.value === "closed" ? "The server does not answer." : "Loading…"}
    </p>
  );
}

effect(() => {
  if (connection.value !== "open") return;
  const again = !!hello.peek();
  if (again && !hello.peek().debugger) return;
  told(ask({ what: "hello" })).then((answer) => {
    if (!answer) return;
    document.title = answer.trace + " · Rewind";
    hello.value = answer;
    if (!again) readUrl();
    begin();
  });
});
connect();
render(<Start />, document.getElementById("page")!);
