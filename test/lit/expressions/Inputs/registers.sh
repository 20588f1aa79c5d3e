for condition in 'pc == 6' '(pc) == 6' 'x0 == 3' '(x0) == 123' '$x0 == 3 || w0 == 4'; do
  "$1" find a.tarmac -i a visit --entry --how-many --if "$condition"
done
