import { expect, test, vi } from "vitest";
import { longestSeconds } from "../../scripts/chaos/pace.ts";
import { mostSecondsOf } from "../../scripts/chaos/shares.ts";
import { runScript } from "../support/command.ts";

/** A short one. `npm run chaos -- --kills 200` is a long one, and says so itself. */
const SECONDS = process.env["SLUICE_CHAOS_SECONDS"] ?? "5";
/** On a busy machine it takes longer until there were so many. */
const KILLS = "3";
/** It has a bound of its own, which follows the speed of the machine, and by which it says what it waits for. */
vi.setConfig({ testTimeout: (longestSeconds(mostSecondsOf(Number(SECONDS))) + 30) * 1000 });

test("two regions, the proxy and gates in processes of their own keep every promise while parts of them are killed", async () => {
  const chaos = runScript("chaos.ts", ["--seconds", SECONDS, "--kills", KILLS, "--seed", "7"], {});
  const status = await chaos.ended;
  expect(chaos.stdout() + chaos.stderr()).toMatch(/^[1-9]\d* kills, 0 violations$/m);
  expect(chaos.stdout()).toMatch(/^chaos: seed 7, /);
  expect(chaos.stdout()).toMatch(/^HOLDS: /m);
  expect(status).toBe(0);
});

test("a run that is ended before it has compared anything has counts and no verdict", async () => {
  const chaos = runScript("chaos.ts", ["--seconds", "1"], {});
  await chaos.says("chaos: seed");
  chaos.process.kill("SIGTERM");
  expect(await chaos.ended).toBe(2);
  expect(chaos.stdout()).toMatch(/^Seconds: /m);
  expect(chaos.stdout()).toMatch(/^\d+ answers$/m);
  expect(chaos.stdout()).toMatch(/^NO VERDICT: ended by SIGTERM$/m);
});

test("an option that is not understood is no verdict", async () => {
  const chaos = runScript("chaos.ts", ["--forever"], {});
  expect(await chaos.ended).toBe(2);
  expect(chaos.stdout()).toMatch(/^NO VERDICT: .*--forever/m);
});
