// The keys that all panes have in common. Tab goes from pane to pane, whose
// content takes the pane's own keys. F2 goes on to the links and buttons in it,
// then to those of its header, then back; there arrows move along and across rows.

const Controls = "a[href], button, input, select, summary";
const Rows = "[role=row], tr, .bar, figcaption, form";

/** Keys that are meant for a field to type in. A checkbox takes only the space bar. */
export const isTyping = (event: KeyboardEvent) =>
  (event.target as HTMLElement).matches("input:not([type=checkbox]), textarea, select");

export const isControl = (element: Element) => element.matches(Controls);

const controlsOf = (area: Element | null) =>
  area ? [...area.querySelectorAll<HTMLElement>(Controls)].filter((control) => control.checkVisibility()) : [];
/** What of a pane takes its own keys: Tab leads there. */
const contentOf = (pane: Element) => pane.querySelector<HTMLElement>(":scope > [tabindex='0']");
const headerOf = (pane: Element) => pane.querySelector<HTMLElement>(":scope > header");
/** The row, byte or picture that the pane's keys are about. */
const chosenIn = (content: Element) => content.querySelector<HTMLElement>(".marked") ?? content.querySelector<HTMLElement>(".chosen, .now");

function focus(control: HTMLElement | undefined): boolean {
  if (!control) return false;
  control.focus({ preventScroll: true });
  control.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}

/** To the controls of the row where the user is; else to the first that is in sight. */
function enter(area: HTMLElement | null): boolean {
  const all = controlsOf(area);
  if (!area || !all.length) return false;
  const row = chosenIn(area)?.closest(Rows) ?? chosenIn(area);
  const top = area.getBoundingClientRect().top;
  return focus(all.find((control) => row?.contains(control)) ?? all.find((control) => control.getBoundingClientRect().top >= top) ?? all[0]);
}

/** From a control to the one of the next row, or the one before, that is nearest to above or below it. */
function across(all: HTMLElement[], from: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const row = from.closest(Rows), left = from.getBoundingClientRect().left;
  let i = all.indexOf(from) + by;
  while (all[i] && row && all[i].closest(Rows) === row) i += by;
  if (!all[i]) return undefined;
  const other = all[i].closest(Rows);
  const beside = other ? all.filter((control) => control.closest(Rows) === other) : [all[i]];
  const distance = (control: HTMLElement) => Math.abs(control.getBoundingClientRect().left - left);
  return beside.reduce((a, b) => (distance(b) < distance(a) ? b : a));
}

/** The menu that a right click there opens. */
function menuOf(element: HTMLElement | null): boolean {
  if (!element) return false;
  const box = element.getBoundingClientRect();
  element.dispatchEvent(new MouseEvent("contextmenu", {
    bubbles: true, cancelable: true, clientX: box.left + Math.min(60, box.width / 2), clientY: box.bottom,
  }));
  return true;
}

/** Whether a key was one of those that all panes have. */
export function takeKey(event: KeyboardEvent, pane: HTMLElement): boolean {
  const on = event.target as HTMLElement, content = contentOf(pane), header = headerOf(pane);
  if (event.altKey || event.metaKey) return false;
  if (event.key === "F2") {
    if (header?.contains(on)) return focus(content ?? undefined);
    return (!isControl(on) && enter(content)) || enter(header) || focus(content ?? undefined);
  }
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))
    return menuOf(isControl(on) || on !== content ? on : chosenIn(on));
  if (!isControl(on)) return false;
  if (event.key === "Escape") return focus(content ?? undefined);
  const area = header?.contains(on) ? header : content;
  const all = controlsOf(area), now = all.indexOf(on), row = on.closest(Rows);
  const mine = row ? all.filter((control) => control.closest(Rows) === row) : all;
  const typing = isTyping(event);
  // From a field, whose arrows are its own, Tab goes to the next control; from the last one to the next pane.
  if (event.key === "Tab") return typing && !event.ctrlKey && focus(all[now + (event.shiftKey ? -1 : 1)]);
  if (typing && (on.tagName === "SELECT" || !/^Arrow(Up|Down)$/.test(event.key))) return false;
  const Keys: Record<string, () => HTMLElement | undefined> = {
    ArrowLeft: () => all[now - 1], ArrowRight: () => all[now + 1],
    ArrowUp: () => across(all, on, -1), ArrowDown: () => across(all, on, 1),
    Home: () => (event.ctrlKey ? all[0] : mine[0]), End: () => (event.ctrlKey ? all[all.length - 1] : mine[mine.length - 1]),
  };
  if (!(event.key in Keys)) return false;
  focus(Keys[event.key]());
  return true;
}

/** Into the links and buttons of a pane whose own keys do not take Return. */
export const takeReturn = (event: KeyboardEvent, pane: HTMLElement) =>
  event.key === "Enter" && event.target === contentOf(pane) && enter(contentOf(pane));

// --- What had the focus may go away with what it was about --------------------

/**
 * Whoever had the focus in something that is no longer there (a chip taken away, a pane closed) finds it beside that:
 * on the control that is in its place, else in the pane, else in the trace.
 */
export function keepFocus(root: Element) {
  let last: HTMLElement | null = null, pane: HTMLElement | null = null, area: Element | null = null, index = 0;
  document.addEventListener("focusin", (event) => {
    last = event.target as HTMLElement;
    pane = last.closest(".pane");
    area = isControl(last) && pane ? (headerOf(pane)?.contains(last) ? headerOf(pane) : contentOf(pane)) : null;
    index = area ? controlsOf(area).indexOf(last) : 0;
  });
  document.addEventListener("focusout", (event) => {
    // A click on nothing takes the focus away, and is meant.
    if (!event.relatedTarget && last?.isConnected && document.hasFocus()) queueMicrotask(() => document.activeElement === document.body && last?.isConnected && (last = null));
  });
  new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const all = area?.isConnected ? controlsOf(area) : [];
    const rest = pane?.isConnected ? contentOf(pane) : null;
    (all[Math.min(index, all.length - 1)] ?? rest ?? document.querySelector<HTMLElement>(".trace .rows"))?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}
