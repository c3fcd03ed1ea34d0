#!/bin/sh
# workerd as the local server runs it, with its log going straight to a file: read through a pipe, each
# request's line would cost the supervising process more than a tenth of what the request itself costs.
# Ctrl-C reaches the whole process group; only the supervisor ends workerd, and where the system can do it,
# workerd ends with the supervisor even if that one was killed.
trap '' INT HUP
echo $$ >"$SLUICE_PID_FILE"
exec >>"$SLUICE_LOG"
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$SLUICE_WORKERD" "$@"
fi
exec "$SLUICE_WORKERD" "$@"
