import type { Target } from "./target.ts";

const FOR_GOOD = "A jurisdiction is chosen when a bucket or database is created, and cannot be changed later";

/** The databases and buckets of an account. */
export interface FoundStorage {
  readonly databases: ReadonlyMap<string, { readonly id: string; readonly jurisdiction: string | null }>;
  /** Buckets that exist in the jurisdiction that the configuration names for them. */
  readonly buckets: ReadonlySet<string>;
  /** Buckets of these names that exist without a jurisdiction, where the configuration names one. */
  readonly unpinnedBuckets: ReadonlySet<string>;
}

/**
 * Runs older than a day leave the objects for the bucket, and the directory is in the database: where objects are pinned to a
 * jurisdiction, both must be too. Null if they are, or if the objects are not.
 */
export function residencyProblem(target: Target, found: FoundStorage): string | null {
  const { jurisdiction, environment } = target;
  if (jurisdiction === null) return null;
  const pinned = `SVC_OBJECT_PLACEMENT pins the objects to ${jurisdiction}`;
  const heading = environment === "" ? "[[r2_buckets]]" : `[[env.${environment}.r2_buckets]]`;
  for (const bucket of target.buckets) {
    if (bucket.jurisdiction !== jurisdiction) {
      return `${pinned}, and R2 bucket ${bucket.name} is pinned to ${bucket.jurisdiction ?? "nothing"}: set jurisdiction = "${jurisdiction}" in ${heading} of wrangler.toml. ${FOR_GOOD}`;
    }
    if (found.unpinnedBuckets.has(bucket.name) && !found.buckets.has(bucket.name)) {
      return `${pinned}, and the account has R2 bucket ${bucket.name} without a jurisdiction: choose another bucket_name in ${heading} of wrangler.toml, or delete that bucket if it is empty. ${FOR_GOOD}`;
    }
  }
  for (const { name } of target.databases) {
    const database = found.databases.get(name);
    if (database === undefined || database.jurisdiction === jurisdiction) continue;
    return `${pinned}, and D1 database ${name} is pinned to ${database.jurisdiction ?? "nothing"}: choose another database_name in wrangler.toml, or delete that database if it is empty. ${FOR_GOOD}`;
  }
  return null;
}
