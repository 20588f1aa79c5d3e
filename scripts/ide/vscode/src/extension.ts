// Recordings in VS Code. What the debug adapter cannot say in its own protocol goes
// by requests `rewind/<command>` and events `rewind/position` (docs/ide.md).
import * as vscode from "vscode";
import type { Accesses, Deps, Origin, Slice, Where } from "./answers";
import { expressionAt, expressionOf, hasNoExpression } from "./expressions";
import { Adapters, Configurations } from "./launch";
import { openInBrowser, Pages } from "./page";
import { count, historyAnswer, placeText, type Row } from "./rows";
import { activeSession, ask, attempt, focus, Positions, quoted, type } from "./session";
import { inputRows, originAnswer, sliceAnswer } from "./sources";
import { Answers, Blocks, Bookmarks, Calls, type Node } from "./trees";

// How much of an answer is listed.
const MOST = 1000;

/** Of a menu's item, else what is selected or under the cursor, else what the user
 * types. */
async function expressionFor(item: unknown): Promise<string | undefined> {
  const fromMenu = expressionOf(item);
  if (fromMenu) return fromMenu;
  if (hasNoExpression(item)) throw new Error("No expression leads to this element. Open it, and ask about its members.");
  const editor = vscode.window.activeTextEditor;
  let found: string | undefined;
  if (editor) {
    const { selection, document } = editor;
    found = selection.isEmpty
      ? expressionAt(document.lineAt(selection.active.line).text, selection.active.character)
      : document.getText(selection).trim();
  }
  if (found && !found.includes("\n")) return found;
  return vscode.window.showInputBox({ prompt: "A variable, register or address", placeHolder: "items[0].quantity" });
}

/** A question about the frame that is looked at is one about its variables. */
function registerQuestions(answers: Answers, positions: Positions): vscode.Disposable[] {
  const command = (name: string, ask: (session: vscode.DebugSession, expression: string) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(`rewind.${name}`, (item: unknown) =>
      attempt(async () => {
        const expression = await expressionFor(item);
        if (expression) await ask(activeSession(), expression);
      }),
    );
  const reveal = (): Thenable<unknown> => vscode.commands.executeCommand("rewind.answers.focus");
  return [
    command("lastWrite", (session, expression) => ask(session, "last-write", [expression], { goto: true, ...focus(session) })),
    command("nextWrite", (session, expression) => ask(session, "next-write", [expression], { goto: true, ...focus(session) })),
    command("history", async (session, expression) => {
      const said = await ask<Accesses>(session, "history", [expression], { count: MOST, ...focus(session) });
      answers.show(session, historyAnswer(expression, said, await positions.threads(session)));
      await reveal();
    }),
    command("origin", async (session, expression) => {
      const threads = await positions.threads(session);
      const inputs = async (position: string): Promise<Row[]> =>
        inputRows(await ask<Deps>(session, "deps", [position], { kinds: "raw", count: MOST }), inputs, threads);
      const said = await ask<Origin>(session, "origin", [expression], { count: MOST, ...focus(session) });
      answers.show(session, originAnswer(expression, said, inputs, threads));
      await reveal();
    }),
    command("slice", async (session, expression) => {
      const said = await ask<Slice>(session, "slice", [expression], { count: MOST, ...focus(session) });
      answers.show(session, sliceAnswer(expression, said, await positions.threads(session)));
      await reveal();
    }),
  ];
}

function registerMoves(positions: Positions): vscode.Disposable[] {
  const command = (name: string, move: (argument: unknown) => Promise<unknown>): vscode.Disposable =>
    vscode.commands.registerCommand(`rewind.${name}`, (argument: unknown) =>
      attempt(async () => {
        await move(argument);
      }),
    );
  return [
    command("stepBackInto", () => ask(activeSession(), "reverse-step")),
    command("stepBackOut", () => ask(activeSession(), "reverse-finish")),
    command("stepBackInstruction", () => ask(activeSession(), "reverse-stepi")),
    command("stepBackOverInstruction", () => ask(activeSession(), "reverse-nexti")),
    command("open", (position) => ask(activeSession(), "goto", [String(position)])),
    command("goto", async () => {
      const session = activeSession();
      // Which thread a number is of is said before it is typed.
      const about = focus(session);
      const here = await ask<Where>(session, "where", [], about);
      const threads = await positions.threads(session);
      const of = threads > 1 ? ` in thread ${here.thread}, 1:#1234 in thread 1` : "";
      const position = await vscode.window.showInputBox({
        prompt: `A position: #1234${of}, 50%, t:2044 (time), l:4321 (line of the trace), start, end, the name of a bookmark`,
      });
      if (position) await ask(session, "goto", [position], about);
    }),
  ];
}

function registerBookmarks(bookmarks: Bookmarks): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand("rewind.addBookmark", () =>
      attempt(async () => {
        const session = activeSession();
        const name = await vscode.window.showInputBox({ prompt: "Name of this position" });
        if (!name) return;
        const note = await vscode.window.showInputBox({ prompt: `A note on ${name}`, placeHolder: "may be empty" });
        if (note === undefined) return;
        await type(session, `rewind bookmark add ${note ? `--note ${quoted(note)} ` : ""}-- ${quoted(name)}`);
        bookmarks.refresh();
      }),
    ),
    vscode.commands.registerCommand("rewind.deleteBookmark", (node: Node) =>
      attempt(async () => {
        await type(activeSession(), `rewind bookmark delete -- ${quoted(node.name ?? "")}`);
        bookmarks.refresh();
      }),
    ),
  ];
}

