// The keys, as "?" shows them.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Do } from "./parts";

export const helpOpen = signal(false);

const Keys: [string, [string, string][]][] = [
  ["Everywhere", [
    ["w s", "zoom in, out"], ["a d", "earlier, later"], ["j k", "last, next call of this function"], ["g", "go to a position"],
    ["/", "search: symbol, address, file:line, t:time, l:line, 50%"], ["b", "name this place"], ["f", "in LLDB: follow it, or not"],
    ["Alt ← →", "back and forward"], ["?  F1", "this list"],
  ]],
  ["In all panes", [
    ["Tab", "next pane; Shift: the one before"], ["F2", "to the links and buttons of the row, then of the pane's header, and back"],
    ["↑ ↓ ← →", "there: along the row, to other rows"], ["Home End", "there: the row's ends; Ctrl: the pane's"], ["Return", "there: what a click does"],
    ["Shift-F10", "what a right click does"], ["Esc", "back to the pane"],
  ]],
  ["Trace", [
    ["↑ ↓", "one row"], ["PgUp PgDn", "a page"], ["Home End", "the ends"], ["Ctrl-L", "position to the middle, top, bottom"],
    ["l t", "line, time"], ["p P", "next, last visit of a place"], ["n N", "again, onwards or back"], ["e E", "next, last exception"],
    ["← →", "fold the call or go to where this one was called; unfold"],
    ["- _", "fold the containing call"], ["+ =", "unfold here"], ["[ ]", "fold, unfold all in the containing call"],
    ["{ }", "fold, unfold the whole trace"], ["r S D V M", "core, single, double, vector registers"], ["m", "memory at …"],
    ["a", "mark what the instruction names, in turn"], ["Return", "last write of what is marked"],
    ["F6 F7 F8", "colours, symbolic targets, indentation"], ["Shift-F10", "menu of what is marked, or of the row"],
  ]],
  ["Registers", [["↑ ↓", "choose"], ["Return", "last write"], ["h", "history"], ["m", "memory at its value"], ["l  Ctrl-L", "lock to a position, lock or unlock"]]],
  ["Memory", [
    ["arrows", "choose a byte"], ["1 2 4 8", "last write of that many bytes"], ["[ ]", "last, next change"], ["l  Ctrl-L", "lock to a position, lock or unlock"],
    ["d", "compare with a position"], ["m", "another address"], ["F", "stop following the expression"], ["h", "history"], ["x", "close"],
  ]],
  ["Timeline", [
    ["← →", "move the position"], ["↑ ↓", "choose a layer, a depth, marks, a thread"], ["Shift ← →", "the item before, the next one of it"],
    ["Return", "go to what is chosen"], ["Shift-F10", "its menu: its end, make it the window"], ["Home", "the whole thread"],
    ["wheel", "depths; Ctrl: zoom; Shift: pan"], ["double click", "make a call the window"],
  ]],
  ["Flame graph, plot", [["arrows", "choose a block; go from write to write"], ["Return", "go to the block's longest"]]],
];

export function Help() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (helpOpen.value) box.current?.showModal();
    else box.current?.close();
  }, [helpOpen.value]);
  return (
    <dialog ref={box} aria-label="Keys" onClose={() => (helpOpen.value = false)}>
      <div class="help">
        {Keys.map(([where, list]) => (
          <section>
            <h2>{where}</h2>
            <dl>{list.map(([key, does]) => <div><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl>
          </section>
        ))}
      </div>
      <Do run={() => (helpOpen.value = false)}>close (Esc)</Do>
    </dialog>
  );
}
