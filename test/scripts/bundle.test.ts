import { expect, test } from "vitest";
import { makeBundle } from "../../scripts/bundle.ts";

test("bundles that are made at the same time are all made, whichever is ready first", async () => {
  const entries = ["scripts/migrating/worker.ts", "src/proxy/index.ts"];
  const made = await Promise.all(entries.map(makeBundle));
  for (const [at, { from }] of made.entries()) expect(from).toContain(entries[at]);
});
