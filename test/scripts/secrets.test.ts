import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepPepper, localSecrets } from "../../scripts/secrets.ts";
import { temporaryFolder } from "../support/folder.ts";

const NAMES = ["SVC_KEY_PEPPER", "SVC_OPERATOR_KEY"];

test("secrets are created once, differ between folders, and are readable by their owner only", () => {
  const file = join(temporaryFolder(), "secrets.env");
  const first = localSecrets(file, NAMES, {});
  expect(first["SVC_KEY_PEPPER"]).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(first["SVC_OPERATOR_KEY"]).toMatch(/^svc_operator_[0-9A-Za-z]{43}$/);
  expect(localSecrets(file, NAMES, {})).toEqual(first);
  expect(localSecrets(join(temporaryFolder(), "secrets.env"), NAMES, {})).not.toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a secret in the environment takes precedence, and is not written down", () => {
  const file = join(temporaryFolder(), "secrets.env");
  const mine = localSecrets(file, NAMES, { SVC_OPERATOR_KEY: "from-the-environment" });
  expect(mine["SVC_OPERATOR_KEY"]).toBe("from-the-environment");
  expect(readFileSync(file, "utf8")).not.toContain("from-the-environment");
  expect(localSecrets(file, NAMES, {})["SVC_KEY_PEPPER"]).toBe(mine["SVC_KEY_PEPPER"]);
});

test("a secret that is added later leaves the others unchanged", () => {
  const file = join(temporaryFolder(), "secrets.env");
  const before = localSecrets(file, NAMES, {});
  const after = localSecrets(file, [...NAMES, "SVC_LATER"], {});
  expect(after).toMatchObject(before);
  expect(after["SVC_LATER"]).toHaveLength(43);
});

test("a folder is refused with another pepper than its first one, and stores neither", () => {
  const file = join(temporaryFolder(), "pepper.mark");
  keepPepper(file, "the first pepper");
  keepPepper(file, "the first pepper");
  expect(() => keepPepper(file, "another pepper")).toThrow(/a different SVC_KEY_PEPPER/);
  expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{64}$/);
});

test("a folder accepts a new pepper beside its own, and alone from then on", () => {
  const file = join(temporaryFolder(), "pepper.mark");
  keepPepper(file, "the first pepper");
  expect(() => keepPepper(file, "a stranger", "another stranger")).toThrow(/a different SVC_KEY_PEPPER/);
  keepPepper(file, "the second pepper", "the first pepper");
  keepPepper(file, "the second pepper");
  expect(() => keepPepper(file, "the first pepper")).toThrow(/a different SVC_KEY_PEPPER/);
});
