-- For nvim-dap: a recorded program in Neovim. Run from Rewind's folder.
local dap = require("dap")
dap.adapters["lldb-dap"] = { type = "executable", command = "lldb-dap-22" }
dap.configurations.c = dap.configurations.c or {}
table.insert(dap.configurations.c, {
  name = "Rewind: a recorded program",
  type = "lldb-dap",
  request = "attach",
  stopOnEntry = true,
  attachCommands = {
    "plugin load build/lib/librewind-lldb.so",
    "rewind load build/sample/sample.tarmac --image build/sample/sample.elf",
  },
})
