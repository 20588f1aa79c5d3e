// The page of `rewind view`, which follows the debugger and leads it.
import * as vscode from "vscode";
import { type } from "./session";

/** The address in what `rewind view --json` says; the stop hook may speak, too. */
export function addressIn(said: string): string {
  const found = /"url": *"([^"]+)"/.exec(said);
  if (!found) throw new Error(`rewind view told no address: ${said}`);
  return found[1]!;
}

export async function openPage(session: vscode.DebugSession): Promise<void> {
  const address = addressIn(await type(session, "rewind view --no-open --json"));
  await vscode.env.openExternal(vscode.Uri.parse(address));
}
