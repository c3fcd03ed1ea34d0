import { createHash } from "node:crypto";
import type { Manifest } from "../frozen-contract/published.ts";
import type { Changelog } from "./changelog.ts";
import type { Release } from "./check.ts";

/** Identifies a contract by its settings, facts and who may call what, whatever their order. */
export function contractDigest({ settings, access, facts }: Manifest): string {
  return createHash("sha256")
    .update(
      JSON.stringify([settings.toSorted(), sorted(access.roles), sorted(access.operations), sorted(facts)]),
    )
    .digest("hex");
}

function sorted(entries: object): [string, unknown][] {
  return Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether a contract that differs from the last release has a changelog line. It needs no git history. */
export function unreleasedFindings(
  releases: readonly Release[],
  changelog: Changelog,
  contract: Manifest,
): string[] {
  const last = releases.at(-1);
  if (last === undefined) return ["the ledger has no release"];
  const digest = contractDigest(contract);
  if (last.contract === undefined) {
    return [`${last.version}: add "contract": "${digest}", the digest of its contract, to releases.json`];
  }
  const lines = [...(changelog.get("Unreleased")?.values() ?? [])].flat();
  if (last.contract === digest || lines.length > 0) return [];
  return [
    `the contract changed since ${last.version}, but [Unreleased] in CHANGELOG.md is empty: add a line. ` +
      `If ${last.version} is not deployed yet, set its "contract" in releases.json to "${digest}"`,
  ];
}
