-- In the place of nvim-dap, where that is not installed: as much of its interface as
-- neovim.lua uses, and the requests that nvim-dap 0.3.0 makes for it, in its order.
local uv = vim.loop
local M = { adapters = {}, configurations = {} }
local lists = { __index = function(of, key) of[key] = {}; return of[key] end }
M.listeners = { after = setmetatable({}, lists) }

local session, breakpoints = nil, {}

local function request(command, arguments, next)
  local self = session
  self.seq = self.seq + 1
  self.waiting[self.seq] = next or function() end
  local body = vim.fn.json_encode({ seq = self.seq, type = "request", command = command, arguments = arguments })
  self.input:write(("Content-Length: %d\r\n\r\n%s"):format(#body, body))
end

local function set_breakpoints(next)
  local lines = vim.tbl_map(function(line) return { line = line } end, breakpoints)
  local path = vim.api.nvim_buf_get_name(0)
  request("setBreakpoints", { source = { path = path }, breakpoints = lines, sourceModified = false }, next)
end

local handlers = {}

function handlers.initialized()
  set_breakpoints(function() request("configurationDone") end)
end

function handlers.stopped(body)
  request("threads", nil, function()
    session.stopped_thread_id = body.threadId
    request("stackTrace", { threadId = body.threadId, startFrame = 0 }, function(answer)
      session.current_frame = answer.stackFrames[1]
      request("scopes", { frameId = session.current_frame.id })
    end)
  end)
end

function handlers.terminated()
  session.input:close()
end

local function received(message)
  if message.type == "response" then
    local next = session.waiting[message.request_seq]
    assert(message.success, vim.inspect(message))
    return next(message.body)
  end
  local handler = handlers[message.event]
  if handler then handler(message.body) end
  for _, listener in pairs(M.listeners.after["event_" .. message.event]) do listener(session, message.body) end
end

function M.run(configuration)
  local folder = vim.fn.getcwd()
  local config = vim.tbl_map(function(value)
    return type(value) == "string" and value:gsub("${workspaceFolder}", folder) or value
  end, configuration)
  local adapter = assert(M.adapters[config.type])
  assert(adapter.type == "executable")
  local input, output = uv.new_pipe(false), uv.new_pipe(false)
  session = { seq = 0, waiting = {}, input = input, capabilities = {} }
  session.process = assert(uv.spawn(adapter.command, { args = adapter.args, stdio = { input, output, nil } }, function()
    session = nil
  end))
  local rest = ""
  output:read_start(function(_, piece)
    rest = rest .. (piece or "")
    while true do
      local _, last, length = rest:find("^Content%-Length: (%d+)\r\n\r\n")
      if not last or #rest < last + tonumber(length) then return end
      local text = rest:sub(last + 1, last + tonumber(length))
      rest = rest:sub(last + tonumber(length) + 1)
      vim.schedule(function() received(vim.fn.json_decode(text)) end)
    end
  end)
  request("initialize", {
    clientId = "neovim", clientname = "neovim", adapterID = "nvim-dap", pathFormat = "path",
    columnsStartAt1 = true, linesStartAt1 = true, supportsRunInTerminalRequest = true, supportsVariableType = true,
    locale = "en_US",
  }, function(can)
    session.capabilities = can
    request(config.request, config)
  end)
end

local function step(command)
  local thread = assert(session.stopped_thread_id, "nothing has stopped")
  session.stopped_thread_id = nil
  request(command, { threadId = thread, granularity = "statement" })
end

function M.continue() step("continue") end
function M.step_over() step("next") end

function M.step_back()
  assert(session.capabilities.supportsStepBack)
  step("stepBack")
end

function M.reverse_continue()
  assert(session.capabilities.supportsStepBack)
  step("reverseContinue")
end

function M.toggle_breakpoint()
  table.insert(breakpoints, vim.api.nvim_win_get_cursor(0)[1])
  if session then set_breakpoints() end
end

function M.clear_breakpoints()
  breakpoints = {}
  set_breakpoints()
end

function M.goto_()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  request("gotoTargets", { source = { path = vim.uri_from_bufnr(0) }, line = line, col = 1 }, function(answer)
    request("goto", { threadId = session.stopped_thread_id, targetId = answer.targets[1].id })
  end)
end

function M.terminate() request("disconnect", { terminateDebuggee = true }) end
function M.session() return session end

return M
