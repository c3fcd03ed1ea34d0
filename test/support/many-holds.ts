import { evictDurableObject } from "cloudflare:test";
import { rowsOf } from "./rows.ts";
import { env } from "./worker.ts";

const COLUMNS = "digest, status, at, ended_at, amount, meters, customer_id, verdict";

/** Copies of one open reservation, counted in the limits, as if it had been requested this many times more. */
export async function copyReservation(
  orgId: string,
  id: string,
  copies: number,
  expiresAt: number,
): Promise<void> {
  await rowsOf(
    orgId,
    `INSERT INTO holds (id, expires_at, ${COLUMNS})
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     SELECT 'rsv_' || printf('%026d', i), ?2, ${COLUMNS} FROM n JOIN (SELECT * FROM holds WHERE id = ?3)`,
    copies,
    expiresAt,
    id,
  );
  const [hold] = await rowsOf<{ amount: string; meters: string }>(
    orgId,
    "SELECT amount, meters FROM holds WHERE id = ?",
    id,
  );
  const meters = JSON.stringify(hold?.meters.split(" ") ?? []);
  await rowsOf(
    orgId,
    `UPDATE usage SET held = CAST(held AS INTEGER) + CAST(?1 AS INTEGER) * CAST(?2 AS INTEGER)
     WHERE meter_id IN (SELECT value FROM json_each(?3))`,
    copies,
    hold?.amount ?? "0",
    meters,
  );
  await rowsOf(orgId, "UPDATE due SET at = min(at, ?) WHERE kind = 'holds'", expiresAt);
  await evictDurableObject(env.ORG.getByName(orgId));
}

/** Lets a reservation expire, and the object forget what it had in memory. */
export async function endTime(orgId: string, id: string, expiresAt: number): Promise<void> {
  await rowsOf(orgId, "UPDATE holds SET expires_at = ? WHERE id = ?", expiresAt, id);
  await evictDurableObject(env.ORG.getByName(orgId));
}
