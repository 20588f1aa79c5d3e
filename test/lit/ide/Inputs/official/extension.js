// The official extension "LLDB DAP" is in no registry of packages that is open to
// all. This one starts an adapter as that does: "debugAdapterExecutable", without
// arguments of its own, speaking on its standard input and output.
const { existsSync } = require("node:fs");
const vscode = require("vscode");

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("lldb-dap", {
      createDebugAdapterDescriptor({ configuration }) {
        const { debugAdapterExecutable, debugAdapterArgs = [] } = configuration;
        if (!existsSync(debugAdapterExecutable)) throw new Error(`no such executable: ${debugAdapterExecutable}`);
        return new vscode.DebugAdapterExecutable(debugAdapterExecutable, debugAdapterArgs);
      },
    }),
  );
};
