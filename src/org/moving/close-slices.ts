import type { ObjectGate } from "../leases/gate.ts";

/** An isolate that is gone never reports. */
const REPORT_PATIENCE_MS = 1500;
const REPORT_POLL_MS = 30;

type Clock = Parameters<ObjectGate["waitOutMs"]>[0];

/** Isolates get no more slices. Waits until they have used up, or given back, what they have, and have reported it. */
export async function closeSlices(
  gate: ObjectGate,
  clock: () => Clock,
  isHere: () => boolean,
): Promise<void> {
  gate.isClosed = true;
  await scheduler.wait(gate.waitOutMs(clock()));
  for (let waited = 0; waited < REPORT_PATIENCE_MS; waited += REPORT_POLL_MS) {
    // Another move may have been completed meanwhile.
    if (!isHere() || !gate.mayHoldUnreported(clock())) return;
    await scheduler.wait(REPORT_POLL_MS);
  }
}
