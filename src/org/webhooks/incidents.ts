import { saveRow } from "../../storage/rows.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { EventKind } from "../../contract/event-kinds.ts";
import { type EventData, limitIn } from "../../domain/message/event-data.ts";
import { windowEndIn } from "../../domain/message/message-group.ts";
import type { Meter } from "../../domain/meter/meter.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { loadMetersById } from "../meters/store.ts";
import { enqueue } from "./queue.ts";

/** How often it is checked whether a limit that somebody was paged for was raised or removed. */
const CHECK_MS = 10 * MINUTE_MS;

/** An incident about a limit that PagerDuty has open. It ends with the limit's window, or when the limit is raised or removed. */
type IncidentRow = {
  subscription_id: string;
  /** The limit's id, by which the incident is known. */
  incident: string;
  event_id: string;
  event_type: EventKind;
  /** The limit when the incident began. Null if it had none. */
  amount: string | null;
  ends_at: number | null;
};

interface PagedIncident {
  readonly now: number;
  readonly subscriptionId: string;
  readonly type: EventKind;
  readonly event: { readonly id: string; readonly data: EventData };
}

/** Notes an incident, so that it ends by itself. Only limits of the org itself do. */
export function openIncident(sql: SqlStorage, { now, subscriptionId, type, event }: PagedIncident): void {
  const limit = limitIn(type, event.data);
  const meter = limit === null ? undefined : loadMetersById(sql, [limit], now).get(limit);
  if (limit === null || meter === undefined) return;
  const row: IncidentRow = {
    subscription_id: subscriptionId,
    incident: limit,
    event_id: event.id,
    event_type: type,
    amount: meter.limit === null ? null : String(meter.limit),
    ends_at: windowEndIn(event.data),
  };
  saveRow(sql, "webhook_incidents", row);
  scheduleDue(sql, DUE.incidents, subscriptionId, nextCheck(incidentsOf(sql, subscriptionId), now));
}

function incidentsOf(sql: SqlStorage, subscriptionId: string): IncidentRow[] {
  return sql
    .exec<IncidentRow>("SELECT * FROM webhook_incidents WHERE subscription_id = ?", subscriptionId)
    .toArray();
}

function nextCheck(open: readonly IncidentRow[], now: number): number | null {
  if (open.length === 0) return null;
  return Math.min(now + CHECK_MS, ...open.map(({ ends_at }) => ends_at ?? Infinity));
}

/** Ends the incidents whose cause is over. */
export const endIncidents: DueHandler = {
  kind: "change",
  run(tx, subscriptionId) {
    const { sql, now } = tx;
    const open = incidentsOf(sql, subscriptionId);
    const meters = loadMetersById(
      sql,
      open.map(({ incident }) => incident),
      now,
    );
    const over = open.filter((row) => isOver(row, meters.get(row.incident), now));
    for (const { incident, event_id: id, event_type: type } of over) {
      enqueue(sql, { now, subscriptionId, event: { id, type }, resolves: incident });
      sql.exec(
        "DELETE FROM webhook_incidents WHERE subscription_id = ? AND incident = ?",
        subscriptionId,
        incident,
      );
    }
    tx.schedule(DUE.incidents, subscriptionId, nextCheck(incidentsOf(sql, subscriptionId), now));
  },
};

function isOver({ amount, ends_at: endsAt }: IncidentRow, meter: Meter | undefined, now: number): boolean {
  if (endsAt !== null && endsAt <= now) return true;
  if (meter === undefined || meter.limit === null) return true;
  return amount !== null && meter.limit > BigInt(amount);
}

/** A subscription that is deleted ends nothing any more. */
export function forgetIncidents(tx: Tx, subscriptionId: string): void {
  tx.sql.exec("DELETE FROM webhook_incidents WHERE subscription_id = ?", subscriptionId);
  tx.schedule(DUE.incidents, subscriptionId, null);
}
