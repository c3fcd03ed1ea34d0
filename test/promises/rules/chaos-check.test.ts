import { describe, expect, test } from "vitest";
import { violationsOf } from "../../../scripts/chaos/check.ts";
import type {
  Allow,
  History,
  OrgHistory,
  SentRun,
  Stored,
  StoredRun,
} from "../../../scripts/chaos/history.ts";

/** What the checks of `npm run chaos` find in a history, each planted in one that is in order. */

const sent = (id: string, more: Partial<SentRun> = {}): SentRun => ({
  id,
  nanos: 2,
  reservation: null,
  isAcknowledged: true,
  ...more,
});
const kept = (id: string, more: Partial<StoredRun> = {}): StoredRun => ({
  id,
  nanos: 2,
  reservation: null,
  outcome: "completed",
  ...more,
});
const allow = (reservation: string, at: number, more: Partial<Allow> = {}): Allow => ({
  reservation,
  nanos: 2,
  sentAt: at,
  answeredAt: at + 1,
  heldUntil: at + 1000,
  end: "settled",
  ...more,
});

const RUNS = [kept("r1"), kept("r2", { reservation: "rsv_1" })];
const CHARGE = kept("made by the service", { reservation: "rsv_2", outcome: "unreported" });
const STORED: Stored = {
  readAt: 100,
  runs: RUNS,
  announced: ["r1", "r2"],
  spentNanos: 4,
  reservedNanos: 2,
  spentInTheEndNanos: 6,
  reservedInTheEndNanos: 0,
  runsInTheEnd: [...RUNS, CHARGE],
  isAuditValid: true,
};
const ORG: OrgHistory = {
  name: "acme",
  runs: [sent("r1"), sent("r2", { reservation: "rsv_1" }), sent("nobody knows", { isAcknowledged: false })],
  allows: [allow("rsv_1", 10), allow("rsv_2", 20, { end: "charged" })],
  limits: [{ nanos: 10, sentAt: 0, answeredAt: 0 }],
  forbidden: [{ what: "a denied model", status: 403 }],
  limited: 1,
  unheardNanos: [],
  onlyGrows: true,
  stored: STORED,
};
const PROXY = {
  served: 9,
  servedTokens: 90,
  recorded: 8,
  recordedTokens: 80,
  quietCalls: 5,
  quietRecorded: 5,
};
const GOOD: History = { orgs: [ORG], proxy: PROXY, unpromised: [], secrets: [], rounds: [], holdsRefused: 0 };

const kindsIn = (history: History) => [...new Set(violationsOf(history).map(({ kind }) => kind))];
const withOrg = (change: Partial<OrgHistory>): History => ({ ...GOOD, orgs: [{ ...ORG, ...change }] });
const withStored = (change: Partial<Stored>): History => withOrg({ stored: { ...STORED, ...change } });

test("a history in order breaks no promise", () => {
  expect(violationsOf(GOOD)).toEqual([]);
});

test("a reservation whose answer never came is charged once, and for what was asked", () => {
  const charge = kept("made as well", { reservation: "rsv_unheard", outcome: "unreported" });
  const runs = { runsInTheEnd: [...STORED.runsInTheEnd, charge], spentInTheEndNanos: 8 };
  const twice = {
    runsInTheEnd: [...runs.runsInTheEnd, { ...charge, id: "again", reservation: "rsv_other" }],
    spentInTheEndNanos: 10,
  };
  const found = (stored: Partial<Stored>, unheardNanos: readonly number[]) =>
    kindsIn(withOrg({ stored: { ...STORED, ...stored }, unheardNanos }));
  expect(found(runs, [2])).toEqual([]);
  expect(found(runs, [3])).toEqual(["doubled settlement"]);
  expect(found(runs, [])).toEqual(["doubled settlement"]);
  expect(found(twice, [2])).toEqual(["doubled settlement"]);
});

const again = kept("r2 again", { reservation: "rsv_1" });
const limit = (nanos: number, at: number) => ({ nanos, sentAt: at, answeredAt: at + 1 });
const three = [allow("a", 10, { nanos: 5 }), allow("b", 20, { nanos: 5 }), allow("c", 40, { nanos: 1 })];

