import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  comparable,
  hasChangedNumber,
  parseExactly,
  rawText,
  writeRaw,
} from "../../../src/domain/text/raw-json.ts";

const throughMemory = (text: string) => writeRaw(JSON.stringify(parseExactly(text)));

describe("JSON is written as it was received", () => {
  test.for([
    '{"a":12345678901234567890}',
    '{"a":[1e400,-1e-400,9007199254740993]}',
    '{"a":0.10000000000000001,"b":0.30000000000000004}',
    '{"a":1e9}',
    '{"__proto__":{"constructor":1e999},"a":"{\\"\\\\ud800\\":\\"1\\"}"}',
    `{"a":${"9".repeat(400)}}`,
    '{"a":1e99999999999999999999}',
  ])("%s", (text) => {
    expect(throughMemory(text)).toBe(text);
  });

  test("with any strings, names and numbers", () => {
    // Minus zero is zero.
    const digits = fc
      .stringMatching(/^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?$/)
      .filter((number) => !/^-[0.]+(e|$)/i.test(number));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.jsonValue(), digits)), (parts) => {
        const fields = parts.map(([name, value, number], at) => {
          const names = [JSON.stringify(`${at}${name}`), JSON.stringify(`n${at}`)];
          return `${names[0]}:${JSON.stringify(value)},${names[1]}:${number}`;
        });
        const back = throughMemory(`{${fields.join(",")}}`);
        expect(numbersOf(back).map(comparable)).toEqual(numbersOf(`{${fields.join(",")}}`).map(comparable));
        expect(JSON.parse(back)).toEqual(JSON.parse(`{${fields.join(",")}}`));
      }),
    );
  });
});

function numbersOf(text: string): string[] {
  const found: string[] = [];
  const note = (_key: string, value: unknown, { source }: { source?: string }) => {
    if (typeof value === "number" && source !== undefined) found.push(source);
    return value;
  };
  JSON.parse(text, note as (key: string, value: unknown) => unknown);
  return found;
}

test("a number that a double writes unchanged is a plain number", () => {
  const text = '{"a":0.8414709848078965,"b":[1,-2.5,1763251200000],"c":"1e9,12345678901234567890"}';
  expect(parseExactly(text)).toEqual(JSON.parse(text));
  expect(hasChangedNumber('{"a":0.8414709848078965,"id":"3e4f-12345678901234567890"}')).toBe(false);
});

test("spellings of one number compare equal, and different numbers do not", () => {
  expect(comparable("1e2")).toBe(100);
  expect(comparable("1.0E400")).toEqual(comparable("10e399"));
  expect(comparable("12345678901234567890")).toEqual(comparable("1234567890123456789.0e1"));
  expect(comparable("9007199254740993")).not.toEqual(comparable("9007199254740992"));
  expect(rawText(comparable("1e-400"))).not.toBeNull();
});

test("hostile numbers take time linear in their length", () => {
  const long = 2_000_000;
  for (const text of [
    `{"a":${"1".repeat(long)}}`,
    `{"a":1${"0".repeat(long)}1}`,
    `{"a":0.${"0".repeat(long)}1e5}`,
  ]) {
    expect(throughMemory(text)).toBe(text);
  }
});
