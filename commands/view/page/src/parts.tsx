// Small things that many panes are made of.
import { signal, untracked } from "@preact/signals";
import { ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { Shown } from "./answers";
import { isControl, isTyping, takeKey, takeReturn } from "./keyboard";
import { go, isMoving, Moment, momentAt, thread as shown, urlOf } from "./state";
import { placeIn } from "./format";

/** -1 in a pane: Tab goes to the next pane, and F2 leads to its links and buttons. */
const Stop = createContext<0 | -1>(0);
const useStop = () => useContext(Stop);

/**
 * A link to a position: a jump, and a URL that can be copied. There are hundreds: the URL, which holds all that is
 * shown, is made anew when somebody is about to use it, not whenever something is shown.
 */
export function At({ to, thread, children, title }: { to: number; thread: number; children?: ComponentChildren; title?: string }) {
  const fresh = (event: Event) => ((event.currentTarget as HTMLAnchorElement).href = urlOf({ at: to, thread }));
  return (
    <a
      class="at"
      tabIndex={useStop()}
      href={untracked(() => urlOf({ at: to, thread }))}
      onPointerEnter={fresh}
      onPointerDown={fresh}
      onFocus={fresh}
      title={title}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        event.stopPropagation();
        go(to, "jump", thread);
      }}
    >
      {children ?? placeIn(to, thread, shown.value)}
    </a>
  );
}

/** Does something here: looks like the text that it is. */
export function Do({ run, children, title, class: name }: {
  run: () => void; children: ComponentChildren; title?: string; class?: string;
}) {
  const sign = typeof children === "string" && !/[\p{L}\p{N}]/u.test(children);
  return (
    <button
      type="button"
      class={"do " + (name ?? "")}
      tabIndex={useStop()}
      title={title}
      aria-label={sign ? title : undefined}
      onClick={(event) => {
        event.stopPropagation();
        run();
      }}
    >
      {children}
    </button>
  );
}

/** One of a few, of which one is on. */
export function Toggle({ on, run, children, title }: { on: boolean; run: () => void; children: ComponentChildren; title?: string }) {
  return <button type="button" class="tab" tabIndex={useStop()} aria-pressed={on} title={title} onClick={run}>{children}</button>;
}

