import { expect, test, vi } from "vitest";
import { mostSecondsOf } from "../../scripts/chaos/shares.ts";
import { runScript } from "../support/command.ts";

/** A short one. `npm run chaos -- --kills 200` is a long one, and says so itself. */
const SECONDS = process.env["SLUICE_CHAOS_SECONDS"] ?? "5";
/** On a busy machine it takes longer until there were so many. */
const KILLS = "3";
/** And every part of it: only what never ends is a failure. */
const PATIENCE = "5";
/** It has a bound of its own, by which it says what it waits for. */
vi.setConfig({ testTimeout: (mostSecondsOf(Number(SECONDS), Number(PATIENCE)) + 30) * 1000 });

test("two regions, the proxy and gates in processes of their own keep every promise while parts of them are killed", async () => {
  const chaos = runScript(
    "chaos.ts",
    ["--seconds", SECONDS, "--kills", KILLS, "--seed", "7", "--patience", PATIENCE],
    {},
  );
  const status = await chaos.ended;
  expect(chaos.stdout() + chaos.stderr()).toMatch(/^[1-9]\d* kills, 0 violations$/m);
  expect(chaos.stdout()).toMatch(/^chaos: seed 7, /);
  expect(status).toBe(0);
});
