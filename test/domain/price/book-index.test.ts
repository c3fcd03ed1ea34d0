import { expect, test } from "vitest";
import { BookIndex } from "../../../src/domain/price/book-index.ts";
import { anyPattern, namePattern } from "../../../src/domain/price/name-pattern.ts";

const known = (provider: string, fields: object = {}) => ({
  provider,
  names: [],
  models: [],
  fallbacks: [],
  hosts: false,
  ...fields,
});
const row = (model: string, provider: string | null, aliases: string[] = []) => ({
  model,
  provider,
  aliases,
});

test("a pattern has digits, any text and exclusions, and ignores upper case", () => {
  expect(["m-12", "m-1x", "m-123"].map(namePattern("M-##"))).toEqual([true, false, false]);
  expect(["a-b-c", "abc", "a-c-b", "ab-c"].map(namePattern("a*b*c"))).toEqual([true, true, false, true]);
  expect(["ab", "a", "aa"].map(namePattern("a*a"))).toEqual([false, false, true]);
  expect(["m-x", "m-x-tts", "m-tts-x"].map(anyPattern(["m-*", "!*-tts"]))).toEqual([true, false, true]);
});

test("the longest pattern decides, and two that are equally long decide nothing", () => {
  const index = new BookIndex([row("short", "p", ["m-*"]), row("long", "p", ["m-pro-*"])], []);
  expect(index.findAt("p", "m-pro-1")).toMatchObject({ model: "long", rule: "m-pro-*" });
  expect(index.findAt("p", "m-1")?.model).toBe("short");
  const unclear = new BookIndex([row("one", "p", ["m-*"]), row("other", "p", ["*-m"])], []);
  expect(unclear.findAt("p", "m-m")).toBeNull();
});

test("a row's own name is before an alias, and a name that two rows have as alias is neither's", () => {
  const index = new BookIndex([row("a", "p", ["b", "c"]), row("b", "p", ["c"])], []);
  expect(index.findAt("p", "b")?.model).toBe("b");
  expect(index.findAt("p", "c")).toBeNull();
});

test("a host's rows need the host, and a maker's patterns need no provider if it claims the name", () => {
  const index = new BookIndex(
    [row("h/m", "h", ["m-x"]), row("k", "maker", ["k-*"])],
    [known("h", { hosts: true }), known("maker", { models: ["k*"] })],
  );
  expect([index.find("m"), index.find("m-x")]).toEqual([null, null]);
  expect(index.find("h/m-x")).toMatchObject({ model: "h/m", matchedBy: "model" });
  expect(index.find("k-2")).toMatchObject({ model: "k", matchedBy: "model_rule", rule: "k-*" });
});

test("a provider falls back only to those that it names, after its own rows", () => {
  const rows = [row("m", "maker"), row("cloud/m", "cloud"), row("n", "maker"), row("o", "other")];
  const index = new BookIndex(rows, [known("cloud", { hosts: true, fallbacks: ["maker"] })]);
  const found = ["m", "n", "o"].map((model) => index.findAt("cloud", model)?.model ?? null);
  expect(found).toEqual(["cloud/m", "n", null]);
});

test("a date without hyphens is also looked for with them, and a fine-tuned name by its base", () => {
  const index = new BookIndex([row("m-2026-01-31", "p"), row("ft:m", "p")], []);
  expect(index.findAt("p", "m-20260131")?.model).toBe("m-2026-01-31");
  expect(index.findAt("p", "ft:m:acme::1")?.model).toBe("ft:m");
  expect(index.find("ft:m:acme::1")?.model).toBe("ft:m");
});

test("a fine-tuned name is found by patterns for such names, with its provider and without, and never by its base's", () => {
  const index = new BookIndex(
    [
      row("m", "p", ["m-*", "*m-2026*"]),
      row("ft:m", "p", ["ft:m-2026-*"]),
      row("n", "p", ["n-*", "*n-2026*"]),
      row("m.ft-", "p", ["m-2026-01-31.ft-*"]),
    ],
    [known("p", { models: ["m*", "n*"] }), known("cloud", { hosts: true, fallbacks: ["p"] })],
  );
  const modelsOf = (name: string) =>
    [index.find(name), index.findAt("p", name), index.findAt("cloud", name)].map(
      (found) => found?.model ?? null,
    );
  expect(modelsOf("m-2026-01-31")).toEqual(["m", "m", "m"]);
  for (const name of [
    "ft:m-2026-01-31:acme::1",
    "FT:M-2026-01-31:acme::1",
    "ft:m-2026-01-31:acme::1:ckpt-step-9",
  ])
    expect([name, modelsOf(name)]).toEqual([name, ["ft:m", "ft:m", "ft:m"]]);
  expect(modelsOf("m-2026-01-31.ft-1")).toEqual(["m.ft-", "m.ft-", "m.ft-"]);
  for (const name of [
    "ft:n-2026-01-31:acme::1",
    "p/ft:n-2026-01-31:acme::1",
    "x/ft:n-2026-01-31:acme::1",
    "n-2026-01-31.ft-1",
    "n-2026-01-31:ft-acme-2026",
  ])
    expect([name, modelsOf(name)]).toEqual([name, [null, null, null]]);
});

test("a dated fine-tuned name is found by an alias with its date left open", () => {
  const index = new BookIndex([row("ft:m", "p", ["ft:m-####-##-##"])], []);
  expect(index.find("ft:m-2026-01-31:acme::1")?.model).toBe("ft:m");
});
