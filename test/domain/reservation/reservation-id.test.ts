import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeyedHash } from "../../../src/domain/bytes/keyed-hash.ts";
import { fingerprintOf } from "../../../src/gate/decision/request-fingerprint.ts";
import {
  hasSameFingerprint,
  isSameRequest,
  reservationTime,
  ReservationIds,
} from "../../../src/domain/reservation/reservation-id.ts";

const PEPPER = "p".repeat(32);
const ids = new ReservationIds(PEPPER, "org_A");
const NOW = Date.parse("2026-11-15T08:00:00Z");
const SHAPE = /^rsv_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const moment = fc.integer({ min: 0, max: 2 ** 45 });
const requestId = fc.string({ minLength: 1, maxLength: 128 });
const fingerprint = fc.string({ maxLength: 300 });

test("the hash is HalfSipHash-2-4, by its published vectors", () => {
  const hash = new KeyedHash([0x03020100, 0x07060504]);
  const bytes = (words: number[]) => {
    const [low, high] = hash.of(words);
    const out = Buffer.alloc(8);
    out.writeInt32LE(low, 0);
    out.writeInt32LE(high, 4);
    return out.toString("hex");
  };
  expect(bytes([])).toBe("218d1f59b9b83cc8");
  expect(bytes([0x03020100])).toBe("d5e78a175be52ea1");
  expect(bytes([0x03020100, 0x07060504])).toBe("edfee820bce4858c");
  expect(bytes([0x03020100, 0x07060504, 0x0b0a0908])).toBe("7bc71f9faef5c799");
});

test("every id is a ULID that its own org recognizes and can decode", () => {
  fc.assert(
    fc.property(moment, requestId, fingerprint, (at, request, asked) => {
      const [timed, named] = [ids.newId(at), ids.idOf(request, asked, at)];
      expect([SHAPE.test(timed), SHAPE.test(named)]).toEqual([true, true]);
      expect([ids.originOf(timed, at), reservationTime(timed)]).toEqual(["time", at]);
      expect(ids.originOf(named, at)).toBe("request");
    }),
  );
});

test("ids of another org, or under another pepper, were never given out", () => {
  for (const other of [new ReservationIds(PEPPER, "org_B"), new ReservationIds("q".repeat(32), "org_A")]) {
    for (const id of [other.newId(NOW), other.idOf("q", "?", NOW)]) expect(ids.originOf(id, NOW)).toBeNull();
  }
});

test("an id with any one character changed was never given out", () => {
  const place = fc.integer({ min: 4, max: 29 });
  const letter = fc.constantFrom(...LETTERS.split(""));
  fc.assert(
    fc.property(fc.boolean(), place, letter, (isTimed, at, to) => {
      const id = isTimed ? ids.newId(NOW) : ids.idOf("q", "?", NOW);
      const forged = id.slice(0, at) + to + id.slice(at + 1);
      expect(ids.originOf(forged, NOW)).toBe(forged === id ? (isTimed ? "time" : "request") : null);
    }),
    { numRuns: 2000 },
  );
});

test("a text that is not an id was never given out", () => {
  for (const id of ["", "rsv_", "rsv_1", "dec_01KA4K21VKVJDT25E6F6P1486T", `${ids.newId(1)}0`]) {
    expect(ids.originOf(id, NOW)).toBeNull();
  }
});

test("a fingerprint of a request has one id everywhere; another fingerprint of it has another id", () => {
  const elsewhere = new ReservationIds(PEPPER, "org_A");
  fc.assert(
    fc.property(requestId, fingerprint, fingerprint, (request, asked, other) => {
      const id = ids.idOf(request, asked, NOW);
      expect(elsewhere.idOf(request, asked, NOW)).toBe(id);
      expect(ids.idOf(request, other, NOW) === id).toBe(asked === other);
      expect(isSameRequest(ids.idOf(request, other, NOW), id)).toBe(true);
    }),
  );
  expect(isSameRequest(ids.idOf("a", "?", NOW), ids.idOf("b", "?", NOW))).toBe(false);
});

test("ids of one request differ in their fingerprint and check alone", () => {
  const id = ids.idOf("request", "?", NOW);
  for (let at = 0; at < id.length; at += 1) {
    const other = id.slice(0, at) + (id[at] === "Z" ? "Y" : "Z") + id.slice(at + 1);
    const isOfRequest = (at >= 11 && at < 14) || at >= 20;
    expect(isSameRequest(other, id)).toBe(!isOfRequest);
  }
  expect(isSameRequest(`${id}0`, id)).toBe(false);
});

test("the id of a request is recognized for half a day after it was made, and not after a day", () => {
  const hour = 3_600_000;
  fc.assert(
    fc.property(
      requestId,
      fingerprint,
      moment,
      fc.integer({ min: 0, max: 100 * hour }),
      (request, asked, at, after) => {
        const id = ids.idOf(request, asked, at);
        const origin = ids.originOf(id, at + after);
        if (after <= 12 * hour) expect(origin).toBe("request");
        if (after >= 24 * hour) expect(origin).toBeNull();
        expect(hasSameFingerprint(ids.idOf(request, asked, at + after), id)).toBe(true);
        expect(hasSameFingerprint(ids.idOf(request, `${asked}?`, at + after), id)).toBe(false);
      },
    ),
  );
});

test("an id whose check covers no time is not one", () => {
  const name = ids.nameOf("q", "?");
  const unchecked = "rsv_0W2GXEJ7E830X0RDRH5BR88DT2";
  expect(ids.originOf(unchecked, NOW)).toBeNull();
  expect(hasSameFingerprint(unchecked, ids.dated(name, NOW))).toBe(true);
});

test("a fingerprint keeps its id from version to version: a request may be asked again across an update", () => {
  const asked = fingerprintOf({
    customer_id: "c",
    model: "mé",
    workflow_id: "w",
    variant: "v",
    department_id: 'd"',
    hold_seconds: 60,
    deployment_id: "e",
    action: "a",
    estimate: { max_output_tokens: 3, cost_usd: "1" },
  });
  const at = Date.UTC(2026, 6, 22);
  expect(ids.idOf("req_1", asked, at)).toBe("rsv_259S8C4VTMYK4TVZQN9Q1TAG2J");
  expect(ids.idOf("r", "odd", at)).toBe("rsv_5D9V9PGQ1GGJ84T2322H2S4HTZ");
  expect(ids.idOf("\u{1f600}", "x".repeat(5000), at)).toBe("rsv_35PSPTWZCRTBAAJ4ED7KDB01KN");
});

test("the same fingerprint under two requests has nothing in common", () => {
  const marks = new Set<string>();
  for (let request = 0; request < 1000; request += 1)
    marks.add(ids.idOf(`q${request}`, "?", NOW).slice(4, 11));
  expect(marks.size).toBe(1000);
});
