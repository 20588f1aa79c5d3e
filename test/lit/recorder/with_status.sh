# Runs a command and prints its exit status, as lit's own shell cannot.
"$@"
echo "status $?"
