/**
 * `npm run freeze`: adds newly published facts to the frozen contract, and new schema steps to the frozen list. It
 * never removes anything.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../src/operations.ts";
import { SETTING_NAMES } from "../src/settings.ts";
import { Complaint, run } from "./complaint.ts";
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

await run(() => {
  freezeSteps();
  const frozen = JSON.parse(readFileSync(FILE, "utf8")) as Manifest;
  const facts = publishedFacts(OPERATIONS.map((operation) => operation.contract));
  const broken = brokenPromises(frozen.facts, facts);
  if (broken.length > 0) {
    throw new Complaint(`/v1 is frozen; nothing may be removed or change meaning:\n${broken.join("\n")}`);
  }
  writeFileSync(FILE, manifestText({ settings: SETTING_NAMES, facts }));
  const added = Object.keys(facts).length - Object.keys(frozen.facts).length;
  console.log(`Froze ${Object.keys(facts).length} facts, ${added} of them new.`);
  if (added > 0) console.log("Say what is new for callers under [Unreleased] in CHANGELOG.md.");
});

function freezeSteps(): void {
  const frozen = JSON.parse(readFileSync(STEPS_FILE, "utf8")) as StepDigests;
  const current = stepDigests(join(ROOT, "migrations"));
  const changed = changedSteps(frozen, current);
  if (changed.length > 0) throw new Complaint(`schema steps must not change:\n${changed.join("\n")}`);
  writeFileSync(STEPS_FILE, `${JSON.stringify(current, null, 2)}\n`);
  console.log(`Froze ${unlistedSteps(frozen, current).length} new schema steps.`);
}
