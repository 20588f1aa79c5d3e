// Items of lists, which may be of several threads: where they are on the axis of the one that is shown.
import { at, go, status, thread } from "./state";

/** `here` is where the shown thread was then, if the question named it as "axis". */
export type Item = { thread: number; position: number; here?: number };

export const axis = () => ({ axis: thread.value });
export const hereOf = (i: Item) => i.here ?? i.position;
/** Whether it was before the position. What another thread did while this one stood there was. */
const isPast = (i: Item) => (i.thread === thread.value ? i.position < at.value : hereOf(i) <= at.value);
const isHere = (i: Item) => i.thread === thread.value && i.position === at.value;
export const age = (i: Item) => (isHere(i) ? "now" : isPast(i) ? "past" : "");

/** To the last item before the position, or the first behind it, of a list in the order of the trace. */
export function along<T extends Item>(items: T[], ahead: boolean, how: "jump" | "step" = "jump") {
  const to = ahead ? items.find((i) => !isHere(i) && !isPast(i)) : [...items].reverse().find(isPast);
  if (to) go(to.position, how, to.thread);
  else status.value = "there is no " + (ahead ? "further" : "earlier") + " one";
}
