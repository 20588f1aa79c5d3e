// The views: trees whose rows lead to positions.
import * as vscode from "vscode";
import type { Activation, Block, Bookmark, Enclosing, Layers, Listing, Spot } from "./answers";
import { activationRow, at, blockRow, bookmarkRow, enclosingRows, layerRows, placeText, type Answer, type Row } from "./rows";
import { ask, type Positions } from "./session";

/** What a row of a tree is, and what it opens to. */
export interface Node {
  row: Row;
  kind?: string;
  name?: string;
  children?: () => Promise<Node[]>;
}

const leaf = (row: Row): Node => ({ row });

/** A row with what it was made from below it. */
function withSources(row: Row): Node {
  const { sources } = row;
  return sources ? { row, children: async () => (await sources()).map(withSources) } : leaf(row);
}

const message = (text: string): Node => ({ row: { label: text } });

abstract class Tree implements vscode.TreeDataProvider<Node> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;

  protected abstract roots(session: vscode.DebugSession): Promise<Node[]>;

  refresh(): void {
    this.changes.fire();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.row.label, !node.children ? None : node.row.opened ? Expanded : Collapsed);
    if (node.row.detail) item.description = node.row.detail;
    if (node.row.tooltip) {
      item.tooltip = node.row.tooltip;
      // Else that is all that is read out.
      item.accessibilityInformation = { label: [node.row.label, node.row.detail, node.row.tooltip].filter(Boolean).join(", ") };
    }
    if (node.kind) item.contextValue = node.kind;
    if (node.row.goto) item.command = { command: "rewind.open", title: "Go There", arguments: [node.row.goto] };
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const session = vscode.debug.activeDebugSession;
    try {
      if (node) return (await node.children?.()) ?? [];
      return session ? await this.roots(session) : [];
    } catch (error) {
      return [message(error instanceof Error ? error.message : String(error))];
    }
  }
}

/** The answer to the question that was asked last in the session that is looked at:
 * its rows are places of that recording, and of no other. */
export class Answers extends Tree {
  private readonly answers = new Map<string, Answer>();
  private view: vscode.TreeView<Node> | undefined;

  attach(view: vscode.TreeView<Node>): void {
    this.view = view;
  }

  show(session: vscode.DebugSession, answer: Answer): void {
    this.answers.set(session.id, answer);
    this.refresh();
  }

  forget(session: vscode.DebugSession): void {
    this.answers.delete(session.id);
    this.refresh();
  }

  override refresh(): void {
    const answer = this.answers.get(vscode.debug.activeDebugSession?.id ?? "");
    // A title would be capitalised, names of variables and all.
    const text = answer && `${answer.title}: ${answer.remark ?? `${answer.size} in all`}`;
    if (this.view) (this.view as { message?: string | undefined }).message = text;
    super.refresh();
  }

  protected override roots(session: vscode.DebugSession): Promise<Node[]> {
    return Promise.resolve(this.answers.get(session.id)?.rows.map(withSources) ?? []);
  }
}

// A call may make a million others.
const MOST = 500;

interface Thread {
  thread: number;
  /** How many there are. */
  threads: number;
}

/** Who called whom. What a call made is asked for when it is opened. */
export class Calls extends Tree {
  constructor(private readonly positions: Positions) {
    super();
  }

  protected override async roots(session: vscode.DebugSession): Promise<Node[]> {
    const { items } = await ask<{ items: Activation[] }>(session, "calls_tree", [], { depth: 0 });
    const threads = await this.positions.threads(session);
    // One for each thread.
    return items.flatMap((call, index) => this.nodes(session, [call], { thread: index + 1, threads }, 0));
  }

  private nodes(session: vscode.DebugSession, calls: Activation[], within: Thread, depth: number): Node[] {
    const { thread, threads } = within;
    const nodes = calls.slice(0, MOST).map((call): Node => {
      const node: Node = { row: { ...activationRow(call, thread, threads), goto: at({ thread, position: call.start }) }, kind: "call" };
      node.children = () => this.inside(session, call, within, depth);
      return node;
    });
    if (calls.length > MOST) nodes.push(message(`… ${calls.length - MOST} more: "rewind calls tree" lists them`));
    return nodes;
  }

  private async inside(session: vscode.DebugSession, call: Activation, within: Thread, depth: number): Promise<Node[]> {
    const { thread } = within;
    const [from, to] = [at({ thread, position: call.start }), at({ thread, position: call.end })];
    const { items } = await ask<{ items: Activation[] }>(session, "calls_tree", [], { depth: depth + 1, from, to });
    // What is around it comes along.
    let found: Activation | undefined;
    const search = (calls: Activation[]): void => {
      for (const one of calls)
        if (one.id === call.id) found = one;
        else if (!found) search(one.calls);
    };
    search(items);
    return found?.calls.length ? this.nodes(session, found.calls, within, depth + 1) : [message("it makes no calls")];
  }
}

/** Names of positions, which the trace's folder keeps. */
export class Bookmarks extends Tree {
  constructor(private readonly positions: Positions) {
    super();
  }

  protected override async roots(session: vscode.DebugSession): Promise<Node[]> {
    const { items } = await ask<Listing<Bookmark>>(session, "bookmark_list");
    const threads = await this.positions.threads(session);
    return items.map((bookmark) => ({ row: bookmarkRow(bookmark, threads), kind: "bookmark", name: bookmark.name }));
  }
}

/** The hierarchical trace representation: where one is in it, what is hot, and the
 * whole trace as blocks of blocks. */
export class Blocks extends Tree {
  constructor(private readonly positions: Positions) {
    super();
  }

  protected override async roots(session: vscode.DebugSession): Promise<Node[]> {
    const layers = await ask<Layers>(session, "htr_layers");
    const here = this.positions.of(session);
    const threads = await this.positions.threads(session);
    const rows = (label: string, detail: string, children: () => Promise<Node[]>): Node => ({ row: { label, detail }, children });
    return [
      rows("Here", here ? `around ${placeText(here, threads)}` : "", async () => enclosingRows(await ask<Enclosing>(session, "htr_where")).map(leaf)),
      rows("Hot", "loops and functions that execute most", async () =>
        (await ask<{ items: Spot[] }>(session, "htr_hot")).items.map((spot) => leaf(blockRow(spot))),
      ),
      rows("Outline", "the whole trace", async () => this.blocks(session, (await ask<{ items: Block[] }>(session, "htr_dump")).items)),
      rows("Layers", `${layers.layers.length}`, () => Promise.resolve(layerRows(layers).map(leaf))),
    ];
  }

  private blocks(session: vscode.DebugSession, items: Block[]): Node[] {
    return items.map((block) => {
      const node: Node = leaf(blockRow(block));
      const { id } = block;
      if (id !== undefined)
        node.children = async () =>
          this.blocks(session, (await ask<{ items: Block[] }>(session, "htr_expand", [String(id)])).items);
      return node;
    });
  }
}
