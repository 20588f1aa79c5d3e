// A debug session about a recording, and how it is asked.
import * as vscode from "vscode";
import type { Where } from "./answers";

export type Arguments = Record<string, string | number | boolean | string[]>;

export function activeSession(): vscode.DebugSession {
  const session = vscode.debug.activeDebugSession;
  if (!session) throw new Error("nothing is debugged");
  return session;
}

/** Asks a command of Rewind, by the name of its tool (docs/mcp.md). */
export async function ask<Answer>(session: vscode.DebugSession, command: string, words: string[] = [], options: Arguments = {}): Promise<Answer> {
  try {
    // What takes no words has no such argument.
    return (await session.customRequest(`rewind/${command}`, words.length ? { ...options, arguments: words } : options)) as Answer;
  } catch (error) {
    // What lldb-dap itself says when it is not behind `rewind dap`.
    if (/unknown request/.test(String(error)))
      throw new Error(`this session does not run in "rewind dap": see docs/ide.md for how the lldb-dap extension starts it`);
    throw error;
  }
}

/** What the user looks at, for questions that he asks about it. */
export function focus(session: vscode.DebugSession): Arguments {
  const item = vscode.debug.activeStackItem;
  if (item?.session.id !== session.id) return {};
  return item instanceof vscode.DebugStackFrame ? { frameId: item.frameId } : { threadId: item.threadId };
}

/** A command as it is typed in the console: for those that are no tools. */
export async function type(session: vscode.DebugSession, line: string): Promise<string> {
  const said = (await session.customRequest("evaluate", { expression: line, context: "repl", ...focus(session) })) as { result: string };
  const wrong = /(?:^|\n)error: (.*)/.exec(said.result);
  if (wrong) throw new Error(wrong[1]);
  return said.result;
}

/** A word of a command line. */
export const quoted = (word: string): string => `"${word.replace(/["\\`]/g, "\\$&")}"`;

/** Does what a user has asked for; what goes wrong is told. */
export async function attempt(what: () => Promise<void>): Promise<void> {
  try {
    await what();
  } catch (error) {
    void vscode.window.showErrorMessage(`Rewind: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Where each session stands, as its adapter tells after each stop. */
export class Positions implements vscode.Disposable {
  private readonly known = new Map<string, Where>();
  private readonly counts = new Map<string, Promise<number>>();
  private readonly looked = new Map<string, number>();
  private readonly changes = new vscode.EventEmitter<vscode.DebugSession>();
  private readonly subscriptions: vscode.Disposable[];
  /** A session has stopped, ended, or become the active one. */
  readonly onDidChange = this.changes.event;

  constructor() {
    this.subscriptions = [
      vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
        if (event !== "rewind/position") return;
        this.tell(session, body as Where);
      }),
      // One that stands elsewhere: a stop tells of its own thread only.
      vscode.debug.onDidChangeActiveStackItem((item) => {
        if (!item || !this.known.has(item.session.id) || this.looked.get(item.session.id) === item.threadId) return;
        this.looked.set(item.session.id, item.threadId);
        const { session } = item;
        ask<Where>(session, "where", [], focus(session)).then(
          (where) => this.tell(session, where),
          () => undefined, // it runs, or has ended
        );
      }),
      vscode.debug.onDidChangeActiveDebugSession((session) => {
        if (session) this.changes.fire(session);
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        for (const map of [this.known, this.counts, this.looked]) map.delete(session.id);
        this.changes.fire(session);
      }),
    ];
  }

  of(session: vscode.DebugSession | undefined): Where | undefined {
    return session && this.known.get(session.id);
  }

  /** How many threads the recording has. */
  threads(session: vscode.DebugSession): Promise<number> {
    let count = this.counts.get(session.id);
    if (!count) {
      count = ask<{ threads: unknown[] }>(session, "info").then(({ threads }) => threads.length);
      count.catch(() => this.counts.delete(session.id));
      this.counts.set(session.id, count);
    }
    return count;
  }

  private tell(session: vscode.DebugSession, where: Where): void {
    this.known.set(session.id, where);
    this.changes.fire(session);
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    this.changes.dispose();
  }
}
