import { insertRow } from "../../storage/rows.ts";
import { refuse } from "../../contract/refusal.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { orgSnapshot } from "../snapshots/snapshot.ts";
import { grantStatus, loadGrant } from "./grant.ts";

export const openSupportSession = command({
  action: "support.session_opened",
  refuses: ["not_found", "conflict"],
  run(tx, input: { grantId: string; digest: string; token: string }) {
    const grant = loadGrant(tx, input.grantId);
    if (grant === null) return refuse("not_found");
    const status = grantStatus(grant, tx.now);
    if (status !== "active") return refuse("conflict", {}, { message: `This support grant is ${status}.` });
    const id = newId("ses", tx.now);
    const session: Session = { id, grant_id: grant.id, operator: tx.actor.id };
    insertRow(tx.sql, "support_sessions", { ...session, digest: input.digest, created_at: tx.now });
    const body = { token: input.token, expires_at: new Date(grant.expires_at).toISOString() };
    return done(201, body, { target: grant.id, detail: { session_id: id, scope: grant.scope } });
  },
});

type Session = { id: string; grant_id: string; operator: string };

/**
 * The identity and grant behind a support token. It is looked up on each request, so a closed grant ends at once. An
 * ended grant is still returned, because the refused request must be in the trail too.
 */
export const admitSupport = command({
  action: null,
  admitsItself: () => true,
  refuses: ["unauthorized"],
  run(tx, input: { digest: string }) {
    const session = tx.sql
      .exec<Session>(
        "SELECT id, grant_id, operator FROM support_sessions WHERE digest IN (?, ?)",
        ...digestPair(input.digest),
      )
      .toArray()[0];
    const grant = session === undefined ? null : loadGrant(tx, session.grant_id);
    if (session === undefined || grant === null) return refuse("unauthorized");
    const status = grantStatus(grant, tx.now);
    if (status === "active")
      tx.sql.exec("UPDATE support_grants SET last_used_at = ? WHERE id = ?", tx.now, grant.id);
    return done(200, {
      operator: session.operator,
      grant_id: grant.id,
      grant_status: status,
      scope: grant.scope,
      org: orgSnapshot(tx, tx.profile()),
    });
  },
});

interface SupportRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
}

/** Every request under a grant, answered or refused, with both identities: the actor's and the grant's. */
export const recordSupportRequest = command({
  action: null,
  // Refused requests are recorded too.
  admitsItself: () => true,
  refuses: [],
  run(tx, input: SupportRequest) {
    tx.record({
      action: "support.request",
      target: tx.actor.onBehalfOf,
      outcome: input.code === null ? "done" : "refused",
      detail: { ...input },
    });
    return done(200, {});
  },
});
