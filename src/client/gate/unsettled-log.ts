import type { RunInput } from "../generated/types.ts";

/** One line for a run that will not be recorded. A host that has a log of its own takes it with `onError`. */
export function logUnsettled(error: unknown, { id, reservation_id, model }: RunInput): void {
  const { code, message } = error as { code?: string; message?: string };
  const why = { code: code ?? null, message: message ?? String(error) };
  const run = { run_id: id ?? null, reservation_id: reservation_id ?? null, model };
  // oxlint-disable-next-line no-console -- a line there is what a host without a log of its own gets
  console.error(JSON.stringify({ at: new Date().toISOString(), event: "run not recorded", ...why, ...run }));
}
