// Starting a session: launch configurations, and the adapter `rewind dap`.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { problemOf, type Files } from "./configuration";

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

const files: Files = {
  isFile,
  exists: existsSync,
  findProgram(name) {
    if (name.includes("/")) return isProgram(name) ? name : undefined;
    return (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)).find(isProgram);
  },
};

function rewindOf(configuration: vscode.DebugConfiguration): string {
  const own: unknown = configuration["rewindPath"];
  return typeof own === "string" && own ? own : vscode.workspace.getConfiguration("rewind").get<string>("path", "rewind");
}

export class Configurations implements vscode.DebugConfigurationProvider {
  /** A configuration for each trace of the workspace. */
  async provideDebugConfigurations(folder: vscode.WorkspaceFolder | undefined): Promise<vscode.DebugConfiguration[]> {
    if (!folder) return [];
    const pattern = new vscode.RelativePattern(folder, "**/*.{tarmac,qt}");
    const traces = await vscode.workspace.findFiles(pattern, "**/node_modules/**", 10);
    const found: vscode.DebugConfiguration[] = [];
    for (const trace of traces) {
      const name = vscode.workspace.asRelativePath(trace, false);
      const configuration: vscode.DebugConfiguration = {
        type: "rewind",
        request: "launch",
        name: `Recording ${name}`,
        trace: "${workspaceFolder}/" + name,
      };
      const stem = name.replace(/\.[^.]*$/, "");
      const program = [`${stem}.elf`, stem].find((one) => isFile(join(folder.uri.fsPath, one)));
      if (program) configuration["program"] = "${workspaceFolder}/" + program;
      found.push(configuration);
    }
    return found;
  }

  /** F5 without a launch.json: the only trace there is. */
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | null | undefined> {
    if (configuration.type) return configuration;
    const found = await this.provideDebugConfigurations(folder);
    return found.length === 1 ? found[0] : null;
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const absolute = (path: unknown): unknown =>
      typeof path === "string" && path && folder && !isAbsolute(path) ? join(folder.uri.fsPath, path) : path;
    for (const key of ["trace", "program", "image", "index"])
      if (configuration[key] !== undefined) configuration[key] = absolute(configuration[key]);
    const images: unknown = configuration["images"];
    if (Array.isArray(images)) configuration["images"] = images.map(absolute);
    const problem = problemOf(configuration, rewindOf(configuration), files);
    if (!problem) return configuration;
    const open = "Open launch.json";
    void vscode.window.showErrorMessage(`Rewind: ${problem}`, open).then((chosen) => {
      if (chosen === open) void vscode.commands.executeCommand("workbench.action.debug.configure");
    });
    return undefined;
  }
}

export class Adapters implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    const rewind = rewindOf(session.configuration);
    const more = vscode.workspace.getConfiguration("rewind").get<string[]>("adapterArguments", []);
    return new vscode.DebugAdapterExecutable(files.findProgram(rewind) ?? rewind, ["dap", ...more]);
  }
}
