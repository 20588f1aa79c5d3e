# Runs a command and tells its exit status.
"$@"
echo "status $?"
