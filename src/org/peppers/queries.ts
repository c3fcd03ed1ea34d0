import type { PepperLeft } from "../../contract/resources/admin-pepper.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import { pepperMark } from "../../domain/key/peppers.ts";
import { SESSION_MAX_MS } from "../../domain/people/session.ts";
import { peppersOf } from "../../settings.ts";
import { signerOf } from "../kernel/audit/ends.ts";
import { query, type View } from "../kernel/door.ts";
import { KEPT_MS } from "../kernel/idempotency/records.ts";
import { pepperState } from "./state.ts";
import { ENCRYPTED_COLUMNS, staleValues } from "./encrypted-columns.ts";

/** Links and sign-ins that have begun end after this. */
const ENTRY_MS = 10 * MINUTE_MS;

/** Counts what still needs the pepper before. That is nothing, unless it is being changed. */
export const pepperLeft = query({
  refuses: [],
  run(view, _input: object): PepperLeft {
    const { orgId: org_id, settings, sql } = view;
    const since = pepperState(sql)?.since;
    if (peppersOf(settings).length === 1 || since === undefined) {
      return { org_id, keys_left: 0, tokens_left: 0, sealed_left: 0 };
    }
    return {
      org_id,
      keys_left: keysLeft(view),
      tokens_left: tokensLeft(view, since),
      sealed_left: encryptedLeft(view, since),
    };
  },
});

function counted({ sql }: View, statement: string, ...bindings: readonly (string | number)[]): number {
  return sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${statement}`, ...bindings).one().n;
}

function keysLeft(view: View): number {
  const mark = pepperMark(view.settings.SVC_KEY_PEPPER);
  const live = "k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?1)";
  return (
    counted(view, `keys AS k WHERE ${live} AND k.pepper IS NOT ?2`, view.now, mark) +
    counted(
      view,
      `previous_secrets AS p JOIN keys AS k ON k.id = p.key_id WHERE ${live} AND p.expires_at > ?1 AND p.pepper IS NOT ?2`,
      view.now,
      mark,
    )
  );
}

/** Tokens are not stored anew: the longest lives for a day. */
function tokensLeft(view: View, since: number): number {
  const { now } = view;
  return (
    counted(
      view,
      "sessions WHERE revoked_at IS NULL AND created_at < ? AND created_at > ?",
      since,
      now - SESSION_MAX_MS,
    ) +
    counted(view, "customer_tokens WHERE created_at < ? AND expires_at > ?", since, now) +
    counted(
      view,
      `support_sessions AS s JOIN support_grants AS g ON g.id = s.grant_id
         WHERE s.created_at < ? AND g.closed_at IS NULL AND g.expires_at > ?`,
      since,
      now,
    ) +
    counted(view, "console_links WHERE expires_at < ? AND expires_at > ?", since + ENTRY_MS, now) +
    counted(view, "sign_in_attempts WHERE expires_at < ? AND expires_at > ?", since + ENTRY_MS, now)
  );
}

function encryptedLeft(view: View, since: number): number {
  const { sql, settings, now } = view;
  const values = ENCRYPTED_COLUMNS.flatMap((place) => [...staleValues(sql, settings, place)]).length;
  const answers = counted(
    view,
    "idempotency WHERE sealed IS NOT NULL AND reserved_at < ? AND reserved_at > ?",
    since,
    now - KEPT_MS,
  );
  const [, other] = peppersOf(settings);
  const ends = (["head", "anchor"] as const).filter((name) => signerOf(view, name) === other).length;
  return values + answers + ends;
}
