import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MeterKind } from "../../../src/contract/meter-kinds.ts";
import { RATED } from "../../../src/contract/dimensions.ts";
import { SCOPE_FIELDS, type ScopeKind } from "../../../src/contract/scopes.ts";
import type { Meter } from "../../../src/domain/meter/meter.ts";
import {
  indexMeters,
  isNamedAlike,
  type Scopes,
  scopesOf,
  findMeters,
} from "../../../src/domain/meter/limit-set.ts";

function meterOf(id: string, kind: MeterKind, scopeKind: ScopeKind, scopeId: string): Meter {
  return {
    id,
    kind,
    scope: { kind: scopeKind, id: scopeId },
    limit: 1n,
    window: { kind: "period", period: "day" },
    mode: "enforce",
    sinceMs: 0,
  };
}

const name = fc.constantFrom("a", "b", "c");
const scopes: fc.Arbitrary<Scopes> = fc.record(
  { department: name, workflow: name, deployment: name, customer: name, chain: name },
  { requiredKeys: [] },
);
const meters = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom<MeterKind>("budget"),
        fc.constantFrom<ScopeKind>("department", "workflow", "deployment"),
        name,
      ),
      fc.tuple(fc.constant<MeterKind>("budget"), fc.constant<ScopeKind>("org"), fc.constant("")),
      fc.tuple(
        fc.constant<MeterKind>("customer_limit"),
        fc.constant<ScopeKind>("customer"),
        fc.oneof(name, fc.constant("*")),
      ),
      fc.tuple(
        fc.constantFrom<MeterKind>("chain_cost", "chain_depth"),
        fc.constant<ScopeKind>("chain"),
        fc.constant("*"),
      ),
    ),
  )
  .map((rows) => rows.map(([kind, scopeKind, scopeId], i) => meterOf(`m${i}`, kind, scopeKind, scopeId)));

/** The same rule, in its slow form. */
function matches(meter: Meter, all: readonly Meter[], attempt: Scopes): boolean {
  if (meter.scope.kind === "org" || meter.scope.kind === "match") return true;
  const id = attempt[meter.scope.kind];
  if (id === undefined) return false;
  if (meter.scope.id !== "*") return meter.scope.id === id;
  return !all.some((other) => other.scope.kind === meter.scope.kind && other.scope.id === id);
}

describe("an attempt", () => {
  test("is charged to exactly the meters whose scope it is in", () => {
    fc.assert(
      fc.property(meters, scopes, (all, attempt) => {
        const touched = findMeters(indexMeters(all), attempt, "run").map(({ meter }) => meter.id);
        const expected = all.filter((meter) => matches(meter, all, attempt)).map(({ id }) => id);
        expect(touched.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });

  test("is checked in the order plan, chain, quota, cap, budgets from the org down, customer", () => {
    const all = [
      meterOf("1", "customer_limit", "customer", "*"),
      meterOf("2", "budget", "deployment", "a"),
      meterOf("3", "budget", "workflow", "a"),
      meterOf("4", "budget", "department", "a"),
      meterOf("5", "budget", "org", ""),
      meterOf("6", "spend_cap", "org", ""),
      meterOf("7", "quota", "org", ""),
      meterOf("8", "chain_cost", "chain", "*"),
      meterOf("9", "plan_runs", "org", ""),
    ];
    const everywhere = { department: "a", workflow: "a", deployment: "a", customer: "a", chain: "a" };
    const order = (phase: "run" | "decision") =>
      findMeters(indexMeters(all), everywhere, phase)
        .map(({ meter }) => meter.id)
        .join("");
    expect(order("run")).toBe("987654321");
    expect(order("decision")).toBe("7654321");
  });

  test("is counted separately for each customer under a limit for *", () => {
    const index = indexMeters([
      meterOf("all", "customer_limit", "customer", "*"),
      meterOf("own", "customer_limit", "customer", "a"),
    ]);
    const touched = (customer: string) =>
      findMeters(index, { customer }, "decision").map(({ meter, subject }) => [meter.id, subject]);
    expect(touched("a")).toEqual([["own", ""]]);
    expect(touched("b")).toEqual([["all", "b"]]);
  });
});

describe("calls that are named alike", () => {
  const FIELDS = [
    ...SCOPE_FIELDS,
    ...RATED.filter(
      (rated) => rated !== "key_id" && rated !== "chain_id" && !SCOPE_FIELDS.some((field) => field === rated),
    ),
  ];
  const names = fc.record(Object.fromEntries(FIELDS.map((field) => [field, fc.constantFrom("a", "b")])), {
    requiredKeys: [],
  });

  test("have the same scopes", () => {
    fc.assert(
      fc.property(names, names, (one, other) => {
        const made = [one, other].map((said) => scopesOf(said, { keyId: "k" }));
        expect(isNamedAlike(one, other)).toBe(isDeepStrictEqual(made[0], made[1]));
      }),
      { numRuns: 2000 },
    );
  });

  test.each(FIELDS)("do not differ in %s", (field) => {
    const named = Object.fromEntries(FIELDS.map((each) => [each, "a"]));
    expect(isNamedAlike(named, { ...named })).toBe(true);
    expect(isNamedAlike(named, { ...named, [field]: "b" })).toBe(false);
    expect(isNamedAlike(named, { ...named, [field]: undefined })).toBe(false);
  });

  test("have no tags, which are not compared", () => {
    expect(isNamedAlike({ tags: {} }, {})).toBe(false);
    expect(isNamedAlike({}, { tags: {} })).toBe(false);
  });
});
