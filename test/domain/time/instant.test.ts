import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantOf } from "../../../src/domain/time/instant.ts";

const moment = fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true });
const written = fc.oneof(
  moment.map((date) => date.toISOString()),
  moment.map((date) => date.toISOString().replace(/\.\d+Z/, "Z")),
  moment.map((date) => date.toISOString().replace("Z", "456Z")),
  moment.map((date) => date.toISOString().replace("Z", "+02:00")),
  moment.map((date) => date.toISOString().replace(/\d\dZ/, "Z")),
);

test("a timestamp is parsed as the platform does, whatever was parsed before", () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 20 }), (texts) => {
      expect(texts.map(instantOf)).toEqual(texts.map((text) => Date.parse(text)));
    }),
  );
});

test("times within one second are distinguished", () => {
  expect(instantOf("2026-11-15T12:00:00.001Z") - instantOf("2026-11-15T12:00:00.000Z")).toBe(1);
  expect(instantOf("2026-11-15T12:00:00.999Z") - instantOf("2026-11-15T11:59:59.999Z")).toBe(1000);
});
