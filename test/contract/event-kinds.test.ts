import { describe, expect, test } from "vitest";
import { EVENT_KINDS, isEventPattern, matchesEvent } from "../../src/contract/event-kinds.ts";

describe("an event pattern", () => {
  test("is a kind, a group or everything", () => {
    for (const kind of EVENT_KINDS) {
      expect(isEventPattern(kind)).toBe(true);
      expect(isEventPattern(`${kind.split(".")[0]}.*`)).toBe(true);
    }
    expect(isEventPattern("*")).toBe(true);
  });

  test.each([
    "",
    "budget",
    "budget.",
    ".*",
    "**",
    "bud*",
    "budget.*.x",
    "budget.exceeded.*",
    "Budget.*",
    "*.*",
  ])("%j is not one", (pattern) => expect(isEventPattern(pattern)).toBe(false));

  test("of a group matches exactly the kinds of that group", () => {
    const matched = EVENT_KINDS.filter((kind) => matchesEvent(["run.*"], kind));
    expect(matched).toEqual(["run.recorded", "run.over_limit", "run.adjusted", "run.replaced"]);
    expect(EVENT_KINDS.filter((kind) => matchesEvent(["quota.low"], kind))).toEqual(["quota.low"]);
    expect(EVENT_KINDS.filter((kind) => matchesEvent(["*"], kind))).toEqual([...EVENT_KINDS]);
    expect(EVENT_KINDS.filter((kind) => matchesEvent([], kind))).toEqual([]);
  });
});
