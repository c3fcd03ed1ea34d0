import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { enqueueEvents } from "../../../src/org/webhooks/messages.ts";
import { loadSubscription } from "../../../src/org/webhooks/subscriptions.ts";
import { newSubscriber, receiver } from "../../support/receivers.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";

/** What comes together, as when deliveries are recovered: one message says how many events it stands for. */
test("a storm that comes in batches is one message, which counts every event of each batch", async () => {
  const org = await newSubscriber();
  const made = await org.ask("POST", "/webhooks", {
    format: "slack",
    url: receiver(),
    events: ["run.over_limit"],
  });
  const { id } = made.body as { id: string };
  const enqueue = (names: readonly string[]) =>
    runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
      storage.transactionSync(() => {
        const subscription = loadSubscription(storage.sql, id);
        if (subscription === null) throw new Error("there is no such webhook");
        const events = names.map((name) => ({ id: `evt_${name}`, data: {} }));
        enqueueEvents(storage.sql, subscription, { now: 0, type: "run.over_limit", events });
      }),
    );
  const queued = () => rowsOf(org.id, "SELECT event_id, folded FROM webhook_deliveries ORDER BY seq");
  await enqueue(["a", "b", "c"]);
  expect(await queued()).toEqual([{ event_id: "evt_a", folded: 2 }]);
  await enqueue(["d", "e"]);
  expect(await queued()).toEqual([{ event_id: "evt_a", folded: 4 }]);
});
