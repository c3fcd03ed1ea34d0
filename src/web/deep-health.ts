import { PLATFORM_ORG_ID } from "../contract/platform-org.ts";
import type { Env } from "../edge/env.ts";
import { objectHere } from "../edge/region/placement.ts";
import { logProblem } from "../log.ts";
import type { Settings } from "../settings.ts";

/**
 * How often an isolate looks, and how long it waits for each. Constant in every deployment. Only the Worker's tests, which share
 * its isolate, shorten it.
 */
export const DEEP_HEALTH = { everyMs: 5000, patienceMs: 2000 } as const;

/** `unbound`: this deployment has none. */
export type PartHealth = "ok" | "failing" | "too_slow" | "unbound";

export interface DeepHealth {
  readonly database: PartHealth;
  readonly archive: PartHealth;
  readonly object: PartHealth;
}

export function isWell(health: DeepHealth): boolean {
  return Object.values(health).every((part) => part === "ok" || part === "unbound");
}

let last: { readonly atMs: number; readonly health: Promise<DeepHealth> } | null = null;

/**
 * Returns whether the database, the archive and an object answer, at most a few seconds old. Calls at the same time
 * share one look, so that asking often loads nothing.
 */
export function deepHealth(env: Env, settings: Settings, nowMs: number): Promise<DeepHealth> {
  if (last === null || nowMs >= last.atMs + DEEP_HEALTH.everyMs || nowMs < last.atMs) {
    last = { atMs: nowMs, health: look(env, settings) };
  }
  // The request that looks may be gone before it has seen anything.
  return Promise.race([last.health, scheduler.wait(2 * DEEP_HEALTH.patienceMs).then(() => UNSEEN)]);
}

const UNSEEN: DeepHealth = { database: "too_slow", archive: "too_slow", object: "too_slow" };

async function look(env: Env, settings: Settings): Promise<DeepHealth> {
  const { DB, ARCHIVE } = env;
  const [database, archive, object] = await Promise.all([
    answers("database", async () => DB.prepare("SELECT 1").first()),
    ARCHIVE === undefined ? ("unbound" as const) : answers("archive", () => ARCHIVE.head("healthz")),
    answers("object", async () => objectHere(env, settings, PLATFORM_ORG_ID).whereabouts()),
  ]);
  return { database, archive, object };
}

async function answers(part: string, ask: () => Promise<unknown>): Promise<PartHealth> {
  const late = scheduler.wait(DEEP_HEALTH.patienceMs).then(() => "too_slow" as const);
  try {
    return await Promise.race([ask().then(() => "ok" as const), late]);
  } catch (error) {
    logProblem({ problem: "health", part, why: String(error) });
    return "failing";
  }
}
