// The page of `rewind view`, which follows the debugger and leads it; in a panel of
// its own, or in the browser.
//
// The server of the page lets nobody frame it, and a panel has no way to an address
// of the machine that the debugger runs on. So the panel has the page's files, and
// what they say to their server goes through here.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { inPanel, type Address, addressIn } from "./bridge";
import { type } from "./session";

async function addressOf(session: vscode.DebugSession): Promise<Address> {
  return addressIn(await type(session, "rewind view --no-open --json"));
}

export async function openInBrowser(session: vscode.DebugSession): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse((await addressOf(session)).url));
}

async function file(address: Address, path: string): Promise<string> {
  const answer = await fetch(`http://${address.host}${path}`);
  if (!answer.ok) throw new Error(`the page's server has no ${path}`);
  return answer.text();
}

/** What the panel asks for: a connection, a message on it, its end. */
interface Wish {
  socket: number;
  open?: true;
  text?: string;
  close?: true;
}

function connect(panel: vscode.WebviewPanel, address: Address): void {
  const sockets = new Map<number, WebSocket>();
  const tell = (socket: number, what: object): void => void panel.webview.postMessage({ socket, ...what });
  panel.webview.onDidReceiveMessage(({ socket, open, text, close }: Wish) => {
    if (open) {
      const one = new WebSocket(`ws://${address.host}/ask`);
      sockets.set(socket, one);
      one.onopen = () => tell(socket, { open: true });
      one.onmessage = ({ data }) => tell(socket, { text: String(data) });
      one.onclose = ({ code }) => {
        sockets.delete(socket);
        tell(socket, { closed: code });
      };
    }
    if (text !== undefined) sockets.get(socket)?.send(text);
    if (close) sockets.get(socket)?.close();
  });
  panel.onDidDispose(() => {
    for (const one of sockets.values()) one.close();
  });
}

/** The panels of the sessions that have one. */
export class Pages implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  // What the page shows is the session's.
  private readonly ended = vscode.debug.onDidTerminateDebugSession(({ id }) => this.panels.get(id)?.dispose());

  async open(session: vscode.DebugSession): Promise<void> {
    const there = this.panels.get(session.id);
    if (there) return there.reveal();
    const address = await addressOf(session);
    const [style, script] = await Promise.all([file(address, "/page.css"), file(address, "/page.js")]);
    const panel = vscode.window.createWebviewPanel("rewind.page", `Rewind: ${session.name}`, vscode.ViewColumn.Beside, {
      enableScripts: true,
      // It is where the user has left it when it comes to the front again.
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    this.panels.set(session.id, panel);
    panel.onDidDispose(() => this.panels.delete(session.id));
    connect(panel, address);
    panel.webview.html = inPanel({ style, script }, address, randomBytes(16).toString("hex"));
  }

  dispose(): void {
    this.ended.dispose();
    for (const panel of this.panels.values()) panel.dispose();
  }
}
