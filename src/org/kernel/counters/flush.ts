import { DUE } from "../due-kinds.ts";
import { shardOf } from "../../../contract/metrics.ts";
import { transaction } from "../../../storage/transaction.ts";
import type { DueHandler } from "../due/handler.ts";
import { scheduleDue } from "../due/table.ts";
import { closeBatches, confirmBatches, hasCounts } from "./count.ts";

/** Sends the org's counts to its shard. After a crash the same batches are sent again. */
export const flushCounts: DueHandler = {
  kind: "work",
  async run(object) {
    const { storage, env } = object;
    const { sql, orgId } = object.view();
    const batches = transaction(storage, () => closeBatches(sql));
    const [first] = batches;
    if (first) await env.COUNTERS.getByName(shardOf(orgId)).add(orgId, first.seq, batches);
    transaction(storage, () => {
      confirmBatches(sql, batches);
      scheduleDue(sql, DUE.counters, "", hasCounts(sql) ? object.view().now : null);
    });
  },
};
