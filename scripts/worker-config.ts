import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";

export const ROOT = join(import.meta.dirname, "..");

/** The entry of the front Worker. Its configuration is made of the other one's. */
export const FRONT = "src/front.ts";

/** The entry of the service and the governed proxy in one Worker. Its configuration is made of theirs. */
export const ONE_WORKER = "src/one-worker.ts";

const name = z.string().min(1);

/**
 * What wrangler.toml can contain. Strict, because an unknown kind of binding would exist when deployed and be missing
 * here.
 */
const wranglerFile = z.strictObject({
  $schema: z.string().optional(),
  name,
  main: name,
  compatibility_date: name,
  compatibility_flags: z.array(name).default([]),
  vars: z.record(name, z.json()).default({}),
  secrets: z.strictObject({ required: z.array(name).default([]) }).default({ required: [] }),
  services: z
    .array(z.strictObject({ binding: name, service: name, entrypoint: name.optional() }))
    .default([]),
  d1_databases: z
    .array(
      z.strictObject({
        binding: name,
        database_name: name,
        database_id: name,
        migrations_dir: name.default("migrations"),
      }),
    )
    .default([]),
  r2_buckets: z.array(z.strictObject({ binding: name, bucket_name: name })).default([]),
  durable_objects: z
    .strictObject({ bindings: z.array(z.strictObject({ name, class_name: name })).default([]) })
    .default({ bindings: [] }),
  assets: z
    .strictObject({
      directory: z.literal(".assets"),
      binding: name,
      html_handling: z.literal("none"),
      run_worker_first: z.literal(true),
    })
    .optional(),
  migrations: z
    .array(z.strictObject({ tag: name, new_sqlite_classes: z.array(name).default([]) }))
    .default([]),
  /** Environments are for deployed regions. The local server has its own. */
  env: z.unknown().optional(),
  triggers: z.strictObject({ crons: z.array(name).default([]) }).default({ crons: [] }),
  observability: z.unknown().optional(),
  limits: z.unknown().optional(),
  placement: z.unknown().optional(),
  routes: z.unknown().optional(),
  workers_dev: z.unknown().optional(),
  minify: z.unknown().optional(),
  keep_names: z.unknown().optional(),
  upload_source_maps: z.unknown().optional(),
});

export type WorkerConfig = z.infer<typeof wranglerFile>;

export function readWorkerConfig(file = join(ROOT, "wrangler.toml")): WorkerConfig {
  return wranglerFile.parse(parse(readFileSync(file, "utf8")));
}