function showPosition(positions: Positions): vscode.Disposable[] {
  const item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left, 50);
  item.command = "rewind.goto";
  item.tooltip = "Where the recording stands. Click to go elsewhere.";
  const update = async (): Promise<void> => {
    const session = vscode.debug.activeDebugSession;
    const here = positions.of(session);
    if (!session || !here) return item.hide();
    const threads = await positions.threads(session);
    // Meanwhile it may have gone on.
    if (positions.of(vscode.debug.activeDebugSession) !== here) return;
    item.text = `$(history) ${placeText(here, threads)} of ${count(here.of)}`;
    item.show();
  };
  return [item, positions.onDidChange(() => void update().catch(() => item.hide()))];
}

export function activate(context: vscode.ExtensionContext): void {
  const positions = new Positions();
  const answers = new Answers(), calls = new Calls(positions), bookmarks = new Bookmarks(positions), blocks = new Blocks(positions);
  const configurations = new Configurations();
  const view = vscode.window.createTreeView("rewind.answers", { treeDataProvider: answers });
  answers.attach(view);
  const pages = new Pages();
  let session: string | undefined;
  context.subscriptions.push(
    positions,
    pages,
    view,
    vscode.window.registerTreeDataProvider("rewind.calls", calls),
    vscode.window.registerTreeDataProvider("rewind.bookmarks", bookmarks),
    vscode.window.registerTreeDataProvider("rewind.layers", blocks),
    vscode.debug.registerDebugConfigurationProvider("rewind", configurations),
    vscode.debug.registerDebugConfigurationProvider("rewind", configurations, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory("rewind", new Adapters()),
    // Calls and bookmarks are those of the trace; only what is around here changes.
    positions.onDidChange(() => {
      const active = vscode.debug.activeDebugSession?.id;
      blocks.refresh();
      if (active === session) return;
      session = active;
      for (const tree of [calls, bookmarks, answers]) tree.refresh();
    }),
    vscode.debug.onDidTerminateDebugSession((ended) => answers.forget(ended)),
    vscode.commands.registerCommand("rewind.refresh", () => {
      for (const tree of [calls, bookmarks, blocks]) tree.refresh();
    }),
    vscode.commands.registerCommand("rewind.openPage", () => attempt(() => pages.open(activeSession()))),
    vscode.commands.registerCommand("rewind.openPageInBrowser", () => attempt(() => openInBrowser(activeSession()))),
    ...registerQuestions(answers, positions),
    ...registerMoves(positions),
    ...registerBookmarks(bookmarks),
    ...showPosition(positions),
  );
}
