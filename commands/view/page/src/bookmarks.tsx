// Named places, kept beside the store: those of `rewind bookmark`.
import { signal } from "@preact/signals";
import { ask } from "./wire";
import { at, go, thread, told } from "./state";
import { askLine, At, Do } from "./parts";

export const bookmarks = signal<any[]>([]);

export async function loadBookmarks() {
  const answer = await told(ask({ what: "bookmarks" }));
  if (answer) bookmarks.value = answer.items;
}

export function addBookmark() {
  askLine("Name of the bookmark here", async (name) => {
    await told(ask({ what: "bookmark-add", name, at: thread.value + ":#" + at.value }));
    loadBookmarks();
  });
}

export function Bookmarks() {
  if (!bookmarks.value.length) return <p class="notice">No bookmarks. <kbd>b</kbd> names the place where you are.</p>;
  return (
    <table>
      <thead><tr><th>position</th><th>name</th><th>note</th><td></td></tr></thead>
      <tbody>
        {bookmarks.value.map((b) => (
          <tr>
            <td><At to={b.position} thread={b.thread} /></td>
            <td><Do run={() => go(b.position, "jump", b.thread)}>{b.name}</Do></td>
            <td>{b.note}</td>
            <td><Do run={async () => (await told(ask({ what: "bookmark-delete", name: b.name })), loadBookmarks())} title={"delete " + b.name}>×</Do></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
