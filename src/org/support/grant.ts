import { DUE } from "../kernel/due-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import type { SupportGrant } from "../../contract/resources/support.ts";
import type { SupportScope } from "../../domain/people/support.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { insertRow } from "../../storage/rows.ts";
import { readList } from "../kernel/resource.ts";
import { iso } from "../../domain/time/iso.ts";

/** Support grants: an owner gives support access, for a reason, for a time, and within a scope. */

export type GrantRow = {
  id: string;
  scope: SupportScope;
  reason: string;
  opened_by: string;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
  last_used_at: number | null;
};

export function grantStatus(row: GrantRow, now: number): SupportGrant["status"] {
  if (row.closed_at !== null) return "closed";
  return row.expires_at <= now ? "expired" : "active";
}

function toGrant(row: GrantRow, now: number): SupportGrant {
  return {
    id: row.id,
    scope: row.scope,
    reason: row.reason,
    status: grantStatus(row, now),
    opened_by: row.opened_by,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    closed_at: iso(row.closed_at),
    last_used_at: iso(row.last_used_at),
  };
}

export function loadGrant(view: View, id: string): GrantRow | null {
  return view.sql.exec<GrantRow>("SELECT * FROM support_grants WHERE id = ?", id).toArray()[0] ?? null;
}

export const openSupportGrant = command({
  action: "support.grant_opened",
  refuses: [],
  run(tx, input: { scope: SupportScope; reason: string; seconds: number }) {
    const row: GrantRow = {
      id: newId("grt", tx.now),
      scope: input.scope,
      reason: input.reason,
      opened_by: tx.actor.id,
      created_at: tx.now,
      expires_at: tx.now + input.seconds * 1000,
      closed_at: null,
      last_used_at: null,
    };
    insertRow(tx.sql, "support_grants", row);
    tx.schedule(DUE.supportExpiry, row.id, row.expires_at);
    const { scope, reason } = row;
    tx.emit("support.grant_opened", { grant_id: row.id, scope, reason, expires_at: iso(row.expires_at) });
    return done(201, toGrant(row, tx.now), { target: row.id, detail: { scope, reason } });
  },
});

export const closeSupportGrant = command({
  action: "support.grant_closed",
  refuses: ["not_found"],
  current(view, input: { grantId: string }) {
    const row = loadGrant(view, input.grantId);
    return row === null ? null : toGrant(row, view.now);
  },
  run(tx, input: { grantId: string }) {
    const row = loadGrant(tx, input.grantId);
    if (row === null) return refuse("not_found");
    if (grantStatus(row, tx.now) === "active") {
      tx.sql.exec("UPDATE support_grants SET closed_at = ? WHERE id = ?", tx.now, row.id);
      tx.schedule(DUE.supportExpiry, row.id, null);
      tx.emit("support.grant_closed", { grant_id: row.id, reason: "closed" });
    }
    return done(204, null, { target: row.id });
  },
});

/** A grant that expires is announced like one that is closed. */
export const supportExpiry = {
  kind: "change",
  run(tx: Parameters<typeof openSupportGrant.run>[0], id: string) {
    tx.emit("support.grant_closed", { grant_id: id, reason: "expired" });
    tx.record({ action: "support.grant_expired", target: id, outcome: "done" });
  },
} as const;

export const listSupportGrants = readList((view) => ({
  table: "support_grants",
  sort: { created_at: "created_at", expires_at: "expires_at" },
  toItem: (row: GrantRow) => toGrant(row, view.now),
}));

/** Tells whether support has used a grant that is still open. The console shows it on every page. */
export const supportInside = query({
  refuses: [],
  run(view, _input: object) {
    const [row] = view.sql
      .exec<GrantRow>(
        `SELECT * FROM support_grants WHERE closed_at IS NULL AND expires_at > ? AND last_used_at IS NOT NULL
         ORDER BY last_used_at DESC LIMIT 1`,
        view.now,
      )
      .toArray();
    return { grant: row === undefined ? null : toGrant(row, view.now) };
  },
});
