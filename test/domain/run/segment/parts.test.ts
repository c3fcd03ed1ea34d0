import { expect, test } from "vitest";
import { ByteWriter } from "../../../../src/domain/bytes/byte-writer.ts";
import { readExtra } from "../../../../src/domain/run/segment/parts.ts";
import { writeTexts } from "../../../../src/domain/run/segment/texts.ts";

type Extra = Readonly<Record<string, unknown>> | null;

/** What is told of runs with these extras, by run. */
function told(extras: readonly Extra[]): Record<string, number | string>[] {
  const writer = new ByteWriter();
  const texts = extras.map((extra) => (extra === null ? null : JSON.stringify(extra)));
  writeTexts(writer, texts);
  const found: Record<string, number | string>[] = extras.map(() => ({}));
  readExtra(writer.view, extras.length, {
    part: (run, name, tokens) => Object.assign(found[run] ?? {}, { [name]: tokens }),
    saved: (run, nanos) => Object.assign(found[run] ?? {}, { saved: nanos }),
  });
  return found;
}

const PARTS = { cache_read: 12, reasoning: 3 };

test("parts and what was saved are told of each run that has them", () => {
  const extras = [
    { priced: 1, parts: PARTS },
    null,
    { priced: true, variant: "batch", parts: { cache_read: 7 }, saved: "12345678901234567890" },
    { saved: "9" },
    { variant: "batch" },
    { priced: 1, parts: PARTS, saved: "5", tags: { a: "b" } },
  ];
  expect(told(extras)).toEqual([
    PARTS,
    {},
    { cache_read: 7, saved: "12345678901234567890" },
    { saved: "9" },
    {},
    { ...PARTS, saved: "5" },
  ]);
});

test("what callers wrote is told of no run, however it looks", () => {
  const text = '"parts":{"cache_read":99},"saved":"99"';
  const metadata = { parts: { cache_read: 99 }, saved: "99", note: text };
  const extras = [
    { priced: 1, metadata },
    { tags: { a: text } },
    { variant: `x","parts":{"cache_read":99}` },
    { priced: 1, parts: PARTS, metadata },
    { saved: "4", metadata },
  ];
  expect(told(extras)).toEqual([{}, {}, {}, PARTS, { saved: "4" }]);
});

test("parts and what was saved are found behind other fields, too", () => {
  expect(told([{ other: 1, parts: PARTS }])).toEqual([PARTS]);
  expect(told([{ priced: 1, parts: PARTS, other: 1, saved: "6" }])).toEqual([{ ...PARTS, saved: "6" }]);
  expect(told([{ variant: 'quoted "x"', parts: PARTS, saved: "6" }])).toEqual([{ ...PARTS, saved: "6" }]);
});

test("runs without either cost one search", () => {
  expect(told([null, { variant: "batch" }])).toEqual([{}, {}]);
});
