import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "../../../src/domain/ulid.ts";
import {
  amountOf,
  endingLater,
  endsAt,
  idOf,
  LAST_REPORTED_MS,
  madeAt,
  madeAtLater,
  reportedHold,
  timeText,
  tokensOf,
  withId,
  withTokens,
} from "../../../src/gate/reported-hold.ts";
import { REPORTED_COLUMNS } from "../../../src/org/leases/reported-columns.ts";
import { jsonRows } from "../../../src/org/kernel/json-rows.ts";
import { rowsOf } from "../../support/rows.ts";
import { newOrg } from "../../support/worker.ts";

const moment = fc.integer({ min: 0, max: LAST_REPORTED_MS });
const amount = fc.nat(Number.MAX_SAFE_INTEGER);
const hold = fc.record({ at: moment, until: moment, amount });

test("a line is read back as it was written", () => {
  fc.assert(
    fc.property(hold, moment, amount, ({ at, until, amount: nanos }, later, tokens) => {
      const id = newId("rsv", at);
      const line = reportedHold({ id, at, expiresAt: until, nanos });
      expect([idOf(line), Number(madeAt(line)), Number(endsAt(line)), amountOf(line)]).toEqual([
        id,
        at,
        until,
        String(nanos),
      ]);
      const counted = withTokens(line, tokens);
      expect([amountOf(counted), tokensOf(counted), tokensOf(line)]).toEqual([String(nanos), tokens, 0]);
      expect(endingLater(counted, timeText(later))).toBe(
        withTokens(endingLater(line, timeText(later)), tokens),
      );
      const other = newId("rsv", at);
      expect(withId(line, other)).toBe(reportedHold({ id: other, at, expiresAt: until, nanos }));
      expect(madeAtLater(line, timeText(later))).toBe(
        reportedHold({ id, at: later, expiresAt: until, nanos }),
      );
      expect(endingLater(line, timeText(later))).toBe(reportedHold({ id, at, expiresAt: later, nanos }));
    }),
  );
});

test("times sort as texts", () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      expect(timeText(one) < timeText(other)).toBe(one < other);
    }),
  );
});

test("the database reads the same from a line", async () => {
  const org = await newOrg();
  const id = newId("rsv", Date.now());
  const line = reportedHold({ id, at: 7, expiresAt: LAST_REPORTED_MS, nanos: 1_250_000 });
  const { at, expiresAt, amount: nanos, tokens } = REPORTED_COLUMNS;
  const rows = await rowsOf(
    org.id,
    `SELECT ${REPORTED_COLUMNS.id} AS id, CAST(${at} AS INTEGER) AS at, CAST(${expiresAt} AS INTEGER) AS until,
       ${nanos} AS amount, ${tokens} AS tokens FROM ${jsonRows()}`,
    JSON.stringify([line, withTokens(line, 4096)]),
  );
  const read = { id, at: 7, until: LAST_REPORTED_MS, amount: "1250000" };
  expect(rows).toEqual([
    { ...read, tokens: 0 },
    { ...read, tokens: 4096 },
  ]);
});
