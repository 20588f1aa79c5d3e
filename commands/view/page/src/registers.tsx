// Registers: their values, and what the row before the position changed.
import { signal } from "@preact/signals";
import { useAnswer } from "./answers";
import { access, change, folds, here, Moment, openHistory, openMemory, registerLock, registerSets, thread } from "./state";
import { At, Do, openMenu, Pane, Problem, askMoment } from "./parts";
import { valueItems } from "./trace";
import { asFloats, placeIn } from "./format";

const chosen = signal("");

export function Registers() {
  const sets = registerSets.value;
  const shown = useAnswer(() => ({
    what: "registers", ...(registerLock.value ?? here()),
    ...((registerLock.value?.thread ?? thread.value) === thread.value ? { folds: folds.value } : {}),
  }));
  const all: any[] = shown.value.data?.registers ?? [];
  const wanted = all.filter((r) =>
    r.set === "float" ? /[vsd]/.test(sets) : r.set === "system" ? sets.includes("y") : sets.includes("g"));
  const list = wanted.filter((r) => r.set !== "system" || r.value !== null);
  const text = (r: any) =>
    r.value === null ? "unknown"
      : r.set !== "float" ? r.value
      : sets.includes("s") ? asFloats(r.value, 4) : sets.includes("d") ? asFloats(r.value, 8) : r.value;
  const menu = (r: any) => [
    { label: "Last write of " + r.name, run: () => access("last-write", r.name), key: "Return" },
    { label: "Next write of " + r.name, run: () => access("next-write", r.name) },
    { label: "History of " + r.name, run: () => openHistory(r.name), key: "h" },
    ...(r.value ? [{ label: "Open memory at its value", run: () => openMemory(r.value) }] : []),
    ...valueItems(r.value),
  ];
  const lock = (where: Moment | null) => change(() => (registerLock.value = where));
  const keys = (press: KeyboardEvent) => {
    const i = list.findIndex((r) => r.name === chosen.value);
    const r = list[i];
    if (press.ctrlKey) {
      if (press.key.toLowerCase() !== "l") return false;
      lock(registerLock.value === null ? here() : null);
      return true;
    }
    const Keys: Record<string, () => void> = {
      ArrowDown: () => (chosen.value = list[Math.min(i + 1, list.length - 1)]?.name ?? ""),
      ArrowUp: () => (chosen.value = list[Math.max(i - 1, 0)]?.name ?? ""),
      Enter: () => r && access("last-write", r.name),
      h: () => r && openHistory(r.name),
      m: () => r?.value && openMemory(r.value),
      l: () => askMoment("Lock registers to", "line", lock),
      t: () => askMoment("Lock registers to", "time", lock),
    };
    if (!(press.key in Keys)) return false;
    Keys[press.key]();
    document.querySelector(".registers .chosen")?.scrollIntoView({ block: "nearest" });
    return true;
  };
  const box = (key: string, label: string, title: string) => (
    <label class="toggle" title={title}>
      <input
        type="checkbox"
        tabIndex={-1}
        checked={sets.includes(key)}
        onChange={() => change(() => {
          const others = "vsd".includes(key) ? sets.replace(/[vsd]/, "") : sets;
          registerSets.value = sets.includes(key) ? sets.replace(key, "") : others + key;
        })}
      />
      {label}
    </label>
  );
  return (
    <Pane
      name="Registers"
      class={"registers" + (shown.value.stale ? " stale" : "")}
      keys={keys}
      tools={
        <>
          {box("g", "core", "core registers (r)")}
          {box("v", "vec", "vector registers (V)")}
          {box("s", "f32", "vectors as singles (S)")}
          {box("d", "f64", "vectors as doubles (D)")}
          {box("y", "sys", "system registers that are known")}
          {registerLock.value === null ? (
            <Do run={() => lock(here())} title="stay at this position (Ctrl-L)">lock</Do>
          ) : (
            <><At to={registerLock.value.at} thread={registerLock.value.thread} /> <Do run={() => lock(null)} title="follow the position (Ctrl-L)">unlock</Do></>
          )}
        </>
      }
    >
      <Problem shown={shown.value} />
      <div class="values" role="grid" aria-label="Values of registers" aria-activedescendant={list.some((r) => r.name === chosen.value) ? "register-chosen" : undefined} aria-keyshortcuts="F2" tabIndex={0}>
        <div role="rowgroup" class={sets.match(/[vsd]/) ? "wide" : ""}>
          {list.map((r) => (
            <div
              role="row"
              id={r.name === chosen.value ? "register-chosen" : undefined}
              aria-selected={r.name === chosen.value}
              key={r.name}
              class={"register" + (r.changed ? " changed" : "") + (r.name === chosen.value ? " chosen" : "")}
              onClick={() => (chosen.value = r.name)}
              onContextMenu={(click) => openMenu(click, menu(r))}
            >
              <span role="gridcell" class="name"><Do run={() => openHistory(r.name)} title={"history of " + r.name}>{r.name}</Do></span>
              <span role="gridcell" class={"value" + (r.value === null ? " unknown" : "")} title={r.changed ? "changed since " + placeIn(shown.value.data.since, shown.value.data.since_thread, thread.value) : undefined}>
                {text(r)}
              </span>
              <span role="gridcell" class="symbol">
                {r.symbol && <Do run={() => openMemory(r.value)} title="open memory there">{r.symbol}</Do>}
              </span>
            </div>
          ))}
        </div>
      </div>
    </Pane>
  );
}
