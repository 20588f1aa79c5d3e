# Source lines, both ways.
set pagination off
set confirm off
set width 0
define session
  break count
  continue
  backtrace
  print n
  next
  reverse-next
  reverse-finish
  reverse-next
  delete
  break price
  reverse-continue
  continue
  finish
  reverse-continue
  info threads
  monitor rewind where
  monitor rewind last-write total
  monitor rewind nonsense
  delete
  continue
  step
  step
  info registers pc
  x/i $pc
end
