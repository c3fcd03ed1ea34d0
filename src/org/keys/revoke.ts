import { refuse } from "../../contract/refusal.ts";
import { command, done } from "../door.ts";
import { loadKey, saveKey, toKey } from "./store.ts";

export const revokeKey = command({
  action: "key.revoked",
  refuses: ["not_found", "conflict"],
  takesAway: (input: { keyId: string }) => input.keyId,
  current: (view, input) => {
    const row = loadKey(view.sql, input.keyId);
    return row === null ? null : toKey(row, view.now);
  },
  run(tx, input) {
    const row = loadKey(tx.sql, input.keyId);
    if (row === null) return refuse("not_found");
    if (row.revoked_at === null) {
      saveKey(tx.sql, { ...row, revoked_at: tx.now });
      tx.emit("key.revoked", { key_id: row.id });
    }
    return done(204, null, { target: row.id });
  },
});
