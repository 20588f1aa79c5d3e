-- A recording of desk.c in Neovim, as nvim-dap is used: with the configuration that
-- $CONFIGURATION has. Each stop is waited for.
local SOLD, LOOP, STEPS = 16, 24, 8

local function main()
  local dap = require("dap")
  dofile(os.getenv("CONFIGURATION"))
  -- Of several targets of a jump the first one will do.
  vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end
  local stops, places = {}, {}
  dap.listeners.after.event_stopped.test = function(_, body) table.insert(stops, body) end
  dap.listeners.after["event_rewind/position"].test = function(_, body) table.insert(places, body) end

  local function wait(what, done)
    assert(vim.wait(30000, done, 5), "waited in vain for " .. what)
  end

  -- Does something that ends in a stop, which Neovim shows: why, and where.
  local function stop(what, action)
    local before = #places
    action()
    wait(what, function() return #places > before end)
    local place = places[#places]
    wait("the stop of " .. what, function()
      local session = dap.session()
      local frame = session.stopped_thread_id and session.current_frame
      return frame and (not place.source_line or frame.line == place.source_line)
    end)
    assert(#stops == #places and #places == before + 1, what .. ": a stop too many")
    assert(stops[#stops].reason ~= "exception", what)
    return place, stops[#stops].reason
  end

  local function hits(action)
    local found = {}
    while true do
      local place, reason = stop("a breakpoint", action)
      if reason == "history boundary" then return found end
      assert(reason == "breakpoint", reason)
      assert(place.source_line == SOLD)
      table.insert(found, place.position)
    end
  end

  local function reversed(list)
    local found = {}
    for _, value in ipairs(list) do table.insert(found, 1, value) end
    return found
  end

  vim.cmd("edit desk.c")
  vim.api.nvim_win_set_cursor(0, { SOLD, 0 })
  dap.toggle_breakpoint()
  local place, reason = stop("the launch", function() dap.run(dap.configurations.c[1]) end)
  assert(place.position == 0 and reason == "entry", reason)
  print("stopped at entry")

  local there, back = hits(dap.continue), hits(dap.reverse_continue)
  assert(#there == 4 and vim.deep_equal(reversed(back), there), vim.inspect({ there, back }))
  print("4 hits forward, 4 back")

  dap.clear_breakpoints()
  vim.cmd("edit desk.c")
  vim.api.nvim_win_set_cursor(0, { LOOP, 0 })
  dap.toggle_breakpoint()
  stop("the loop", dap.continue)
  dap.clear_breakpoints()
  local function seen(place) return { place["function"], place.source_line, dap.session().current_frame.line } end
  local over, under = { seen(places[#places]) }, {}
  for _ = 1, STEPS do table.insert(over, seen((stop("a step", dap.step_over)))) end
  for _ = 1, STEPS do table.insert(under, seen((stop("a step back", dap.step_back)))) end
  table.remove(over)
  assert(vim.deep_equal(reversed(under), over), vim.inspect({ over, under }))
  print(STEPS .. " steps over, " .. STEPS .. " back")

  vim.cmd("edit desk.c")
  vim.api.nvim_win_set_cursor(0, { SOLD + 1, 0 })
  place, reason = stop("a jump", dap.goto_)
  assert(place.source_line == SOLD + 1 and reason == "goto", reason)
  print("jumped")

  local pid = tonumber(vim.fn.getpid())
  local function children() return vim.fn.readfile(("/proc/%d/task/%d/children"):format(pid, pid))[1] or "" end
  assert(children() ~= "")
  dap.terminate()
  wait("the end of the session", function() return dap.session() == nil end)
  wait("the end of rewind dap", function() return children() == "" end)
  print("nobody is left")
end

local good, why = xpcall(main, debug.traceback)
if not good then print(why) end
vim.cmd(good and "qall!" or "cquit")
