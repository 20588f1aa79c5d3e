// A debugger that stands in the same trace, where there is one. While it is
// followed, its stops move the page, and where the page goes it stops.
import { batch, effect, signal } from "@preact/signals";
import { at, change, following, go, hello, length, Moment, status, thread } from "./state";
import { place } from "./format";
import { ask, onNews } from "./wire";

type News = {
  name: string; revision: number; state: "stopped" | "gone"; thread: number; at: number;
  /** Of a stop that a page asked for, or of what was refused: which question that was. */
  by?: number; refused?: string;
};
export const debuggerAt = signal<News | null>(null);

/** Steps that follow each other at once are one stop. */
const Pause = 60, Patience = 8000;
let question = Math.floor(Math.random() * 2 ** 48);
/** The question that is on its way; 0: none. */
const onWay = signal(0);
let asked: Moment = { thread: 0, at: 0 };
/** A refusal of what the user has left since does not take him back: where he is now is asked for. */
const goneOn = () => asked.at !== at.value || asked.thread !== thread.value;
let timer = 0, giveUp = 0;

function answered() {
  clearTimeout(giveUp);
  onWay.value = 0;
}

/** Where the debugger is, the page goes. */
function join(news: News, how: "jump" | "step" = "jump") {
  if (news.state === "stopped" && (news.at !== at.value || news.thread !== thread.value)) go(news.at, how, news.thread);
}

function take(news: News) {
  const mine = news.by !== undefined && news.by === onWay.peek();
  batch(() => {
    debuggerAt.value = news;
    if (mine) answered();
    // Where the page has gone on meanwhile, the debugger comes after it.
    if (!following.value || (mine && (!news.refused || goneOn()))) return;
    join(news);
    if (mine) status.value = news.name + ": " + news.refused;
  });
}

async function send(inThread: number, to: number, revision: number) {
  const by = ++question;
  onWay.value = by;
  asked = { thread: inThread, at: to };
  const failed = (why: string) => {
    if (onWay.value !== by) return;
    batch(() => {
      answered();
      if (goneOn()) return;
      if (following.value && debuggerAt.value) join(debuggerAt.value);
      status.value = why;
    });
  };
  giveUp = window.setTimeout(() => failed("the debugger does not answer"), Patience);
  await ask({ what: "go", thread: inThread, at: to, revision, by }).catch((error) => failed(error.message));
}

export function follow(on: boolean) {
  change(() => (following.value = on));
  if (on && debuggerAt.value) join(debuggerAt.value);
}

/** What the server said when the page began, or came back. */
export function begin() {
  const news: News | undefined = hello.value.debugger;
  if (!news) return;
  answered();
  debuggerAt.value = news;
  if (following.value) join(news, "step");
}

onNews((news) => take(news.debugger));
effect(() => {
  const other = debuggerAt.value, to = at.value, inThread = thread.value;
  clearTimeout(timer);
  if (!other || other.state !== "stopped" || !following.value || onWay.value) return;
  if (other.at === to && other.thread === inThread) return;
  timer = window.setTimeout(() => send(inThread, Math.min(to, length.value), other.revision), Pause);
});

/** Where it stands, for those who look elsewhere. */
export const elsewhere = () => {
  const other = debuggerAt.value;
  return other && other.state === "stopped" && (other.at !== at.value || other.thread !== thread.value)
    ? other.name + " is at " + place(other.at) : "";
};
