// What a pane shows: the answer to a question that follows the state. While a
// new one is on its way the old one stays, and what comes late is dropped.
import { effect, signal, Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Answer, ask, connection, Question } from "./wire";

export type Shown = { data: Answer | null; error: string; stale: boolean; key: string };
const Nothing: Shown = { data: null, error: "", stale: false, key: "" };

/** What is asked now, and of what the answer must be; null: nothing. */
export type Make = () => Question | null;

/**
 * Shows the answer to the question that `make` makes of the state. The old one
 * stays only where it is of the same `about`, fields of the question: whoever
 * draws it draws it as an answer to what is asked now.
 */
export function follow(shown: Signal<Shown>, make: Make, about: string[]): () => void {
  let newest = 0, of = "";
  return effect(() => {
    const question = make(), open = connection.value === "open";
    const mine = ++newest;
    const before = of;
    of = question ? JSON.stringify([question.what, ...about.map((name) => question[name])]) : "";
    if (!question || of !== before) shown.value = Nothing;
    if (!question || !open) return;
    const key = JSON.stringify(question);
    if (key === shown.peek().key && !shown.peek().error) {
      // What was asked meanwhile is not wanted any more.
      if (shown.peek().stale) shown.value = { ...shown.peek(), stale: false };
      return;
    }
    shown.value = { ...shown.peek(), stale: true };
    ask(question).then(
      (data) => mine === newest && (shown.value = { data, error: "", stale: false, key }),
      (error) => mine === newest && (shown.value = { data: null, error: error.message, stale: false, key }),
    );
  });
}

export const noAnswer = () => signal<Shown>(Nothing);

export function useAnswer(make: Make, about: string[] = []): Signal<Shown> {
  const shown = useMemo(noAnswer, []);
  useEffect(() => follow(shown, make, about), []);
  return shown;
}
