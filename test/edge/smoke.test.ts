import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";

test("the worker answers", async () => {
  const answer = await SELF.fetch("http://x/");
  expect(await answer.text()).toHaveLength(64);
});
