import { MINUTE_MS } from "../../contract/durations.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { refuse } from "../../contract/refusal.ts";
import { ENTRY_PROBLEMS } from "../../domain/network/access.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { storedDigest } from "../keys/secrets.ts";
import { loadKey } from "../keys/store.ts";
import { type ParentKey, keyWorks } from "./parent-key.ts";
import { insertSession, sessionProblem } from "./session.ts";

/** Links that open one console session of an owner, within ten minutes. */
const LINK_MS = 10 * MINUTE_MS;

type LinkRow = ParentKey & { provider: string; subject: string; name: string };

export const createConsoleLink = command({
  action: "console_link.created",
  refuses: [],
  run(tx, input: { digest: string; url: string }) {
    const expiresAt = tx.now + LINK_MS;
    tx.sql.exec("DELETE FROM console_links WHERE expires_at <= ?", tx.now);
    tx.sql.exec(
      `INSERT INTO console_links (digest, key_id, key_digest, provider, subject, name, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      input.digest,
      ...makerOf(tx),
      expiresAt,
    );
    const expires_at = new Date(expiresAt).toISOString();
    return done(201, { url: input.url, expires_at }, { target: tx.orgId, detail: { expires_at } });
  },
});

/** The key and its secret, if a key makes the link, and how the session is named. */
function makerOf({ actor, credential, sql, now }: Tx): readonly (string | null)[] {
  if (actor.kind !== "key") return [null, null, actor.kind, actor.id, "Operator"];
  const key = loadKey(sql, actor.id);
  const digest = credential?.digest ?? null;
  const stored = key === null || digest === null ? null : storedDigest(sql, key, digest, now);
  return [actor.id, stored, "key", actor.id, key?.name ?? actor.id];
}

/** Uses up a link and opens its session, both or neither. */
export const enterByLink = command({
  action: "session.opened",
  admitsItself: () => true,
  refuses: ["gone", "org_suspended", ...ENTRY_PROBLEMS],
  run(tx, input: { link: string; id: string; digest: string; region: string }) {
    const works = keyWorks("console_links", tx.now);
    const [row] = tx.sql
      .exec<LinkRow>(
        `DELETE FROM console_links WHERE digest IN (?, ?) AND expires_at > ? AND ${works.sql}
         RETURNING key_id, key_digest, provider, subject, name`,
        ...digestPair(input.link),
        tx.now,
        ...works.bindings,
      )
      .toArray();
    if (row === undefined) return refuse("gone");
    const problem = sessionProblem(tx, input.region);
    if (problem !== null) return refuse(problem);
    const { id, digest } = input;
    const { provider, subject, name } = row;
    insertSession(tx, { id, digest, provider, subject, name, email: null, role: "owner" }, row);
    return done(201, { id }, { target: id, detail: { provider, subject, name, email: null, role: "owner" } });
  },
});
