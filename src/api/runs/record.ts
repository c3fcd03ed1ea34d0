import { LIMIT_CODES } from "../../contract/limit-codes.ts";
import { exactRun } from "../../domain/run/metadata.ts";
import { readRun } from "../../domain/run/read-runs.ts";
import { operation } from "../../edge/request/operation.ts";
import { run, runInput } from "../../contract/resources/runs/runs.ts";

export const recordRun = operation(
  {
    method: "POST",
    path: "/v1/runs",
    summary: "Report a run",
    description:
      "Charges the run to every limit that applies, or refuses it and changes nothing. Sending the same id and content again returns 200 with the stored run and charges nothing. A run that names a reservation may also be sent with `decisions:evaluate` alone, and for 24 hours by the key that made the reservation after that key has expired or was revoked. Such a key settles at most what was reserved, under the names of the reservation.",
    role: "developer",
    scope: "runs:write",
    orScope: "decisions:evaluate",
    servesEndedKeys: true,
    idempotent: true,
    refusalsAreFree: true,
    endsReservations: true,
    body: runInput,
    reader: readRun,
    trustsReply: true,
    reply: { 200: run, 201: run },
    refuses: [...LIMIT_CODES, "conflict"],
  },
  (call) => call.org.command("recordRun", exactRun(call.body, call.rawBody)),
);
