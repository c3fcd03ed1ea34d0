import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/cli/command.ts";
import { SettingsFile } from "../../src/cli/yaml-file.ts";
import { sluiceCommand } from "../support/sluice-command.ts";

const reasonOf = (text: string): string => {
  try {
    const file = new SettingsFile("f.yaml", text);
    return `accepted: ${JSON.stringify(file.value).slice(0, 40)}`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
};

/** A list of lists of lists, each of ten of the one before: ten to the power of nine values from ten lines. */
const BOMB = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(10)}]`),
].join("\n");

describe("a file of settings", () => {
  test.each([
    ["a bomb of aliases", BOMB, /^f\.yaml:1: must have no anchors/],
    ["an alias", "a: 1\nb: *x", /^f\.yaml:2: must have no anchors/],
    ["a merge", "a: &x {b: 1}\nc: {<<: *x}", /^f\.yaml:1: must have no anchors/],
    ["a tag", "a: !!binary aGk=", /^f\.yaml:1: must have no tags/],
    ["brackets in brackets", `a: ${"[".repeat(60_000)}`, /nested deeper than 32/],
    ["braces in braces", `a: ${"{a: ".repeat(16_000)}`, /nested deeper than 32/],
    ["lists in lists on one line", `${"- ".repeat(30_000)}x`, /nested deeper than 32/],
    [
      "maps in maps, line by line",
      Array.from({ length: 400 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
      /indented by more than 200/,
    ],
    ["too many values", `a:\n${"- 1\n".repeat(200_001)}`, /has more than 200000 values/],
    ["a line too long", `a: [${"1,".repeat(40_000)}]`, /^f\.yaml:1: is longer than 65536 characters/],
    ["too many bytes", `a: "${"x".repeat(4 * 1024 * 1024)}"`, /is larger than 4194304 bytes/],
    ["nothing but lines", "\n".repeat(4 * 1024 * 1024 - 1), /has more than 250000 lines/],
    ["nothing but quotes", '""\n'.repeat(240_000), /neither fields nor items/],
    ["quotes that stay open", 'a: "x\n'.repeat(240_000), /more than 200000 values/],
    ["fields without names", ":\n".repeat(240_000), /more than 200000 values/],
    ["directives", "%\n".repeat(240_000), /^f\.yaml:1: must have no directives/],
    ["no YAML", 'budgets:\n  - name: "a', /^f\.yaml:2: is not YAML/],
    ["a field twice", "a:\n  b: 1\n  b: 2", /^f\.yaml:3: a\.b: is there twice/],
    ["a list", "- a", /must be a map/],
    ["a number that is none", "a: .nan", /a: must be a text, a number/],
    ["two documents", "a: 1\n---\na: 2", /^f\.yaml:\d: is not YAML/],
  ])("with %s is refused, at once", (_, text, reason) => {
    expect(reasonOf(text)).toMatch(reason);
  });

  test("may have stars and ampersands in its texts", () => {
    const text = 'a: "*"\nb: gpt-*\nc: x & y\nd: |\n  *a &b !c\n';
    expect(new SettingsFile("f", text).value).toEqual({ a: "*", b: "gpt-*", c: "x & y", d: "*a &b !c\n" });
  });

  test("has amounts exactly as they are written", () => {
    const text = "spend_cap: {cap_usd: 0.10000000000000000001}\nmodels: {m: {units: {u: 1.10}}}";
    expect(new SettingsFile("f", text).value).toEqual({
      spend_cap: { cap_usd: "0.10000000000000000001" },
      models: { m: { units: { u: "1.10" } } },
    });
  });

  test("never takes longer than its size, and never fails but as it says", () => {
    const pieces = [
      "- ",
      "a:",
      " ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&a",
      "*a",
      "!",
      '"',
      "'",
      "|",
      ">",
      "#",
      "x",
      "1",
      "? ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 200 }), (words) => {
        expect(typeof reasonOf(words.join(""))).toBe("string");
      }),
    );
  });

  test.each([
    ["badgets: []", "f.yaml:1: badgets: is not a section: there are spend_cap"],
    ["provider_keys:\n  openai:\n    secret: sk-123", "f.yaml:3: provider_keys.openai.secret: is a secret"],
    [
      "provider_keys:\n  openai:\n    secret: ${HOME}",
      "f.yaml:3: provider_keys.openai.secret: cannot name HOME",
    ],
    ["provider_keys:\n  openai:\n    secret: ${SLUICE_KEY}", "cannot name SLUICE_KEY"],
  ])("%s: says where and why, and sends nothing that changes", async (text, reason) => {
    // Nothing listens there: a file that is wrong by itself needs no service to say so.
    const at = {
      url: "http://127.0.0.1:9",
      key: "k",
      files: { "f.yaml": text },
      env: { HOME: "h", SLUICE_KEY: "k" },
    };
    const { code, error } = await sluiceCommand(["plan", "-f", "f.yaml"], at);
    expect([code, error]).toEqual([1, expect.stringContaining(reason)]);
  });
});
