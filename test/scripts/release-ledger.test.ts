import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import ledger from "../../releases.json" with { type: "json" };
import { parseChangelog } from "../../scripts/release-ledger/changelog.ts";
import {
  ledgerFindings,
  publishedFindings,
  type Published,
  type Release,
} from "../../scripts/release-ledger/check.ts";
import { contractDigest, unreleasedFindings } from "../../scripts/release-ledger/contract.ts";
import type { Manifest } from "../../scripts/frozen-contract/published.ts";
import { DEPRECATED_ROUTES, DEPRECATED_SURFACES, operationName } from "../../src/contract/deprecations.ts";
import manifest from "../contract/manifest.json" with { type: "json" };

const changelogText = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const published: Published[] = [
  ...DEPRECATED_ROUTES.map((route) => ({
    surface: operationName(route),
    since: route.since,
    sunset: route.sunset,
  })),
  ...DEPRECATED_SURFACES,
];

const SETTING = "SVC_READ_LIMIT_PER_MINUTE";
const DELIVERIES = "X-Svc-Signature: v1=...";
const FORECAST = "GET /v1/forecast";
const WEBHOOK_SUNSET = "Fri, 31 Dec 2027 23:59:59 GMT";

/** The real ledger with planted releases after it, and the real changelog with planted lines. */
function findings(planted: readonly Release[], lines = ""): string[] {
  return ledgerFindings([...ledger.releases, ...planted], parseChangelog(`${changelogText}\n${lines}`));
}

function release(version: string, date: string, what: Partial<Release> = {}): Release {
  return { version, date, deprecates: [], removes: [], ...what };
}

function removalOf(surface: string, version: string): string {
  return `## [${version}]\n### Removed\n- \`${surface}\`: gone\n`;
}

describe("the ledger of this repository", () => {
  test("is in sequence and has its changelog lines", () => {
    expect(findings([])).toEqual([]);
  });

  test("announces exactly what the code signals, with the same dates", () => {
    expect(publishedFindings(ledger.releases, published, { frozen: [SETTING], current: [SETTING] })).toEqual(
      [],
    );
    expect(published).toHaveLength(5);
  });
});

describe("a planted setting", () => {
  const removal = { removes: [SETTING] };

  test("removed in the next release fails the check", () => {
    const planted = [release("1.1.0", "2026-09-01", removal)];
    expect(findings(planted, removalOf(SETTING, "1.1.0"))).toEqual([
      `${SETTING}: removed in 1.1.0, before two releases of notice`,
    ]);
  });

  test("removed in the release after the next one passes", () => {
    const planted = [release("1.1.0", "2026-09-01"), release("1.2.0", "2026-10-01", removal)];
    expect(findings(planted, removalOf(SETTING, "1.2.0"))).toEqual([]);
  });

  test("removed without a changelog line fails the check", () => {
    const planted = [release("1.1.0", "2026-09-01"), release("1.2.0", "2026-10-01", removal)];
    expect(findings(planted)).toEqual([`${SETTING}: the changelog of 1.2.0 has no line for its removal`]);
  });

  test("removed without ever being deprecated fails the check", () => {
    const planted = [release("1.1.0", "2026-09-01", { removes: ["SVC_REGION"] })];
    expect(findings(planted, removalOf("SVC_REGION", "1.1.0"))).toEqual([
      "SVC_REGION: removed in 1.1.0 without being deprecated first",
    ]);
  });

  test("that is missing from the code without a release that removes it fails the check", () => {
    expect(
      publishedFindings(ledger.releases, published, { frozen: [SETTING, "SVC_REGION"], current: [SETTING] }),
    ).toEqual(["SVC_REGION: this setting is gone, but no release removed it"]);
  });
});

function again(sunset: string) {
  return { deprecates: [{ surface: FORECAST, class: "api", sunset }] };
}

function lineOf(sunset: string): string {
  return `## [1.1.0]\n### Deprecated\n- \`${FORECAST}\`: sunset ${sunset}\n`;
}

describe("a planted sunset", () => {
  test("that moves earlier in the ledger fails the check", () => {
    const earlier = "Wed, 31 Dec 2036 23:59:58 GMT";
    expect(findings([release("1.1.0", "2026-09-01", again(earlier))], lineOf(earlier))).toEqual([
      `${FORECAST}: its published sunset Wed, 31 Dec 2036 23:59:59 GMT moved earlier, to ${earlier}`,
    ]);
  });

  test("that moves later passes", () => {
    const later = "Thu, 31 Dec 2037 23:59:59 GMT";
    expect(findings([release("1.1.0", "2026-09-01", again(later))], lineOf(later))).toEqual([]);
  });

  test("that moves only in the code fails the check", () => {
    const moved = published.map((one) =>
      one.surface === FORECAST ? { ...one, sunset: "Tue, 01 Jan 2030 00:00:00 GMT" } : one,
    );
    expect(publishedFindings(ledger.releases, moved, { frozen: [], current: [] })).toEqual([
      `${FORECAST}: sunset Wed, 31 Dec 2036 23:59:59 GMT announced, Tue, 01 Jan 2030 00:00:00 GMT in the code`,
    ]);
  });

  test("that is not an HTTP-date fails the check", () => {
    expect(findings([release("1.1.0", "2026-09-01", again("2037-12-31"))])).toEqual([
      `${FORECAST}: needs a sunset as an HTTP-date`,
    ]);
  });
});

