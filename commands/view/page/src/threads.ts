// The other threads beside the window of this one: what each of them ran
// meanwhile, on the axis of this thread's instructions.
import { signal } from "@preact/signals";
import { Answer, ask } from "./wire";
import { hello, thread, windowFrom, windowTo } from "./state";
import { grouped, place } from "./format";
import { withCalls } from "./timeline";

const Depths = 6, CallHeight = 6, Head = 13;
export const trackHeight = Head + Depths * CallHeight + 3;

type Track = { thread: number; name: string; here: number[]; there: number[]; line: Answer };
/** Of the window, or of the one that was seen last. */
export const threadTracks = signal<{ key: string; tracks: Track[]; more: number }>({ key: "", tracks: [], more: 0 });

export const threadsHeight = () => threadTracks.value.tracks.length * trackHeight;

/** Where `to` counts from `from`, what is between the samples in proportion. */
function between(from: number[], to: number[], p: number): number {
  let low = 0, high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle] <= p) low = middle;
    else high = middle;
  }
  const width = from[high] - from[low];
  return width ? to[low] + ((p - from[low]) / width) * (to[high] - to[low]) : to[low];
}

let timer = 0;
export function loadThreads(width: number, height: number) {
  const all: any[] = hello.value.threads;
  if (all.length < 2 || !width) return;
  const mine = thread.value, from = windowFrom.value, to = windowTo.value, key = [mine, from, to, width, height].join();
  if (threadTracks.peek().key === key) return;
  clearTimeout(timer);
  timer = window.setTimeout(async () => {
    const answer = await ask({ what: "meanwhile", thread: mine, from, to, samples: 256 }).catch(() => null);
    if (!answer) return;
    // This thread's calls keep most of the room.
    const shown = answer.threads.slice(0, Math.max(1, Math.floor((height * 0.45) / trackHeight)));
    const tracks = await Promise.all(shown.map(async (t: any): Promise<Track> => {
      const first = t.positions[0], last = t.positions[t.positions.length - 1];
      const line = last > first
        ? await ask({ what: "timeline", thread: t.thread, from: first, to: last, buckets: Math.max(16, Math.min(1024, width >> 1)), depths: Depths }).catch(() => null)
        : null;
      return { thread: t.thread, name: all[t.thread - 1].name, here: answer.at, there: t.positions, line: withCalls(line) };
    }));
    if (thread.value === mine && windowFrom.value === from && windowTo.value === to)
      threadTracks.value = { key, tracks, more: answer.threads.length - shown.length };
  }, 50);
}

type Tools = {
  shades: string[]; colour: (name: string) => string;
  label: (c: CanvasRenderingContext2D, text: string, left: number, right: number, y: number, h: number) => void;
};

export function drawThreads(c: CanvasRenderingContext2D, top: number, w: number, x: (p: number) => number, tools: Tools) {
  const { tracks, more } = threadTracks.value;
  tracks.forEach((t, n) => {
    const y = top + n * trackHeight, s = t.line?.slices ?? [];
    c.fillStyle = tools.colour("--ground2");
    c.fillRect(0, y, w, Head);
    const first = t.there[0], last = t.there[t.there.length - 1];
    tools.label(c, "thread " + t.thread + " " + t.name + (last > first
      ? ": " + grouped(last - first) + " instructions meanwhile" : ": nothing meanwhile") + (more && n === tracks.length - 1 ? ", " + more + " more threads" : ""), 0, w, y, Head);
    for (let i = 0; i < s.length; i += 6) {
      const left = Math.max(x(between(t.there, t.here, s[i + 1])), -2);
      const right = Math.min(x(between(t.there, t.here, s[i + 1] + s[i + 2])), w + 2);
      if (right < 0 || left > w || s[i + 1] + s[i + 2] < first || s[i + 1] > last) continue;
      c.fillStyle = tools.shades[Math.max(t.line.shades[s[i + 4]], 0)];
      c.fillRect(left, y + Head + s[i] * CallHeight, Math.max(right - left - 0.5, 1), CallHeight - 1);
    }
  });
}

/** What a thread did while this one was at `p`; `y` from the first track on. */
export function threadAt(y: number, p: number) {
  const t = threadTracks.value.tracks[Math.floor(y / trackHeight)];
  if (!t) return null;
  const there = Math.floor(between(t.here, t.there, p)), s = t.line?.slices ?? [];
  let name = "";
  const depth = Math.max(0, Math.floor((y % trackHeight - Head) / CallHeight));
  for (let i = 0; i < s.length; i += 6)
    if (s[i] <= depth && s[i + 1] <= there && there < s[i + 1] + s[i + 2]) name = t.line.names[s[i + 4]];
  return {
    name, start: there, length: 1, count: 1, depth: -1, what: "thread", thread: t.thread,
    text: ["thread " + t.thread + " " + t.name, (name ? name + ", " : "") + "about " + place(there)],
  };
}
