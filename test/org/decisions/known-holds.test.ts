import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  DATED_MS,
  hasSameFingerprint,
  ReservationIds,
} from "../../../src/domain/reservation/reservation-id.ts";
import {
  deleteHold,
  endHold,
  type HoldRow,
  insertHold,
  loadHolds,
  reportedIds,
  unknownIds,
} from "../../../src/org/decisions/store.ts";
import { checkpoint, walTransaction } from "../../../src/storage/transaction.ts";
import { env, newOrg } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

const NAMES = new ReservationIds("p".repeat(32), "org_A");
const NOW = Date.parse("2026-11-15T08:00:00Z");
/** Three fingerprints of two requests, each in two half days, and two that have no request. */
const IDS = [
  ...[
    ["a", "x"],
    ["a", "y"],
    ["b", "x"],
  ].flatMap(([request = "", fingerprint = ""]) =>
    [0, 1].map((day) => NAMES.idOf(request, fingerprint, NOW + day * DATED_MS)),
  ),
  NAMES.newId(NOW),
  NAMES.newId(NOW),
];

const KINDS = [
  "hold",
  "hold",
  "run",
  "settle",
  "release",
  "drop",
  "checkpoint",
  "checkpoint",
  "wake",
] as const;
const id = fc.constantFrom(...IDS);
const step = fc.record({ kind: fc.constantFrom(...KINDS), id });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const command = fc.record({
  steps: fc.array(step, { maxLength: 5 }),
  fails: fc.constantFrom(false, false, true),
});

function aHold(holdId: string, unreported: 1 | null): HoldRow {
  return {
    id: holdId,
    status: unreported === null ? "open" : "settled",
    at: NOW,
    expires_at: NOW,
    ended_at: null,
    amount: "1",
    meters: "",
    customer_id: null,
    verdict: "",
    unreported,
    rates: "",
    tokens: 1,
    beside: null,
    asked: null,
    key_id: null,
  };
}

function take(sql: SqlStorage, one: Step, holds: Map<string, HoldRow>): void {
  if (one.kind === "checkpoint") checkpoint(sql);
  if (one.kind === "checkpoint" || one.kind === "wake") return;
  const there = holds.get(one.id);
  if (one.kind === "drop") {
    deleteHold(sql, one.id);
    holds.delete(one.id);
  } else if (one.kind === "settle" || one.kind === "release") {
    const status = one.kind === "settle" ? "settled" : "released";
    endHold(sql, one.id, status, NOW);
    if (there !== undefined) holds.set(one.id, { ...there, status });
  } else if (there === undefined) {
    const hold = aHold(one.id, one.kind === "run" ? 1 : null);
    insertHold(sql, hold);
    holds.set(one.id, hold);
  }
}

/** What memory and pages say together, against a plain list of the holds. */
function agrees(sql: SqlStorage, holds: ReadonlyMap<string, HoldRow>, asked: readonly string[]): void {
  const known = loadHolds(sql, asked);
  const there = asked.filter((one) => holds.has(one));
  expect([...known.holds.keys()].toSorted()).toEqual([...new Set(there)].toSorted());
  for (const [one, { status }] of known.holds) expect(status).toBe(holds.get(one)?.status);
  for (const one of asked) {
    const isSettled = [...holds.values()].some(
      (hold) => hold.status === "settled" && hasSameFingerprint(hold.id, one),
    );
    expect(known.settled.has(one)).toBe(isSettled);
    const hold = holds.get(one);
    expect(reportedIds(sql, asked).has(one)).toBe(hold !== undefined && hold.unreported === null);
  }
  expect(unknownIds(sql, asked)).toEqual(asked.filter((one) => !holds.has(one)));
}

test("what is known of holds by their ids is what was stored, in memory, in pages and after a failure", async () => {
  const asked = fc.array(id, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 6 }), asked, async (commands, ids) => {
      const { id: orgId } = await newOrg();
      let holds = new Map<string, HoldRow>();
      for (const { steps, fails } of commands) {
        const stub = env.ORG.getByName(orgId);
        const before = holds;
        await runInDurableObject(stub, (_object, { storage }) => {
          holds = new Map(before);
          try {
            walTransaction(storage, () => {
              for (const one of steps) take(storage.sql, one, holds);
              agrees(storage.sql, holds, ids);
              if (fails) throw new RangeError("undone");
            });
          } catch (error) {
            if (!(error instanceof RangeError)) throw error;
            holds = before;
          }
          agrees(storage.sql, holds, ids);
        });
        if (steps.some(({ kind }) => kind === "wake")) await evict(stub);
      }
    }),
    { numRuns: 40 },
  );
});
