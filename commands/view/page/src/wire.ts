// Questions to the server. What is asked in the same turn goes in one message;
// answers come in the order of the questions.
import { signal } from "@preact/signals";
import { grouped } from "./format";

export type Question = { what: string; [field: string]: unknown };
export type Answer = any;

export const connection = signal<"connecting" | "open" | "closed" | "refused">("connecting");
/** How long the server took for the last message, in ms, and its size. */
export const lastRound = { ms: 0, bytes: 0 };

/** As the server bounds them: a text of a field, the folds of a question, and a message, of which we leave a little. */
const MaxText = 4096, MaxFolds = 1 << 15, MaxMessage = (1 << 16) - 256, MaxQuestions = 32;

/** Which the file of bookmarks was at the last answer: another one once anybody has changed it. */
export const bookmarksRevision = signal("");

type Waiting = { question: string; done: (answer: Answer) => void; failed: (error: Error) => void };
let socket: WebSocket | null = null;
let queue: Waiting[] = [];
const sent = new Map<number, { all: Waiting[]; at: number }>();
let number = 0;
let flushing = false;

const Key = "rewind-token";

/** Of the URL, which keeps it no longer; whether it had one. */
function takeToken(): boolean {
  const given = /(?:^#|&)t=([0-9a-f]+)/.exec(location.hash);
  if (!given) return false;
  sessionStorage.setItem(Key, given[1]);
  const rest = location.hash.slice(1).split("&").filter((part) => !part.startsWith("t="));
  history.replaceState(history.state, "", "#" + rest.join("&"));
  return true;
}

/** The token: of the URL, of this tab, or of another tab with the same trace. */
async function findToken(): Promise<string | null> {
  takeToken();
  const kept = sessionStorage.getItem(Key);
  if (kept) return kept;
  return new Promise((found) => {
    const channel = new BroadcastChannel(Key);
    channel.onmessage = (message) => {
      if (typeof message.data !== "string" || message.data === "?") return;
      sessionStorage.setItem(Key, message.data);
      channel.close();
      found(message.data);
    };
    channel.postMessage("?");
    setTimeout(() => found(sessionStorage.getItem(Key)), 300);
  });
}

/** A link that somebody else on this machine can open. An IDE that shows the page in a panel of its own tells where the
 * server is. */
export function linkWithToken(hash: string): string {
  const { rewindOrigin = location.origin } = window as { rewindOrigin?: string };
  return rewindOrigin + "/#t=" + sessionStorage.getItem(Key) + "&" + hash.slice(1);
}

/** Other tabs are told the token by this one while it is good. */
let giving: BroadcastChannel | null = null;

export async function connect() {
  // The URL of another server was typed over this page's: a browser only tells of it.
  addEventListener("hashchange", () => takeToken() && location.reload());
  const token = await findToken();
  if (!token) {
    connection.value = "refused";
    return;
  }
  const channel = (giving = new BroadcastChannel(Key));
  channel.onmessage = (message) => message.data === "?" && channel.postMessage(token);
  open(token);
}

const TooBig = 1009;
function open(token: string) {
  const ws = new WebSocket("ws://" + location.host + "/ask");
  ws.onopen = () => ws.send(JSON.stringify({ token }));
  ws.onmessage = (message) => {
    const reply = JSON.parse(message.data);
    if (reply.known) {
      socket = ws;
      connection.value = "open";
      flush();
      return;
    }
    if (reply.n === undefined) {
      news(reply);
      return;
    }
    const of = sent.get(reply.n);
    if (!of) return;
    sent.delete(reply.n);
    if (reply.bookmarks !== undefined) bookmarksRevision.value = reply.bookmarks;
    lastRound.ms = performance.now() - of.at;
    lastRound.bytes = message.data.length;
    of.all.forEach((waiting, i) => {
      const answer = reply.error === undefined ? reply.answers[i] : reply;
      if (answer.error !== undefined) waiting.failed(new Error(answer.error));
      else waiting.done(answer);
    });
  };
  ws.onclose = (event) => {
    socket = null;
    const unanswered = [...sent.values()].flatMap(({ all }) => all);
    sent.clear();
    // What it closed because of its size would come to the same again.
    if (event.code === TooBig) for (const waiting of unanswered) waiting.failed(new Error("the server takes no message of that size"));
    else queue.unshift(...unanswered);
    if (event.code === 4001) {
      sessionStorage.removeItem(Key);
      giving?.close();
      connection.value = "refused";
      return;
    }
    connection.value = "closed";
    setTimeout(() => open(token), 1000);
  };
}

function flush() {
  flushing = false;
  while (socket && queue.length) {
    let count = 0;
    for (let bytes = 0; count < Math.min(queue.length, MaxQuestions); ++count) {
      bytes += bytesOf(queue[count].question) + 1;
      if (count && bytes > MaxMessage) break;
    }
    const all = queue.splice(0, count);
    sent.set(++number, { all, at: performance.now() });
    socket.send('{"n":' + number + ',"ask":[' + all.map((waiting) => waiting.question).join() + "]}");
  }
}

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text).length;

/** Why the server would not take the question; empty: it does. */
function tooLong(question: Question, text: string): string {
  const told = (what: string, bytes: number, most: number) =>
    what + " is too long: " + grouped(bytes) + " bytes, at most " + grouped(most) + " are understood";
  for (const [name, value] of Object.entries(question))
    for (const part of Array.isArray(value) ? value : [value]) {
      const most = name === "folds" ? MaxFolds : MaxText;
      if (typeof part === "string" && part.length * 3 > most && bytesOf(part) > most)
        return told(name === "folds" ? "what is folded" : '"' + part.slice(0, 20) + '…"', bytesOf(part), most);
    }
  return bytesOf(text) > MaxMessage ? told("the question", bytesOf(text), MaxMessage) : "";
}

let news: (what: Answer) => void = () => {};
/** Calls with what the server tells unasked. */
export const onNews = (call: (what: Answer) => void) => (news = call);

/** How many answers are on their way, for whoever looks from outside. */
let waiting = 0;
const count = (by: number) => (document.body.dataset.waiting = String((waiting += by)));

export function ask(question: Question): Promise<Answer> {
  const text = JSON.stringify(question), refusal = tooLong(question, text);
  if (refusal) return Promise.reject(new Error(refusal));
  return new Promise((done, failed) => {
    count(1);
    queue.push({
      question: text,
      done: (answer) => (count(-1), done(answer)),
      failed: (error) => (count(-1), failed(error)),
    });
    if (flushing) return;
    flushing = true;
    queueMicrotask(flush);
  });
}
