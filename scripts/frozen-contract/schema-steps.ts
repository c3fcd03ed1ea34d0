import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ORG_STEPS } from "../../src/org/schema.ts";
import { COUNTER_STEPS, REGISTRY_STEPS } from "../../src/platform/object-steps.ts";

/** Each schema step, and a digest of what it does. */
export type StepDigests = Readonly<Record<string, string>>;

export function stepDigests(migrations: string): StepDigests {
  const files = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  return Object.fromEntries([
    ...files.sort().map((name) => [`d1 ${name}`, digest(readFileSync(join(migrations, name), "utf8"))]),
    ...ORG_STEPS.map(({ name, sql = "", fill }) => [`org ${name}`, digest(sql + (fill ? "\nfill" : ""))]),
    ...COUNTER_STEPS.map((sql, step) => [`counters ${step}`, digest(sql)]),
    ...REGISTRY_STEPS.map((sql, step) => [`registry ${step}`, digest(sql)]),
  ]);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** If a step changes, data that already went through it stays as it was, and nobody knows which schema it has. */
export function changedSteps(frozen: StepDigests, current: StepDigests): string[] {
  return Object.entries(frozen).flatMap(([name, before]) => {
    const now = current[name];
    if (now === undefined) return [`${name}: gone`];
    return now === before ? [] : [`${name}: changed; restore it and append a new step`];
  });
}

export function unlistedSteps(frozen: StepDigests, current: StepDigests): string[] {
  return Object.keys(current).filter((name) => frozen[name] === undefined);
}
