import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  couldMeet,
  type MatchInput,
  matches,
  matchOf,
  mostOnOneCall,
} from "../../../src/domain/meter/match.ts";
import { MatchIndex } from "../../../src/domain/meter/match-index.ts";
import type { Meter } from "../../../src/domain/meter/meter.ts";
import { type CallNames, groupOf, groupText, groupValues } from "../../../src/domain/meter/traits.ts";

const model = fc.constantFrom("gpt-4", "gpt-4o", "o3", "claude");
/** Only a model can end in a star that stands for any ending. */
const user = fc.constantFrom("u1", "u2", "u*");
const team = fc.constantFrom("a", "b");
const some = (value: fc.Arbitrary<string>) =>
  fc.oneof(value, fc.uniqueArray(value, { minLength: 1, maxLength: 3 }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const given: fc.Arbitrary<MatchInput> = fc.record({
  model: maybe(some(fc.oneof(model, fc.constantFrom("gpt-*", "gpt-4*", "*", "o3*")))),
  user_id: maybe(some(user)),
  tags: maybe(fc.record({ team: some(team), x: some(team) }, { requiredKeys: ["team"] })),
});
const names: fc.Arbitrary<CallNames> = fc.record({
  model: maybe(model),
  user_id: maybe(user),
  tags: maybe(fc.record({ team, x: team }, { requiredKeys: [] })),
});

/** The rule in its slow form, from what was given. */
function applies(match: MatchInput, call: CallNames): boolean {
  const listOf = (values: string | readonly string[] = []) =>
    typeof values === "string" ? [values] : values;
  const isModel = (wanted: string) =>
    wanted.endsWith("*") ? (call.model ?? "").startsWith(wanted.slice(0, -1)) : wanted === call.model;
  if (match.model !== undefined && (call.model === undefined || !listOf(match.model).some(isModel)))
    return false;
  if (match.user_id !== undefined && !listOf(match.user_id).includes(call.user_id ?? "")) return false;
  return Object.entries(match.tags ?? {}).every(([tag, values]) =>
    listOf(values).includes(call.tags?.[tag] ?? ""),
  );
}

function meterOf(id: string, match: MatchInput): Meter {
  return {
    id,
    kind: "budget",
    scope: { kind: "match", id: "" },
    limit: 1n,
    window: { kind: "period", period: "day" },
    mode: "enforce",
    sinceMs: 0,
    match: matchOf(match, []),
  };
}

describe("a match", () => {
  test("is for the calls that have one of the values of each part, and the index finds exactly those", () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 12 }), names, (all, call) => {
        const expected = all.flatMap((one, at) => (applies(one, call) ? [`m${at}`] : []));
        expect(all.flatMap((one, at) => (matches(matchOf(one, []), call) ? [`m${at}`] : []))).toEqual(
          expected,
        );
        const index = new MatchIndex(all.map((one, at) => meterOf(`m${at}`, one)));
        expect(new Set(index.matching(call).map(({ id }) => id))).toEqual(new Set(expected));
      }),
    );
  });

  test("could meet another wherever a call has both, in either order", () => {
    fc.assert(
      fc.property(given, given, names, (one, other, call) => {
        const [first, second] = [matchOf(one, []), matchOf(other, [])];
        expect(couldMeet(first, second)).toBe(couldMeet(second, first));
        if (applies(one, call) && applies(other, call)) expect(couldMeet(first, second)).toBe(true);
      }),
    );
  });

  test("never has a call with more of the others than are said to be the most", () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 12 }), names, (all, call) => {
        const most = mostOnOneCall(all.map((one) => matchOf(one, [])));
        expect(all.filter((one) => applies(one, call)).length).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("counts values that exclude each other once", () => {
    const users = Array.from({ length: 100 }, (_, at) => ({ user_id: ["u", `u${at}`] }));
    const others = Array.from({ length: 100 }, (_, at) => ({ user_id: `u${at}`, model: "gpt-*" }));
    const most = (...all: readonly MatchInput[]) => mostOnOneCall(all.map((one) => matchOf(one, [])));
    expect([most(), most(...others), most(...users), most(...users, ...others)]).toEqual([0, 1, 100, 100]);
    expect(most(...others, {}, { model: "gpt-*" }, { tags: { t: "a" } }, { tags: { t: "b" } })).toBe(4);
  });

  test.each([
    [{ model: "gpt-*" }, { model: "gpt-4" }, true],
    [{ model: "gpt-*" }, { model: "o3" }, false],
    [{ model: "gpt-4*" }, { model: "gpt-*" }, true],
    [{ model: "a*" }, { model: "b*" }, false],
    [{ user_id: ["a", "b"] }, { user_id: ["b", "c"] }, true],
    [{ user_id: "a" }, { provider: "p" }, true],
    [{ tags: { t: "a" } }, { tags: { t: "b" } }, false],
    [{ tags: { t: "a" } }, { tags: { s: "b" } }, true],
  ])("%j and %j could have a call together: %s", (one, other, could) => {
    expect(couldMeet(matchOf(one, []), matchOf(other, []))).toBe(could);
  });
});

test("groups are told apart by any text, on one line, and read back", () => {
  const text = fc.option(fc.string({ unit: "binary", minLength: 1, maxLength: 12 }), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, text, (a, b, c, d) => {
      const by = ["model", "tag:t"] as const;
      const callOf = (m: string | undefined, t: string | undefined): CallNames => ({
        model: m,
        tags: t === undefined ? {} : { t },
      });
      const [one, other] = [groupOf(callOf(a, b), by), groupOf(callOf(c, d), by)];
      expect(one === other).toBe(a === c && b === d);
      expect(one.includes("\n")).toBe(false);
      expect(groupValues(by, one)).toEqual({ model: a ?? null, "tag:t": b ?? null });
    }),
  );
  expect(groupText('["alice"]')).toBe("alice");
  expect(groupText("[null,null]")).toBe(null);
});
