import { roleIncludes } from "../../contract/access.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done } from "../kernel/door.ts";
import { holderOf, refuseRole } from "./holder.ts";
import { isLastOwner, keyNow, loadKey, saveKey } from "./store.ts";

export const revokeKey = command({
  action: "key.revoked",
  refuses: ["not_found", "conflict", "forbidden"],
  takesAway: (input: { keyId: string }) => input.keyId,
  current: keyNow,
  run(tx, input) {
    const row = loadKey(tx.sql, input.keyId);
    if (row === null) return refuse("not_found");
    if (!roleIncludes(holderOf(tx).role, row.role)) return refuseRole();
    if (row.revoked_at === null) {
      if (isLastOwner(tx.sql, row, tx.now)) {
        const message = "This is the last valid owner key. Create another owner key first.";
        return refuse("conflict", {}, { message });
      }
      saveKey(tx.sql, { ...row, revoked_at: tx.now });
      tx.emit("key.revoked", { key_id: row.id });
    }
    return done(204, null, { target: row.id });
  },
});
