import { readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Complaint } from "../complaint.ts";
import { type FoundStorage, residencyProblem } from "./residency.ts";
import { checkShared, secretsFile, secretsOf, valuesOf } from "./secrets.ts";
import type { Target } from "./target.ts";
import { failure, type Wrangler } from "./wrangler.ts";
import { withDatabaseId } from "./config-file.ts";

/** One thing that a deploy does. */
export interface Step {
  readonly says: string;
  run(): void;
}

/** What the account has of a target. */
export interface AccountState extends FoundStorage {
  readonly secrets: ReadonlySet<string>;
}

interface ListedDatabase {
  readonly name: string;
  readonly uuid: string;
  readonly jurisdiction?: string | null;
}

/** Reads the account. Changes nothing. */
export function look(wrangler: Wrangler, target: Target): AccountState {
  const listed = wrangler.json(["d1", "list", "--json"]) as ListedDatabase[];
  const hasBucket = (name: string, jurisdiction: string | null) =>
    wrangler.try(["r2", "bucket", "info", name, "--json", ...within(jurisdiction)]).isDone;
  const buckets = target.buckets.filter((one) => hasBucket(one.name, one.jurisdiction));
  const unpinned = target.buckets.filter((one) => one.jurisdiction !== null && hasBucket(one.name, null));
  return {
    databases: new Map(
      listed.map(({ name, uuid, jurisdiction = null }) => [name, { id: uuid, jurisdiction }]),
    ),
    buckets: new Set(buckets.map(({ name }) => name)),
    unpinnedBuckets: new Set(unpinned.map(({ name }) => name)),
    secrets: new Set(secretsOf(wrangler) ?? []),
  };
}

/** One deploy of a target. */
export interface Deploying {
  readonly wrangler: Wrangler;
  readonly target: Target;
  readonly config: string;
  /** The variables of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** For files that are gone when it has ended. */
  readonly folder: string;
}

/** Everything that is missing, in the order in which it is made, and then the deploy itself. */
export function planOf(deploying: Deploying, found: AccountState): Step[] {
  const deploy: Step = {
    says: `deploy the Worker ${deploying.target.worker}`,
    run: () => void deploying.wrangler.run(["deploy"]),
  };
  return [...preparationOf(deploying, found), deploy];
}

/** Everything that must be there before a Worker of the target is deployed. */
export function preparationOf(deploying: Deploying, found: AccountState): Step[] {
  return [
    ...deploying.target.databases.flatMap((database) => databaseSteps(deploying, found, database)),
    ...bucketSteps(deploying, found),
    ...secretSteps(deploying, found),
    ...deploying.target.databases.map(({ name }) => ({
      says: `apply the migrations of D1 database ${name}`,
      run: () => void deploying.wrangler.run(["d1", "migrations", "apply", name, "--remote"]),
    })),
  ];
}

function databaseSteps(
  { wrangler, target, config }: Deploying,
  { databases }: AccountState,
  { name, id }: { readonly name: string; readonly id: string },
): Step[] {
  const existing = databases.get(name)?.id;
  if (existing === id) return [];
  const write = (uuid: string): void =>
    writeFileSync(config, withDatabaseId(readFileSync(config, "utf8"), target.environment, name, uuid));
  if (existing !== undefined) {
    return [{ says: `write the id of D1 database ${name} into wrangler.toml`, run: () => write(existing) }];
  }
  return [
    {
      says: `create D1 database ${name}${inJurisdiction(target.jurisdiction)}, and write its id into wrangler.toml`,
      run: () => {
        createDatabase(wrangler, name, target.jurisdiction);
        const after = look(wrangler, target);
        const made = after.databases.get(name);
        if (made === undefined) throw new Error(`wrangler created no database ${name}`);
        const problem = residencyProblem(target, after);
        if (problem !== null) throw new Complaint(problem);
        write(made.id);
      },
    },
  ];
}

/** The first wrangler that knows every jurisdiction of D1. */
const WRANGLER_WITH_US = "wrangler@4.121.0";

function createDatabase(wrangler: Wrangler, name: string, jurisdiction: string | null): void {
  const create = ["d1", "create", name, ...within(jurisdiction)];
  const made = wrangler.try(create);
  if (made.isDone) return;
  const hint =
    jurisdiction === null
      ? ""
      : `\nIf this wrangler does not know the jurisdiction ${jurisdiction}, run npx ${WRANGLER_WITH_US} ${create.join(" ")} and then this command again`;
  throw new Complaint(`${failure(create, made)}${hint}`);
}

function bucketSteps({ wrangler, target }: Deploying, found: AccountState): Step[] {
  return target.buckets
    .filter(({ name }) => !found.buckets.has(name))
    .map(({ name, jurisdiction }) => ({
      says: `create R2 bucket ${name}${inJurisdiction(jurisdiction)}`,
      run: () => void wrangler.run(["r2", "bucket", "create", name, ...within(jurisdiction)]),
    }));
}

function inJurisdiction(jurisdiction: string | null): string {
  return jurisdiction === null ? "" : ` in jurisdiction ${jurisdiction}`;
}

function within(jurisdiction: string | null): readonly string[] {
  return jurisdiction === null ? [] : ["--jurisdiction", jurisdiction];
}

function secretSteps({ wrangler, target, config, env }: Deploying, found: AccountState): Step[] {
  const missing = target.secrets.filter((name) => !found.secrets.has(name));
  if (missing.length === 0) return [];
  return [
    {
      says: `set ${missing.join(", ")}, from the environment or ${secretsFile(env)}; what neither has is made and kept there`,
      run: () => {
        checkShared(
          missing,
          new Set(knownSecrets(env)),
          target.peers.map((environment) => [environment, wrangler.at({ config, environment })]),
        );
        wrangler.run(["secret", "bulk"], JSON.stringify(valuesOf(missing, env)));
      },
    },
  ];
}

/** The secrets that this machine knows. */
export function knownValues(env: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  let stored: NodeJS.Dict<string> = {};
  try {
    stored = parseEnv(readFileSync(secretsFile(env), "utf8"));
  } catch {
    // Nothing was deployed from this machine yet.
  }
  return { ...stored, ...env };
}

function knownSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(knownValues(env)).flatMap(([name, value]) => (value ? [name] : []));
}