/** A pane: keys work in it while it has the focus. What of it has tabIndex 0 is what Tab leads to. */
export function Pane({ name, title, tools, keys, children, class: kind }: {
  name: string; title?: ComponentChildren; tools?: ComponentChildren;
  keys?: (event: KeyboardEvent) => boolean; children: ComponentChildren; class?: string;
}) {
  return (
    <section
      class={"pane " + (kind ?? "")}
      aria-label={name}
      id={"pane-" + name.replace(/\W/g, "")}
      onKeyDown={(event) => {
        const on = event.target as HTMLElement;
        const own = () =>
          !isTyping(event) && !event.metaKey && !(isControl(on) && /^(Enter| )$/.test(event.key)) &&
          ((event.repeat && isMoving()) || !!keys?.(event));
        if (takeKey(event, event.currentTarget) || own() || takeReturn(event, event.currentTarget)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <Stop.Provider value={-1}>
        <header>
          <h2>{title ?? name}</h2>
          <span class="tools">{tools}</span>
        </header>
        {children}
      </Stop.Provider>
    </section>
  );
}

export function Problem({ shown }: { shown: Shown }) {
  return shown.error ? <p class="notice">{shown.error}</p> : null;
}

// --- A menu at a place -------------------------------------------------------

export type Item = { label: string; run: () => void; key?: string } | { text: string };
const menu = signal<{ x: number; y: number; items: Item[]; back: HTMLElement | null } | null>(null);

export function openMenu(event: MouseEvent | HTMLElement, items: Item[]) {
  let x, y;
  if (event instanceof HTMLElement) {
    const box = event.getBoundingClientRect();
    x = box.left + 60;
    y = box.bottom;
  } else {
    event.preventDefault();
    x = event.clientX;
    y = event.clientY;
  }
  menu.value = { x, y, items, back: document.activeElement as HTMLElement };
}

export function Menu() {
  const box = useRef<HTMLDivElement>(null);
  const open = menu.value;
  const close = () => {
    const back = menu.peek()?.back;
    menu.value = null;
    back?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!open || !box.current) return;
    const { offsetWidth, offsetHeight, style } = box.current;
    style.left = Math.min(open.x, innerWidth - offsetWidth - 8) + "px";
    style.top = Math.max(4, Math.min(open.y, innerHeight - offsetHeight - 8)) + "px";
    box.current.querySelector("button")?.focus();
  }, [open]);
  if (!open) return null;
  const move = (by: number) => {
    const all = [...box.current!.querySelectorAll("button")];
    const now = all.indexOf(document.activeElement as HTMLButtonElement);
    all[(now + by + all.length) % all.length]?.focus();
  };
  const end = (last: boolean) => {
    const all = box.current!.querySelectorAll("button");
    all[last ? all.length - 1 : 0]?.focus();
  };
  /** To the next one that begins so. */
  const begins = (letter: string) => {
    const all = [...box.current!.querySelectorAll("button")];
    const now = all.indexOf(document.activeElement as HTMLButtonElement);
    [...all.slice(now + 1), ...all].find((item) => item.innerText.toLowerCase().startsWith(letter.toLowerCase()))?.focus();
  };
  return (
    <div class="cover" onClick={close} onContextMenu={(event) => (event.preventDefault(), close())}>
      <div
        ref={box}
        class="menu"
        role="menu"
        aria-label="Menu"
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "Tab") close();
          else if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Home" || event.key === "End") end(event.key === "End");
          else if (event.key === " " || event.key === "Enter") return event.stopPropagation();
          else if (event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey) begins(event.key);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {open.items.map((item) =>
          "text" in item ? (
            <div class="said" role="presentation">{item.text}</div>
          ) : (
            <button type="button" role="menuitem" onClick={() => (close(), item.run())}>
              {item.label}
              {item.key && <kbd>{item.key}</kbd>}
            </button>
          ),
        )}
      </div>
    </div>
  );
}

// --- A line to type ----------------------------------------------------------

/** Asks for a moment by line or time, as TTU's panes do; or by whatever else is one. */
export function askMoment(what: string, unit: "line" | "time" | "position", done: (at: Moment) => void) {
  askLine(what + " " + unit, async (text) => {
    const found = await momentAt(text, unit === "line" ? "l:" : unit === "time" ? "t:" : "#");
    if (found !== undefined) done(found);
  });
}

const prompt = signal<{ label: string; done: (text: string) => void; back: HTMLElement | null } | null>(null);
const last = new Map<string, string>();

/** Asks for a line: Return takes it, Escape does not. */
export function askLine(label: string, done: (text: string) => void) {
  prompt.value = { label, done, back: document.activeElement as HTMLElement };
}

export function Prompt() {
  const field = useRef<HTMLInputElement>(null);
  const open = prompt.value;
  useEffect(() => field.current?.select(), [open]);
  if (!open) return null;
  const close = () => {
    prompt.value = null;
    open.back?.focus({ preventScroll: true });
  };
  return (
    <form
      class="prompt"
      aria-label={open.label}
      onSubmit={(event) => {
        event.preventDefault();
        const text = field.current!.value.trim();
        last.set(open.label, text);
        close();
        if (text) open.done(text);
      }}
    >
      <label>
        {open.label}
        <input
          ref={field}
          value={last.get(open.label) ?? ""}
          spellcheck={false}
          autocomplete="off"
          onBlur={() => prompt.value === open && (prompt.value = null)}
          onKeyDown={(event) => {
            const control = event.ctrlKey && event.key.toLowerCase();
            if (event.key === "Escape" || control === "g") close();
            else if (control === "u") field.current!.value = "";
            else return;
            event.preventDefault();
          }}
        />
      </label>
      <span class="hint">Return: take it · Esc: leave it</span>
    </form>
  );
}
