import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Complaint } from "../complaint.ts";
import { localSecrets } from "../secrets.ts";
import { ROOT } from "../worker-config.ts";
import type { Wrangler } from "./wrangler.ts";

/** Kept on this machine alone, for the next region and for the operator. Git ignores the folder. */
export function secretsFile(environment: NodeJS.ProcessEnv): string {
  return environment["SLUICE_DEPLOY_SECRETS"] || join(ROOT, ".sluice/deploy/secrets.env");
}

/** The names of the secrets that a Worker has. Null: there is no such Worker yet. */
export function secretsOf(wrangler: Wrangler): readonly string[] | null {
  const said = wrangler.try(["secret", "list", "--format", "json"]);
  if (!said.isDone) {
    if (/10007|not found|does not exist/i.test(said.stderr + said.stdout)) return null;
    throw new Complaint(`wrangler secret list failed:\n${said.stderr.trim()}`);
  }
  return (JSON.parse(said.stdout) as { name: string }[]).map(({ name }) => name);
}

/**
 * Regions share their secrets. A secret that another region has, and that this machine does not know, must not be made
 * anew: keys of one region would not work in the other.
 */
export function checkShared(
  missing: readonly string[],
  known: ReadonlySet<string>,
  regions: readonly (readonly [string, Wrangler])[],
): void {
  for (const [environment, wrangler] of regions) {
    const there = secretsOf(wrangler) ?? [];
    const lost = missing.find((name) => there.includes(name) && !known.has(name));
    if (lost === undefined) continue;
    throw new Complaint(
      `region ${environment} has ${lost}, and this machine does not know it. Run this again with ${lost} set in the environment`,
    );
  }
}

/** The values of the missing secrets, made where nobody has them. */
export function valuesOf(missing: readonly string[], environment: NodeJS.ProcessEnv): Record<string, string> {
  const absent = missing.filter((name) => !environment[name]);
  if (absent.length > 0 && environment["CI"] === "true") {
    throw new Complaint(
      `${absent.join(" and ")} would be made here and lost with this machine. Set ${absent.length === 1 ? "it" : "them"} in the environment, or deploy once from a machine that you keep`,
    );
  }
  const file = secretsFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return localSecrets(file, missing, environment);
}
