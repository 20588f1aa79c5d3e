// What a pane shows: the answer to a question that follows the state. While a
// new one is on its way the old one stays, and what comes late is dropped.
import { effect, signal, Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Answer, ask, connection, Question } from "./wire";

export type Shown = { data: Answer | null; error: string; stale: boolean; key: string };

export function useAnswer(make: () => Question | null): Signal<Shown> {
  const shown = useMemo(() => signal<Shown>({ data: null, error: "", stale: false, key: "" }), []);
  useEffect(() => {
    let newest = 0;
    return effect(() => {
      const question = connection.value === "open" ? make() : null;
      const mine = ++newest;
      if (!question) return;
      const key = JSON.stringify(question);
      if (key === shown.peek().key && !shown.peek().error) return;
      shown.value = { ...shown.peek(), stale: true };
      ask(question).then(
        (data) => mine === newest && (shown.value = { data, error: "", stale: false, key }),
        (error) => mine === newest && (shown.value = { data: null, error: error.message, stale: false, key }),
      );
    });
  }, []);
  return shown;
}
