/**
 * `npm run freeze [-- --yes]`: adds newly published facts to the frozen contract, and new schema steps to the frozen list. It
 * never removes anything. Shows who may call more or less than before, and asks before it opens anything.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CONTRACTS } from "../src/operations.ts";
import { SETTING_NAMES } from "../src/settings.ts";
import { agrees } from "./agrees.ts";
import { Complaint, run } from "./complaint.ts";
import { type Access, accessChanges, publishedAccess } from "./frozen-contract/access.ts";
import { brokenPromises } from "./frozen-contract/compare.ts";
import { type Manifest, manifestText, publishedFacts } from "./frozen-contract/published.ts";
import {
  changedSteps,
  type StepDigests,
  stepDigests,
  unlistedSteps,
} from "./frozen-contract/schema-steps.ts";
import { ROOT } from "./worker-config.ts";

const FILE = join(ROOT, "test/contract/manifest.json");
const STEPS_FILE = join(ROOT, "test/contract/schema-steps.json");

await run(async () => {
  const { values } = parseArgs({ options: { yes: { type: "boolean", default: false } } });
  freezeSteps();
  const frozen = JSON.parse(readFileSync(FILE, "utf8")) as Manifest;
  const facts = publishedFacts(CONTRACTS);
  const broken = brokenPromises(frozen.facts, facts);
  if (broken.length > 0) {
    throw new Complaint(`/v1 is frozen; nothing may be removed or change meaning:\n${broken.join("\n")}`);
  }
  const access = publishedAccess(CONTRACTS);
  const opened = showAccess(frozen.access, access);
  if (opened > 0 && !values.yes && !(await agrees(`Open ${opened} as shown? [y/N] `))) {
    throw new Complaint("the contract was not frozen");
  }
  writeFileSync(FILE, manifestText({ settings: SETTING_NAMES, access, facts }));
  const added = Object.keys(facts).length - Object.keys(frozen.facts).length;
  console.log(`Froze ${Object.keys(facts).length} facts, ${added} of them new.`);
  if (added > 0) console.log("Say what is new for callers under [Unreleased] in CHANGELOG.md.");
});

/** Returns how many operations and roles are opened. */
function showAccess(frozen: Access, current: Access): number {
  const { added, narrowed, opened } = accessChanges(frozen, current);
  for (const [what, changes] of Object.entries({ New: added, Narrowed: narrowed, OPENED: opened }))
    for (const change of changes) console.log(`${what}: ${change}`);
  return opened.length;
}

function freezeSteps(): void {
  const frozen = JSON.parse(readFileSync(STEPS_FILE, "utf8")) as StepDigests;
  const current = stepDigests(join(ROOT, "migrations"));
  const changed = changedSteps(frozen, current);
  if (changed.length > 0) throw new Complaint(`schema steps must not change:\n${changed.join("\n")}`);
  writeFileSync(STEPS_FILE, `${JSON.stringify(current, null, 2)}\n`);
  console.log(`Froze ${unlistedSteps(frozen, current).length} new schema steps.`);
}
