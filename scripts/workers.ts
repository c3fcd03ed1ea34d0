import { Response, type WorkerOptions } from "miniflare";
import { HOST, LISTEN_HOST } from "./ports.ts";
import { ASSETS } from "./reference/assets.ts";
import type { PastClock } from "./northwind/clock.ts";
import { entryOf, pastEntryOf } from "./served-scripts.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** How one Worker differs from the others with the same script. */
interface Role {
  readonly name: string;
  /** The Worker whose objects it uses. Absent: its own. */
  readonly objectsOf?: string;
  readonly database: (id: string) => string;
  readonly bucket: (name: string) => string;
  readonly settings: Record<string, string>;
  readonly services?: Record<string, string>;
}

interface Wanted {
  readonly script: string;
  readonly settings: Record<string, string>;
  readonly ports: readonly number[];
  readonly regions?: readonly string[] | undefined;
  /** Called by the Worker's health check. */
  readonly isReady: () => boolean;
  /** If the first isolate, which has the objects, starts in the past: its clock, and the module that moves it. */
  readonly past?: { readonly clock: PastClock; readonly script: string } | null;
}

/**
 * Isolates share the first one's objects and database. Regions share nothing: each reaches the others through service
 * bindings, like deployed regions.
 */
export function workersOf(
  config: WorkerConfig,
  { script, settings, ports, regions, isReady, past = null }: Wanted,
): { readonly names: readonly [string, ...string[]]; readonly workers: WorkerOptions[] } {
  const roles =
    regions === undefined
      ? ports.map((_, index) => isolate(config, settings, index))
      : regions.map((region, index) =>
          regional(config, settings, { region, regions, port: ports[index] ?? 0 }),
        );
  return {
    names: roles.map((role) => role.name) as [string, ...string[]],
    workers: roles.map((role, index) => ({
      ...workerOptions(config, script, ports[index] ?? 0, role),
      ...(past === null || index > 0 ? {} : { modules: entry(pastEntryOf(script, past.script)) }),
      serviceBindings: {
        ...role.services,
        ...(config.assets === undefined ? {} : { [config.assets.binding]: { disk: { path: ASSETS } } }),
        ...(past === null || index > 0 ? {} : { LOCAL_CLOCK: () => Response.json(past.clock.read()) }),
        LOCAL_READY: () => new Response(null, { status: isReady() ? 204 : 503 }),
      },
    })),
  };
}

/** The Worker in front of the first one, which shares its objects and database, and hands on to it what it does not decide. */
export function frontOf(
  config: WorkerConfig,
  { script, settings, port }: { script: string; settings: Record<string, string>; port: number },
): WorkerOptions {
  const role = { ...isolate(config, settings, 0), name: `${config.name}-front`, objectsOf: config.name };
  return {
    ...workerOptions(config, script, port, role),
    serviceBindings: { REST: { name: config.name, entrypoint: "Rest" } },
  };
}

function bindingTo(region: string): string {
  return `REGION_${region.toUpperCase().replaceAll("-", "_")}`;
}

function isolate(config: WorkerConfig, settings: Record<string, string>, index: number): Role {
  const first = { name: config.name, database: (id: string) => id, bucket: (name: string) => name, settings };
  return index === 0 ? first : { ...first, name: `${config.name}-${index + 1}`, objectsOf: config.name };
}

function regional(
  config: WorkerConfig,
  settings: Record<string, string>,
  {
    region,
    regions,
    port,
  }: { readonly region: string; readonly regions: readonly string[]; readonly port: number },
): Role {
  const others = regions.filter((other) => other !== region);
  return {
    name: `${config.name}-${region}`,
    database: (id) => `${id}-${region}`,
    bucket: (name) => `${name}-${region}`,
    settings: {
      ...settings,
      SVC_REGION: region,
      SVC_REGIONS: JSON.stringify(Object.fromEntries(others.map((other) => [other, bindingTo(other)]))),
      SVC_BASE_URL: `http://${HOST}:${port}`,
    },
    services: Object.fromEntries(others.map((other) => [bindingTo(other), `${config.name}-${other}`])),
  };
}

const entry = (contents: string) => [{ type: "ESModule" as const, path: "worker.mjs", contents }];

function workerOptions(config: WorkerConfig, script: string, port: number, role: Role): WorkerOptions {
  const sqlite = new Set(config.migrations.flatMap((step) => step.new_sqlite_classes));
  const owner = role.objectsOf === undefined ? {} : { scriptName: role.objectsOf };
  const objects = config.durable_objects.bindings.map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: sqlite.has(className), ...owner },
  ]);
  const databases = config.d1_databases.map((db) => [db.binding, role.database(db.database_id)]);
  const buckets = config.r2_buckets.map((bucket) => [bucket.binding, role.bucket(bucket.bucket_name)]);
  return {
    name: role.name,
    modules: entry(entryOf(script)),
    unsafeUseModuleFallbackService: true,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    bindings: role.settings,
    d1Databases: Object.fromEntries(databases),
    r2Buckets: Object.fromEntries(buckets),
    durableObjects: Object.fromEntries(objects),
    unsafeDirectSockets: [{ host: LISTEN_HOST, port }],
  };
}
