// Named places, kept beside the store: those of `rewind bookmark`.
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, bookmarksRevision, connection } from "./wire";
import { at, go, hello, inTurn, status, thread, told } from "./state";
import { askLine, At, Do } from "./parts";

export const bookmarks = signal<any[]>([]);

export async function loadBookmarks() {
  const answer = await told(ask({ what: "bookmarks" }));
  if (answer) bookmarks.value = answer.items;
  return !!answer;
}

// Others change them, too: each answer tells whether they did. Who comes back to the page asks.
effect(() => {
  if (hello.value && bookmarksRevision.value && connection.value === "open") loadBookmarks();
});
addEventListener("focus", () => hello.peek() && connection.peek() === "open" && loadBookmarks());

export function addBookmark() {
  askLine("Name of the bookmark here", async (name) => {
    if (await told(ask({ what: "bookmark-add", name, at: thread.value + ":#" + at.value }))) status.value = "";
  });
}

async function remove(name: string) {
  if (await told(ask({ what: "bookmark-delete", name }))) status.value = "";
}

/** Where it is now: it may have been moved since it was drawn. */
const visit = (name: string) =>
  inTurn(async () => {
    if (!(await loadBookmarks())) return;
    const mark = bookmarks.value.find((b) => b.name === name);
    return () => {
      if (mark) go(mark.position, "jump", mark.thread);
      else status.value = "there is no bookmark " + name + " any more";
    };
  });

export function Bookmarks() {
  useEffect(() => void loadBookmarks(), []);
  if (!bookmarks.value.length) return <p class="notice">No bookmarks. <kbd>b</kbd> names the place where you are.</p>;
  return (
    <table>
      <thead><tr><th>position</th><th>name</th><th>note</th><td></td></tr></thead>
      <tbody>
        {bookmarks.value.map((b) => (
          <tr>
            <td><At to={b.position} thread={b.thread} /></td>
            <td><Do run={() => visit(b.name)}>{b.name}</Do></td>
            <td>{b.note}</td>
            <td><Do run={() => remove(b.name)} title={"delete " + b.name}>×</Do></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
