#!/bin/sh
# workerd as the local server runs it, with its log going straight to a file: read through a pipe, each
# request's line would cost the supervising process more than a tenth of what the request itself costs.
# Ctrl-C reaches the whole process group; only the supervisor ends workerd, and where the system can do it,
# workerd ends with the supervisor even if that one was killed. A file that may not grow is an error to answer,
# as a full disk is, not a reason to end.
trap '' INT HUP XFSZ
umask 077
echo $$ >"$SLUICE_PID_FILE"
if true >>"$SLUICE_LOG"; then exec >>"$SLUICE_LOG"; else exec >/dev/null; fi
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$SLUICE_WORKERD" "$@"
fi
exec "$SLUICE_WORKERD" "$@"
