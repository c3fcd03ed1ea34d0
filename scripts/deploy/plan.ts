import { readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { checkShared, secretsFile, secretsOf, valuesOf } from "./secrets.ts";
import type { Target } from "./target.ts";
import type { Wrangler } from "./wrangler.ts";
import { withDatabaseId } from "./config-file.ts";

/** One thing that a deploy does. */
export interface Step {
  readonly says: string;
  run(): void;
}

/** What the account has of a target. Null where it is not known, because nobody is signed in. */
export interface AccountState {
  readonly databases: ReadonlyMap<string, string>;
  readonly buckets: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/** Reads the account. Changes nothing. */
export function look(wrangler: Wrangler, target: Target): AccountState {
  const listed = wrangler.json(["d1", "list", "--json"]) as { name: string; uuid: string }[];
  const buckets = target.buckets
    .filter(
      (one) => wrangler.try(["r2", "bucket", "info", one.name, "--json", ...within(one.jurisdiction)]).isDone,
    )
    .map(({ name }) => name);
  return {
    databases: new Map(listed.map(({ name, uuid }) => [name, uuid])),
    buckets: new Set(buckets),
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
  const existing = databases.get(name);
  if (existing === id) return [];
  const write = (uuid: string): void =>
    writeFileSync(config, withDatabaseId(readFileSync(config, "utf8"), target.environment, name, uuid));
  if (existing !== undefined) {
    return [{ says: `write the id of D1 database ${name} into wrangler.toml`, run: () => write(existing) }];
  }
  return [
    {
      says: `create D1 database ${name}${target.jurisdiction === null ? "" : ` in jurisdiction ${target.jurisdiction}`}, and write its id into wrangler.toml`,
      run: () => {
        wrangler.run(["d1", "create", name, ...within(target.jurisdiction)]);
        const made = look(wrangler, target).databases.get(name);
        if (made === undefined) throw new Error(`wrangler created no database ${name}`);
        write(made);
      },
    },
  ];
}

function bucketSteps({ wrangler, target }: Deploying, found: AccountState): Step[] {
  return target.buckets
    .filter(({ name }) => !found.buckets.has(name))
    .map(({ name, jurisdiction }) => ({
      says: `create R2 bucket ${name}`,
      run: () => void wrangler.run(["r2", "bucket", "create", name, ...within(jurisdiction)]),
    }));
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