describe("a planted defect is found:", () => {
  test.for<[string, string, History]>([
    ["a lost report", "lost report", withOrg({ runs: [...ORG.runs, sent("r3")] })],
    [
      "a report stored with another cost",
      "lost report",
      withOrg({ runs: [sent("r1", { nanos: 1 }), ...ORG.runs.slice(1)] }),
    ],
    [
      "an expiry that was to be charged",
      "lost report",
      withStored({ runsInTheEnd: RUNS, spentInTheEndNanos: 4 }),
    ],
    [
      "a run through the proxy that was not recorded",
      "lost report",
      { ...GOOD, proxy: { ...PROXY, quietRecorded: 4 } },
    ],
    [
      "a doubled settlement",
      "doubled settlement",
      withStored({ runsInTheEnd: [...STORED.runsInTheEnd, again], spentInTheEndNanos: 8 }),
    ],
    [
      "a run stored twice",
      "doubled settlement",
      withStored({ runsInTheEnd: [...STORED.runsInTheEnd, kept("r1")], spentInTheEndNanos: 8 }),
    ],
    [
      "a run that nobody sent",
      "doubled settlement",
      withStored({ runsInTheEnd: [...STORED.runsInTheEnd, kept("x")], spentInTheEndNanos: 8 }),
    ],
    [
      "a call that the proxy recorded twice",
      "doubled settlement",
      { ...GOOD, proxy: { ...PROXY, recorded: 10 } },
    ],
    [
      "a reservation that was released and settled",
      "doubled settlement",
      withOrg({ allows: [allow("rsv_1", 10, { end: "released" }), ...ORG.allows.slice(1)] }),
    ],
    ["a skipped check", "skipped check", withOrg({ forbidden: [{ what: "a denied model", status: 200 }] })],
    [
      "a limit that was passed in storage",
      "overspent limit",
      withOrg({ limits: [limit(5, 0)], onlyGrows: false }),
    ],
    [
      "a limit that was passed by allows",
      "overspent limit",
      withOrg({ allows: [...ORG.allows, ...three.map((one) => ({ ...one, end: "unknown" as const }))] }),
    ],
    [
      "allows of one moment that are too many together",
      "overspent limit",
      withOrg({
        allows: [...ORG.allows, ...[1, 2, 3].map((nth) => allow(`at once ${nth}`, 0, { end: "unknown" }))],
      }),
    ],
    ["holds that a gate had no room for", "overspent limit", { ...GOOD, holdsRefused: 1 }],
    ["a logged secret", "logged secret", { ...GOOD, secrets: ["a key in sluice.log"] }],
    ["sums that differ from the runs", "wrong sum", withStored({ spentNanos: 5 })],
    [
      "a run that goes away",
      "wrong sum",
      withStored({ runsInTheEnd: [kept("r2", { reservation: "rsv_1" }), CHARGE], spentInTheEndNanos: 4 }),
    ],
    ["a reservation that is never freed", "stuck reservation", withStored({ reservedInTheEndNanos: 2 })],
    ["a reservation that is not held", "stuck reservation", withStored({ reservedNanos: 1 })],
    ["a broken audit chain", "broken trail", withStored({ isAuditValid: false })],
    ["a run that no event announced", "broken trail", withStored({ announced: ["r1"] })],
    ["a run that was announced twice", "broken trail", withStored({ announced: ["r1", "r2", "r2"] })],
    [
      "what a round has found by itself",
      "lost webhook",
      { ...GOOD, rounds: [{ kind: "lost webhook", what: "event evt_1 never arrived" }] },
    ],
    [
      "an answer that nothing promises",
      "unpromised answer",
      { ...GOOD, unpromised: ["a run was answered with 500"] },
    ],
  ])("%s", ([, kind, history]) => {
    expect(kindsIn(history)).toEqual([kind]);
  });
});

describe("a limit that changes", () => {
  const grown = (limits: OrgHistory["limits"]) =>
    kindsIn(withOrg({ limits, allows: three, stored: { ...STORED, reservedNanos: 0 } }));
  const before = { runs: [sent("r1", { reservation: "a" }), sent("r2", { reservation: "rsv_1" })] };

  test("binds once it was lowered, and an allow that was on its way is fine", () => {
    const lowered = (at: number) =>
      withOrg({ ...before, limits: [limit(20, 0), limit(8, at)], allows: three });
    expect(kindsIn(lowered(30))).toContain("overspent limit");
    expect(kindsIn(lowered(39))).not.toContain("overspent limit");
  });

  test("binds until it is raised", () => {
    expect(grown([limit(10, 0), limit(20, 50)])).toContain("overspent limit");
    expect(
      kindsIn(withOrg({ ...before, limits: [limit(10, 0), limit(20, 40)], allows: three })),
    ).not.toContain("overspent limit");
  });
});

const full = (changes: Partial<Allow>) => [
  allow("early", 10, { nanos: 9, ...changes }),
  allow("late", 2000, { nanos: 9, end: "unknown" }),
];

test.for<[string, boolean, Partial<OrgHistory>]>([
  ["one that nobody settled", false, { allows: full({ end: "unknown" }) }],
  ["one that was settled", true, { allows: full({ end: "settled" }) }],
  ["one that becomes a run when it expires", true, { allows: full({ end: "charged" }) }],
  [
    "one whose run is there though its caller was killed",
    true,
    { allows: full({ reservation: "rsv_1", end: "unknown" }) },
  ],
])("after an allow has expired, %s takes room: %s", ([, takesRoom, change]) => {
  expect(kindsIn(withOrg({ runs: [], ...change })).includes("overspent limit")).toBe(takesRoom);
});

test("allows that are on their way together must fit together", () => {
  const together = (nanos: number) =>
    ["a", "b"].map((id, at) => allow(id, 10 + at, { nanos, answeredAt: 50 - at }));
  expect(kindsIn(withOrg({ runs: [], allows: together(5) }))).not.toContain("overspent limit");
  expect(kindsIn(withOrg({ runs: [], allows: together(6) }))).toContain("overspent limit");
});

test("a reservation that has expired need not be held", () => {
  const allows = [allow("rsv_1", 10), allow("rsv_2", 20, { end: "charged", heldUntil: 99 })];
  expect(kindsIn(withOrg({ allows, stored: { ...STORED, reservedNanos: 0 } }))).toEqual([]);
});
