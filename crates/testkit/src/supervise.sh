# Runs one program and ends it when standard input closes, however the parent went away.
# usage: sh -c "$(cat supervise.sh)" supervise DIRECTORY PROGRAM ARGUMENT…
# The directory is removed at the end, unless the last words of the parent were `keep`.
directory=$1
shift
ending=
trap 'ending=drop' USR1
trap 'ending=keep' USR2
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
(
  read -r word <&3
  # The signal goes first: the shell above must know why its child dies.
  if [ "$word" = keep ]; then kill -USR2 $$; else kill -USR1 $$; fi
  kill -KILL $child 2>/dev/null
) &
watcher=$!
exec 3<&-
wait $child
status=$?
if [ -z "$ending" ]; then
  kill -KILL $watcher 2>/dev/null
  exit $status
fi
kill -KILL $child 2>/dev/null
wait $child 2>/dev/null
[ "$ending" = keep ] || rm -rf "$directory"
