import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import ledger from "../../../releases.json" with { type: "json" };
import { publishedAccess } from "../../../scripts/frozen-contract/access.ts";
import { brokenPromises } from "../../../scripts/frozen-contract/compare.ts";
import type { Facts } from "../../../scripts/frozen-contract/facts.ts";
import { publishedFacts } from "../../../scripts/frozen-contract/published.ts";
import { parseChangelog } from "../../../scripts/release-ledger/changelog.ts";
import { publishedFindings } from "../../../scripts/release-ledger/check.ts";
import { unreleasedFindings } from "../../../scripts/release-ledger/contract.ts";
import { CONTRACTS } from "../../../src/operations.ts";
import { DEPRECATED_ROUTES, DEPRECATED_SURFACES, operationName } from "../../../src/contract/deprecations.ts";
import { routeOf } from "../../../src/contract/operation.ts";
import { SETTING_NAMES } from "../../../src/settings.ts";
import manifest from "../../contract/manifest.json" with { type: "json" };

const frozen = manifest.facts as Facts;

test("nothing in the frozen contract is removed or changes meaning", () => {
  const current = publishedFacts(CONTRACTS);
  expect(brokenPromises(frozen, current)).toEqual([]);
});

test("a removed operation is reported with everything it promised", () => {
  const [taken, ...rest] = CONTRACTS.filter((contract) => frozen[routeOf(contract)] !== undefined);
  if (taken === undefined) throw new Error("no operation is frozen");
  const missed = brokenPromises(frozen, publishedFacts(rest)).filter((finding) =>
    finding.startsWith(routeOf(taken)),
  );
  const promised = Object.keys(frozen).filter((name) => `${name} `.startsWith(`${routeOf(taken)} `));
  expect(missed).toEqual(promised.map((name) => `${name}: gone`));
});

test("the code signals what the release ledger announced, and no setting is removed without a release", () => {
  const published = DEPRECATED_ROUTES.map((route) => ({ ...route, surface: operationName(route) }));
  const settings = { frozen: manifest.settings, current: SETTING_NAMES };
  expect(publishedFindings(ledger.releases, [...published, ...DEPRECATED_SURFACES], settings)).toEqual([]);
});

test("changes since the last release have a changelog line, frozen or not", () => {
  const contract = {
    settings: SETTING_NAMES,
    access: publishedAccess(CONTRACTS),
    facts: publishedFacts(CONTRACTS),
  };
  const changelog = parseChangelog(readFileSync("CHANGELOG.md", "utf8"));
  expect(unreleasedFindings(ledger.releases, changelog, contract)).toEqual([]);
});
