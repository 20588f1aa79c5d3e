while read -r function condition; do
  "$1" find a.tarmac -i a "$function" --entry --how-many --if "$condition"
done << END
visit pc == 6
visit (pc) == 6
visit x0 == 3
visit (x0) == 123
visit \$x0 == 3
visit \$x0 == 3 || w0 == 4
local x1 == 3
END
