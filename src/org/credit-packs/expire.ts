import type { DueHandler } from "../kernel/due/handler.ts";
import { loadCreditPack, statusOf, toCreditPack } from "./show.ts";

export const expireCreditPack: DueHandler = {
  kind: "change",
  run(tx, id) {
    const row = loadCreditPack(tx, id);
    if (row === null || statusOf(row, tx.now) !== "expired") return;
    const { remaining_usd, customer_id, expires_at } = toCreditPack(tx, row);
    tx.emit("credit_pack.expired", {
      credit_pack_id: id,
      customer_id,
      remaining_usd,
      expired_at: expires_at,
    });
  },
};
