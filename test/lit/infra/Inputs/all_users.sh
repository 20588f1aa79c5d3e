# all_users.sh <folder> <command>...: runs it where /usr/lib has the plugin that was
# installed in <folder>/home. To be run in mounts of its own (unshare -rm).
set -e
folder=$1
shift
mount -t overlay overlay -o lowerdir=/usr/lib,upperdir="$folder/upper",workdir="$folder/work" /usr/lib
mkdir -p /usr/lib/lldb/plugins
ln -s "$folder/home/.local/lib/librewind-lldb.so" /usr/lib/lldb/plugins/
exec "$@"
