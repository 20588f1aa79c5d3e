// Small things that many panes are made of.
import { signal, untracked } from "@preact/signals";
import { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Shown } from "./answers";
import { go, momentAt, urlOf } from "./state";
import { place } from "./format";

/**
 * A link to a position: a jump, and a URL that can be copied. There are hundreds: the URL, which holds all that is
 * shown, is made anew when somebody is about to use it, not whenever something is shown.
 */
export function At({ to, children, title }: { to: number; children?: ComponentChildren; title?: string }) {
  const fresh = (event: Event) => ((event.currentTarget as HTMLAnchorElement).href = urlOf({ at: to }));
  return (
    <a
      class="at"
      href={untracked(() => urlOf({ at: to }))}
      onPointerEnter={fresh}
      onPointerDown={fresh}
      onFocus={fresh}
      title={title}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        event.stopPropagation();
        go(to);
      }}
    >
      {children ?? place(to)}
    </a>
  );
}

/** Does something here: looks like the text that it is. */
export function Do({ run, children, title, class: name }: {
  run: () => void; children: ComponentChildren; title?: string; class?: string;
}) {
  return (
    <button
      type="button"
      class={"do " + (name ?? "")}
      title={title}
      onClick={(event) => {
        event.stopPropagation();
        run();
      }}
    >
      {children}
    </button>
  );
}

/** A pane: keys work in it while it has the focus. */
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
        if (isTyping(event) || event.metaKey) return;
        if (keys?.(event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <header>
        <h2>{title ?? name}</h2>
        <span class="tools">{tools}</span>
      </header>
      {children}
    </section>
  );
}

export const isTyping = (event: KeyboardEvent) =>
  /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName);

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
export function askMoment(what: string, unit: "line" | "time" | "position", done: (at: number) => void) {
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
