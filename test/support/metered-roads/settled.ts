import { setTimeout as sleep } from "node:timers/promises";
import type { BillingProvider } from "../billing-provider/server.ts";
import type { Shape } from "../billing-provider/shape.ts";
import { nanosOf } from "../billing.ts";
import type { Recorded } from "../governed.ts";
import { call } from "../server.ts";
import type { Road } from "./road.ts";

/** One call that was made: what its provider bills, and what its runs charge. */
export interface SettledCall {
  readonly road: string;
  readonly shape: Shape;
  /** In nano-dollars. Null: nothing reached the provider. */
  readonly bill: bigint | null;
  readonly charge: bigint;
  /** True if each of its runs says so. */
  readonly estimated: boolean;
}

/** More calls at once would only wait for each other. */
const AT_ONCE = 24;

/** Makes every call of every shape by every road that takes it, and waits until the runs of all are recorded. */
export async function settledCalls(
  roads: readonly Road[],
  shapes: readonly Shape[],
  { provider, key }: { readonly provider: BillingProvider; readonly key: string },
): Promise<SettledCall[]> {
  const made = roads.flatMap((road) =>
    shapes.filter(road.takes).map((shape) => ({ road, shape, name: provider.nameOf(shape) })),
  );
  const waiting = made.values();
  const callers = Array.from({ length: AT_ONCE }, async () => {
    // A call whose provider breaks off may fail. What it costs is asked below.
    for (const { road, shape, name } of waiting) await road.call(shape, name).catch(() => undefined);
  });
  await Promise.all(callers);
  for (const road of roads) await road.settled?.();
  const waited = made.filter(({ road, name }) => road.settled === undefined && provider.bills.has(name));
  const runs = await runsOf(
    waited.map(({ name }) => name),
    key,
  );
  const byName = Map.groupBy(runs, (run) => run["workflow_id"] as string);
  return made.map(({ road, shape, name }) => {
    const own = byName.get(name) ?? [];
    return {
      road: road.name,
      shape,
      bill: provider.bills.get(name)?.nanos ?? null,
      charge: own.reduce((sum, run) => sum + nanosOf(run["cost_usd"] as string), 0n),
      estimated: own.some((run) => run["estimated"] === true),
    };
  });
}

/** How long a run is waited for. One that does not come by then is none. */
const WAIT_MS = 60_000;

/** The runs of calls, when each of them has one. */
async function runsOf(names: readonly string[], key: string): Promise<Recorded[]> {
  for (const endsAt = Date.now() + WAIT_MS; ;) {
    const runs = await allRuns(key);
    const recorded = new Set(runs.map((run) => run["workflow_id"] as string));
    if (names.every((name) => recorded.has(name)) || Date.now() >= endsAt) return runs;
    await sleep(200);
  }
}

async function allRuns(key: string): Promise<Recorded[]> {
  const runs: Recorded[] = [];
  for (let next = ""; ;) {
    const { body } = await call("GET", `/v1/runs?limit=200${next}`, { key });
    runs.push(...(body.data as Recorded[]));
    if (body.next_cursor === null || body.next_cursor === undefined) return runs;
    next = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
  }
}
