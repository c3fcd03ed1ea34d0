import { DAY_MS } from "../../contract/durations.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done } from "../kernel/door.ts";
import { insertRow } from "../../storage/rows.ts";

/** Sign-ins in progress. Each allows one return, in the browser that started it, within ten minutes. */
const ATTEMPT_MS = 600_000;
const LINK_MEMORY_MS = 30 * DAY_MS;

interface NewAttempt {
  readonly digest: string;
  readonly browser: string;
  readonly sealed: string;
}

export const rememberSignIn = command({
  action: null,
  refuses: [],
  run(tx, { digest, browser, sealed }: NewAttempt) {
    tx.sql.exec("DELETE FROM sign_in_attempts WHERE expires_at <= ?", tx.now);
    insertRow(tx.sql, "sign_in_attempts", { digest, browser, sealed, expires_at: tx.now + ATTEMPT_MS });
    return done(201, {});
  },
});

/** Removes an attempt, whoever presents it: what was tried in the wrong browser cannot be tried again. */
export const takeSignIn = command({
  action: null,
  refuses: [],
  run(tx, input: { digest: string; browser: string }) {
    const [row] = tx.sql
      .exec<{ browser: string; sealed: string; expires_at: number }>(
        "DELETE FROM sign_in_attempts WHERE digest IN (?, ?) RETURNING browser, sealed, expires_at",
        ...digestPair(input.digest),
      )
      .toArray();
    const good =
      row !== undefined && digestPair(input.browser).includes(row.browser) && row.expires_at > tx.now;
    return done(200, { sealed: good ? row.sealed : null });
  },
});

/** A link that signs in once. The second use finds it spent. */
export const spendSignInLink = command({
  action: "session.link_used",
  refuses: ["gone"],
  run(tx, input: { digest: string }) {
    tx.sql.exec("DELETE FROM spent_sign_in_links WHERE spent_at < ?", tx.now - LINK_MEMORY_MS);
    const spent = tx.sql.exec(
      "INSERT INTO spent_sign_in_links (digest, spent_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING digest",
      input.digest,
      tx.now,
    );
    return spent.toArray().length === 1 ? done(200, {}) : refuse("gone");
  },
});