describe("a planted deprecation", () => {
  const deprecates = [{ surface: "GET /v1/x", class: "api", sunset: WEBHOOK_SUNSET }];

  test("without a changelog line fails the check", () => {
    expect(findings([release("1.1.0", "2026-09-01", { deprecates })])).toEqual([
      "GET /v1/x: the changelog of 1.1.0 has no line for its deprecation",
    ]);
  });

  test("whose changelog line has no sunset fails the check", () => {
    const lines = "## [1.1.0]\n### Deprecated\n- `GET /v1/x`: use y\n";
    expect(findings([release("1.1.0", "2026-09-01", { deprecates })], lines)).toEqual([
      `GET /v1/x: its changelog line does not name the sunset ${WEBHOOK_SUNSET}`,
    ]);
  });

  test("in the code that no release announced, or announced and not signalled, fails the check", () => {
    const settings = { frozen: [], current: [] };
    const extra = { surface: "GET /v1/x", since: "2026-09-01", sunset: WEBHOOK_SUNSET };
    expect(publishedFindings(ledger.releases, [...published, extra], settings)).toEqual([
      "GET /v1/x: deprecated in the code, but no release announced it",
    ]);
    const fewer = published.filter(({ surface }) => surface !== FORECAST);
    expect(publishedFindings(ledger.releases, fewer, settings)).toEqual([
      `${FORECAST}: announced as deprecated, but the code does not signal it`,
    ]);
  });
});

describe("a planted removal", () => {
  test("of anything in /v1 fails the check, however late", () => {
    const planted = [release("9.0.0", "2040-01-01", { removes: [FORECAST] })];
    expect(findings(planted, removalOf(FORECAST, "9.0.0"))).toEqual([
      `${FORECAST}: nothing may be removed from /v1`,
    ]);
  });

  test("of the v1 event shapes fails before their sunset and passes after it", () => {
    const removal = { removes: [DELIVERIES] };
    expect(findings([release("2.0.0", "2027-12-31", removal)], removalOf(DELIVERIES, "2.0.0"))).toEqual([
      `${DELIVERIES}: removed in 2.0.0, before its sunset ${WEBHOOK_SUNSET}`,
    ]);
    expect(findings([release("2.0.0", "2028-01-01", removal)], removalOf(DELIVERIES, "2.0.0"))).toEqual([]);
  });
});

test("releases that go back in version or time fail the check", () => {
  expect(findings([release("0.9.0", "2026-09-01")])).toEqual(["0.9.0: not a later version than 1.0.0"]);
  expect(findings([release("1.10.0", "2026-07-21")])).toEqual(["1.10.0: dated before 1.0.0"]);
  expect(findings([release("1.2.0", "2026-09-01"), release("1.10.0", "2026-09-02")])).toEqual([]);
});

describe("a contract that changed since the last release", () => {
  const contract = manifest as Manifest;
  const released = (of: Manifest) => [release("1.1.0", "2026-09-01", { contract: contractDigest(of) })];
  const grown: Manifest = { ...contract, facts: { ...contract.facts, "GET /v1/x": { side: "is" } } };
  const line = parseChangelog("## [Unreleased]\n### Added\n- `GET /v1/x`\n## [1.1.0]\n");
  const none = parseChangelog("## [Unreleased]\n### Added\n\n## [1.1.0]\n### Added\n- something else\n");

  test("has a changelog line in this repository", () => {
    expect(unreleasedFindings(ledger.releases, parseChangelog(changelogText), contract)).toEqual([]);
  });

  test("fails the check while Unreleased is empty or missing, and passes with a line", () => {
    const finding = [expect.stringMatching(/^the contract changed since 1\.1\.0, .*add a line/)];
    expect(unreleasedFindings(released(contract), none, grown)).toEqual(finding);
    expect(unreleasedFindings(released(contract), parseChangelog("## [1.1.0]\n"), grown)).toEqual(finding);
    expect(unreleasedFindings(released(contract), line, grown)).toEqual([]);
  });

  test("fails the check when somebody may call more or less", () => {
    const { roles, operations } = contract.access;
    const opened = { ...operations, "GET /v1/orgs/{id}": { role: "anyone" } as const };
    for (const access of [
      { roles, operations: opened },
      { roles: { ...roles, viewer: roles.owner }, operations },
    ]) {
      expect(unreleasedFindings(released(contract), none, { ...contract, access })).toHaveLength(1);
    }
  });

  test("fails the check when a setting or the meaning of a fact changed", () => {
    const setting: Manifest = { ...contract, settings: [...contract.settings, "SVC_X"] };
    expect(unreleasedFindings(released(contract), none, setting)).toHaveLength(1);
    const other: Manifest = { ...grown, facts: { ...grown.facts, "GET /v1/x": { side: "in" } } };
    expect(unreleasedFindings(released(grown), none, other)).toHaveLength(1);
  });

  test("is distinguished from one that is only listed in another order", () => {
    const facts = Object.fromEntries(Object.entries(grown.facts).toReversed());
    const reordered: Manifest = {
      access: contract.access,
      settings: contract.settings.toReversed(),
      facts,
    };
    expect(unreleasedFindings(released(grown), none, reordered)).toEqual([]);
  });

  test("is compared with the last release, which must record its contract", () => {
    const [first] = released(contract);
    const second = release("1.2.0", "2026-10-01");
    expect(unreleasedFindings([first ?? second, second], line, contract)).toEqual([
      `1.2.0: add "contract": "${contractDigest(contract)}", the digest of its contract, to releases.json`,
    ]);
  });
});
