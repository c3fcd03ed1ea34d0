import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { env } from "../support/worker.ts";

test("work that is due since the beginning is done, also where the org's clock is ahead", async () => {
  const org = await newSpender();
  await org.advance(86_400);
  const object = () => env.ORG.getByName(org.id);
  await runInDurableObject(object(), (_object, { storage }) => {
    storage.sql.exec("INSERT OR REPLACE INTO due (kind, key, at) VALUES ('runs.packing', '', 1)");
  });
  expect((await org.run({})).status).toBe(201);
  const waits = () =>
    runInDurableObject(object(), (_object, { storage }) =>
      storage.sql.exec("SELECT 1 FROM due WHERE at = 1").toArray(),
    );
  await expect.poll(waits).toEqual([]);
});
