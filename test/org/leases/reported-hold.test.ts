import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import {
  amountOf,
  withEnd,
  endsAt,
  idOf,
  LAST_REPORTED_MS,
  holdTime,
  withMadeAt,
  holdLine,
  timeText,
  tokensOf,
  withId,
  withTokens,
} from "../../../src/gate/report/hold-line.ts";

const moment = fc.integer({ min: 0, max: LAST_REPORTED_MS });
const amount = fc.nat(Number.MAX_SAFE_INTEGER);
const hold = fc.record({ at: moment, until: moment, amount });

test("a line is read back as it was written", () => {
  fc.assert(
    fc.property(hold, moment, amount, ({ at, until, amount: nanos }, later, tokens) => {
      const id = newId("rsv", at);
      const line = holdLine({ id, at, expiresAt: until, nanos });
      expect([idOf(line), Number(holdTime(line)), Number(endsAt(line)), amountOf(line)]).toEqual([
        id,
        at,
        until,
        String(nanos),
      ]);
      const counted = withTokens(line, tokens);
      expect([amountOf(counted), tokensOf(counted), tokensOf(line)]).toEqual([String(nanos), tokens, 0]);
      expect(withEnd(counted, timeText(later))).toBe(withTokens(withEnd(line, timeText(later)), tokens));
      const other = newId("rsv", at);
      expect(withId(line, other)).toBe(holdLine({ id: other, at, expiresAt: until, nanos }));
      expect(withMadeAt(line, timeText(later))).toBe(holdLine({ id, at: later, expiresAt: until, nanos }));
      expect(withEnd(line, timeText(later))).toBe(holdLine({ id, at, expiresAt: later, nanos }));
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
