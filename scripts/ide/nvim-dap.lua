-- For nvim-dap: a recorded program in Neovim. Run from Rewind's folder.
local dap = require("dap")
dap.adapters.rewind = { type = "executable", command = "build/bin/rewind", args = { "dap" } }
dap.configurations.c = dap.configurations.c or {}
table.insert(dap.configurations.c, {
  name = "Rewind: a recorded program",
  type = "rewind",
  request = "launch",
  trace = "build/sample/sample.tarmac",
  program = "build/sample/sample.elf",
})
vim.keymap.set("n", "<A-F10>", dap.step_back)
vim.keymap.set("n", "<A-F5>", dap.reverse_continue)
