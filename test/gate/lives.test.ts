import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FLUSHING } from "../../src/counters.ts";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot/snapshot.ts";
import { TELLING } from "../../src/org/gauges/teller.ts";
import { REPORTING } from "../../src/org/unreported-holds.ts";

/** Tests of the Worker shorten these times from inside its isolate. Nothing else may. */

test("slices, standing refusals and snapshots live as long as the contract promises for changes", () => {
  expect(LEASE).toMatchObject({ lifeMs: 1000, guardMs: 20, standingMs: 1000, syncMs: 250 });
  expect(LEASE).toMatchObject({ longestHoldMs: 900_000, idleMs: 60_000, quietMs: 1500, storedMs: 10_000 });
  expect(SNAPSHOT).toEqual({ lifeMs: 2000 });
});

test("objects and isolates gather what they tell and count for seconds at most", () => {
  expect([TELLING, FLUSHING]).toEqual([{ soonMs: 1000, everyMs: 5000 }, { everyMs: 1000 }]);
});

test("a caller waits for the report of its reservation for several reports", () => {
  expect(REPORTING).toEqual({ patienceMs: 6 * LEASE.syncMs });
});

/** An import, an export, or a read of one of its fields. */
const ALLOWED =
  /^(import|export) .*|\b(LEASE|SNAPSHOT|TELLING|WRITING|FLUSHING|REPORTING)\.\w+(?!\s*(=(?!=)|[+*/-]=|\+\+|--))\b/gm;

function suspiciousLines(text: string): string[] {
  return text
    .replaceAll(/^import [^;]*;/gm, "")
    .split("\n")
    .filter((line) =>
      /\b(LEASE|SNAPSHOT|TELLING|WRITING|FLUSHING|REPORTING)\b/.test(line.replaceAll(ALLOWED, "")),
    );
}

test("deployed code only reads them: no setting, binding or request can change them", () => {
  const files = globSync("{src,scripts}/**/*.{ts,tsx}");
  expect(files).toContain("src/org/snapshots/snapshot.ts");
  const found = files.flatMap((file) =>
    suspiciousLines(readFileSync(file, "utf8")).map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});

test.each([
  "LEASE.lifeMs = 1;",
  "LEASE.lifeMs += 1;",
  "LEASE.lifeMs++;",
  "Object.assign(SNAPSHOT, env);",
  "const lives = SNAPSHOT;",
  'LEASE["lifeMs"] = 1;',
  "TELLING.soonMs = 1;",
  "WRITING.everyMs = 1;",
  "FLUSHING.everyMs = 1;",
  "REPORTING.patienceMs = 1;",
])("%s would be found", (line) => {
  expect(suspiciousLines(line)).toEqual([line]);
});
