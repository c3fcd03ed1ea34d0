import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DATED_MS, fingerprintPart, ReservationIds } from "../../../src/domain/reservation/reservation-id.ts";
import { SettledRequests } from "../../../src/domain/reservation/settled-requests.ts";

const ids = new ReservationIds("p".repeat(32), "org_A");
const NOW = Date.parse("2026-11-15T08:00:00Z");

/** Few requests and fingerprints, in several half days, so that many ids are of one fingerprint or one request. */
const named = fc
  .record({
    request: fc.constantFrom("a", "b", "c"),
    fingerprint: fc.constantFrom("x", "y"),
    day: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ request, fingerprint, day }) => ids.idOf(request, fingerprint, NOW + day * DATED_MS));
const timed = fc.integer({ min: 0, max: 3 }).map((at) => ids.newId(NOW + at));
/** Another id that ends like a given one. */
const alike = fc.tuple(named, timed).map(([one, other]) => other.slice(0, 24) + one.slice(24));
const id = fc.oneof({ weight: 3, arbitrary: named }, timed, alike);

test("a fingerprint is settled if an id with the same parts is, whatever its check and its request's number", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 12 }), fc.array(id, { maxLength: 12 }), (settled, asked) => {
      const settledRequests = new SettledRequests();
      const parts = new Set<string>();
      for (const one of settled) {
        settledRequests.add(one);
        parts.add(fingerprintPart(one));
      }
      for (const one of [...settled, ...asked])
        expect(settledRequests.has(one)).toBe(parts.has(fingerprintPart(one)));
    }),
    { numRuns: 2000 },
  );
});
