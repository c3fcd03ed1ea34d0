import { addHolds, changeHolds, holdsOf } from "./holds.ts";
import { rowsOf } from "./rows.ts";
import { env } from "./worker.ts";
import { evict } from "./evict.ts";

/** Copies of one open reservation, counted in the limits, as if it had been requested this many times more. */
export async function copyReservation(
  orgId: string,
  id: string,
  copies: number,
  expiresAt: number,
): Promise<void> {
  const [hold] = await holdsOf(orgId, (one) => one.id === id);
  if (hold === undefined) throw new Error(`${id} is not stored`);
  const copy = (_: unknown, at: number) => ({
    ...hold,
    seq: null,
    id: `rsv_${String(at + 1).padStart(26, "0")}`,
    expires_at: expiresAt,
  });
  await addHolds(orgId, Array.from({ length: copies }, copy));
  await rowsOf(
    orgId,
    `UPDATE usage SET held = CAST(held AS INTEGER) + CAST(?1 AS INTEGER) * CAST(?2 AS INTEGER)
     WHERE meter_id IN (SELECT value FROM json_each(?3))`,
    copies,
    hold.amount,
    JSON.stringify(hold.meters.split(" ")),
  );
  await rowsOf(orgId, "UPDATE due SET at = min(at, ?) WHERE kind = 'holds'", expiresAt);
  await evict(env.ORG.getByName(orgId));
}

/** Lets a reservation expire, and the object forget what it had in memory. */
export async function endTime(orgId: string, id: string, expiresAt: number): Promise<void> {
  await changeHolds(orgId, (hold) => (hold.id === id ? { ...hold, expires_at: expiresAt } : hold));
  await evict(env.ORG.getByName(orgId));
}
