import { refuse } from "../../contract/refusal.ts";
import { keyDigest, mintKey as newSecret } from "../../domain/key/api-key.ts";
import { pepperMark } from "../../domain/key/peppers.ts";
import { findMissingRight } from "../../domain/key/rights.ts";
import { command, done } from "../kernel/door.ts";
import { holderOf, refuseLack, replayedKeyRefusal, rightsOf } from "./holder.ts";
import { keepForGrace, lastPreviousEnd } from "./secrets.ts";
import { keyNow, loadKey, saveKey, toKey } from "./store.ts";

/** The id stays. The old secret works during the grace period, and earlier ones during theirs. */
export const rotateKey = command({
  action: "key.rotated",
  refuses: ["not_found", "conflict", "forbidden", "missing_scope"],
  takesAway: (input: { keyId: string; graceSeconds: number }) =>
    input.graceSeconds > 0 ? null : input.keyId,
  current: keyNow,
  replayRefusal: replayedKeyRefusal,
  run(tx, input) {
    const row = loadKey(tx.sql, input.keyId);
    if (row === null) return refuse("not_found");
    const lack = findMissingRight(holderOf(tx), rightsOf(row));
    if (lack !== null) return refuseLack(lack);
    if (row.revoked_at !== null) {
      return refuse("conflict", {}, { message: "This key is revoked. Create a new one." });
    }
    const refused = keepForGrace(tx, row, input.graceSeconds);
    if (refused !== null) return refused;
    const pepper = tx.settings.SVC_KEY_PEPPER;
    const secret = newSecret(pepper, {
      environment: tx.profile().environment,
      orgId: tx.orgId,
      keyId: row.id,
    });
    const rotated = {
      ...row,
      digest: keyDigest(pepper, secret),
      last4: secret.slice(-4),
      pepper: pepperMark(pepper),
      previous_expires_at: lastPreviousEnd(tx.sql, row.id, tx.now),
    };
    saveKey(tx.sql, rotated);
    tx.emit("key.rotated", { key_id: row.id, grace_seconds: input.graceSeconds });
    const detail = { grace_seconds: input.graceSeconds };
    return done(200, { ...toKey(tx, rotated), key: secret }, { target: row.id, detail });
  },
});
