/** Ended, or waiting for a webhook that is switched off: nothing that will still be delivered by itself. */
const OLD_DELIVERIES = `DELETE FROM webhook_deliveries WHERE seq IN (
  SELECT seq FROM webhook_deliveries WHERE created_at < ? AND (status <> 'pending'
    OR subscription_id IN (SELECT id FROM webhook_subscriptions WHERE disabled_reason IS NOT NULL))
  ORDER BY seq LIMIT ?) RETURNING seq`;

/** An event goes after the last delivery of it. */
const OLD_EVENTS = `DELETE FROM events WHERE seq IN (
  SELECT seq FROM events WHERE created_at < ?
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = events.id)
  ORDER BY seq LIMIT ?) RETURNING seq`;

/** Takes away deliveries and events from before a moment, at most so many of each; says how many it took. */
export function purgeDeliveries(
  sql: SqlStorage,
  before: number,
  limit: number,
): { deliveries: number; events: number } {
  const deliveries = sql.exec(OLD_DELIVERIES, before, limit).toArray().length;
  return { deliveries, events: sql.exec(OLD_EVENTS, before, limit).toArray().length };
}
