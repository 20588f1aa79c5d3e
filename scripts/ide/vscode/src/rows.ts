// What answers look like as rows of a tree: text, a remark, and where a click goes.
import type { Access, Accesses, Activation, Block, Bookmark, Enclosing, Layers, Listing, Place } from "./answers";

export interface Row {
  label: string;
  detail?: string;
  tooltip?: string;
  /** A position as `rewind goto` takes it. */
  goto?: string;
  /** What it was made from. */
  sources?: () => Promise<Row[]>;
  /** That is shown at once. */
  opened?: boolean;
}

export interface Answer {
  title: string;
  rows: Row[];
  /** Rows, those below others counted, too. */
  size: number;
  /** What has to be said besides: that there is more, why there is nothing. */
  remark?: string | undefined;
}

export const count = (n: number): string => n.toLocaleString("en-US");
const basename = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export function at(place: { thread: number; position: number }): string {
  return `${place.thread}:#${place.position}`;
}

/** "#1,234", in a recording of several threads "2:#1,234": as commands print it. */
export function placeText(place: { thread: number; position: number }, threads: number): string {
  return `${threads > 1 ? `${place.thread}:` : ""}#${count(place.position)}`;
}

/** "process+0x5c at inventory.c:131", or the address, or nothing. */
export function code(place: Place): string {
  let text = place.pc ?? "";
  if (place.function !== undefined)
    text = place.function + (place.function_offset ? "+0x" + place.function_offset.toString(16) : "");
  if (place.file !== undefined && place.source_line !== undefined)
    text += ` at ${basename(place.file)}:${place.source_line}`;
  return text;
}

/** A value in words: what its type says, else its bytes, "?" if it is unknown. */
export function valueText(text: string | undefined, bytes: string | null | undefined): string {
  return text ?? bytes ?? "?";
}

export function remarkOn(listing: Listing<unknown>, what: string): string | undefined {
  if (listing.cancelled) return `interrupted: ${count(listing.items.length)} ${what} so far`;
  if (!listing.complete) return `the first ${count(listing.items.length)} ${what}; there are more`;
  return undefined;
}

function accessRow(access: Access, threads: number): Row {
  const values =
    access.access === "read"
      ? `reads ${valueText(access.value_text, access.value)}`
      : `${valueText(access.old_text, access.old)} → ${valueText(access.new_text, access.new)}`;
  return {
    label: `${placeText(access, threads)}  ${values}`,
    detail: code(access),
    tooltip: access.instruction + (access.changed === false ? "\nThe value stayed as it was." : ""),
    goto: at(access),
  };
}

export function historyAnswer(location: string, said: Accesses, threads: number): Answer {
  const none = said.note ?? "the trace shows no write of it";
  return {
    title: `History of ${location}`,
    rows: said.items.map((access) => accessRow(access, threads)),
    size: said.items.length,
    remark: said.items.length ? remarkOn(said, "accesses") : none,
  };
}

export function activationRow(call: Activation, thread: number, threads: number): Row {
  const times = call.count > 1 ? ` × ${count(call.count)}` : "";
  const source = call.file && call.source_line ? `  ${basename(call.file)}:${call.source_line}` : "";
  const row: Row = {
    label: call.function + times,
    detail: `${placeText({ thread, position: call.start }, threads)}  ${count(call.instructions)} instructions${source}`,
  };
  if (call.remarks) row.tooltip = call.remarks;
  return row;
}

export function bookmarkRow(bookmark: Bookmark, threads: number): Row {
  const row: Row = { label: bookmark.name, detail: placeText(bookmark, threads), goto: at(bookmark) };
  if (bookmark.note) {
    row.detail += `  ${bookmark.note}`;
    row.tooltip = bookmark.note;
  }
  return row;
}

export function blockRow(block: Block): Row {
  if (block.name === undefined) return { label: `… ${count(block.more ?? 0)} more` };
  const facts: string[] = [];
  if (block.times !== undefined && block.times > 1) facts.push(`× ${count(block.times)}`);
  if (block.share_instructions !== undefined) facts.push(`${(100 * block.share_instructions).toFixed(1)} %`);
  if (block.source) facts.push(block.source);
  return { label: block.name, detail: facts.join("  "), goto: at(block) };
}

export function layerRows(said: Layers): Row[] {
  return said.layers.map((layer) => ({
    label: `${layer.layer}  ${layer.pass}`,
    detail: `${count(layer.units)} units, ${count(layer.distinct)} distinct, ${layer.reduction.toFixed(1)} times fewer`,
  }));
}

export function enclosingRows(said: Enclosing): Row[] {
  return said.enclosing.map((block) => {
    const row: Row = { label: block.name, detail: block.kind, goto: at({ thread: said.thread, position: block.start }) };
    if (block.iteration !== undefined) row.detail += `, round ${count(block.iteration)} of ${count(block.iterations ?? 0)}`;
    return row;
  });
}
