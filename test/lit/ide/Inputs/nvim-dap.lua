-- What nvim-dap itself can do besides neovim.lua: the cursor, frames, the console, and
-- two sessions at once, where it has them.
local SOLD, LOOP, STEPS = 16, 24, 20

local function main()
  local dap = require("dap")
  dofile(os.getenv("CONFIGURATION"))
  local places, reasons = {}, {}
  dap.listeners.after.event_stopped.test = function(_, body) table.insert(reasons, body.reason) end
  dap.listeners.after["event_rewind/position"].test = function(session, body)
    table.insert(places, { session = session, place = body })
  end

  local function wait(what, done)
    assert(vim.wait(30000, done, 5), "waited in vain for " .. what)
  end

  local function stop(what, action)
    local before = #places
    action()
    wait(what, function() return #places > before and #reasons > before end)
    local last = places[#places]
    wait("the stop of " .. what, function()
      local frame = last.session.stopped_thread_id and last.session.current_frame
      return frame and (not last.place.source_line or frame.line == last.place.source_line)
    end)
    assert(#places == before + 1 and #reasons == #places, what .. ": a stop too many")
    return last.place, reasons[#reasons], last.session
  end

  local function at(line)
    vim.cmd("edit desk.c")
    vim.api.nvim_win_set_cursor(0, { line, 0 })
  end

  vim.cmd("edit desk.c")
  local configuration = dap.configurations.c[1]
  stop("the launch", function() dap.run(configuration) end)
  at(LOOP)
  local place, reason = stop("the cursor", dap.run_to_cursor)
  assert(place.source_line == LOOP and reason == "breakpoint", reason)
  print("ran to the cursor")

  local over, under = { place.position }, {}
  for _ = 1, STEPS do table.insert(over, (stop("a step", dap.step_over)).position) end
  for _ = 1, STEPS do table.insert(under, 1, (stop("a step back", dap.step_back)).position) end
  table.remove(over)
  assert(vim.deep_equal(over, under), vim.inspect({ over, under }))
  print(STEPS .. " steps over, " .. STEPS .. " back")

  at(SOLD)
  stop("the cursor", dap.run_to_cursor)
  place, reason = stop("the frame's beginning", dap.restart_frame)
  assert(place["function"] == "sell" and place.source_line == SOLD - 1 and reason == "goto", reason)
  print("the frame from its beginning")

  local answers, refusal = {}, nil
  local session = dap.session()
  for _, text in ipairs({ "rewind where", "total", "nonsense(" }) do
    local done
    session:evaluate(text, function(err, answer)
      if err then refusal = err.message else table.insert(answers, answer.result) end
      done = true
    end)
    wait(text, function() return done end)
  end
  assert(answers[1]:find("sell at desk.c:15", 1, true) and answers[2] == "(int) $0 = 57" and refusal, vim.inspect(answers))
  print("asked in the console")

  if dap.sessions then
    configuration = vim.tbl_extend("force", configuration, { name = "another" })
    local second
    place, reason, second = stop("the second launch", function() dap.run(configuration, { new = true }) end)
    assert(second ~= session and reason == "entry" and place.position == 0)
    local before = session.current_frame.line
    stop("a step of the second", dap.step_over)
    assert(session.current_frame.line == before)
    dap.set_session(session)
    place, _, second = stop("a step of the first", dap.step_over)
    assert(second == session and place["function"] == "sell")
  end
  print("two sessions, where there can be two")

  local pid = tonumber(vim.fn.getpid())
  local function children() return vim.fn.readfile(("/proc/%d/task/%d/children"):format(pid, pid))[1] or "" end
  dap.terminate({ all = true })
  wait("the end of the sessions", function() return dap.session() == nil and children() == "" end)
  print("nobody is left")
end

local good, why = xpcall(main, debug.traceback)
if not good then print(why) end
vim.cmd(good and "qall!" or "cquit")
