import { expect } from "vitest";
import { type StandIn, startStandIn } from "../../scripts/stand-in/server.ts";
import { createGate, type EmbeddedGate } from "../../src/client/gate/index.ts";
import { call, newOrg, sharedServer } from "./server.ts";
import { PATIENCE_MS } from "./patience.ts";

export const PROVIDER_KEY = "sk-stand-in-0123456789";

export const startProvider = (pauseMs = 0): Promise<StandIn> => startStandIn({ key: PROVIDER_KEY, pauseMs });

// oxlint-disable-next-line typescript/no-explicit-any -- what the API returns is checked by the test
export type Recorded = Record<string, any>;

export interface Governed {
  readonly gate: EmbeddedGate;
  readonly key: string;
  readonly org: string;
  /** The runs of the org, once there are so many, oldest first. */
  readonly runs: (count: number) => Promise<Recorded[]>;
  /** What is reserved on its budget. */
  readonly reserved: () => Promise<string>;
}

/** A new org with a budget, and a gate for its key. */
export async function governed(limitUsd = "100"): Promise<Governed> {
  const { id, ownerKey: key } = await newOrg();
  const body = { scope_kind: "org", limit_usd: limitUsd, period: "total" };
  const { body: budget } = await call("POST", `/v1/orgs/${id}/budgets`, { key, body });
  const gate = createGate({ url: sharedServer().urls[0], key, flushMs: 20, timeoutMs: PATIENCE_MS });
  return {
    gate,
    key,
    org: id,
    runs: async (count) => {
      let found: Recorded[] = [];
      await expect
        .poll(async () => {
          found = (await call("GET", "/v1/runs?limit=200", { key })).body.data as Recorded[];
          return found.length;
        })
        .toBeGreaterThanOrEqual(count);
      return found.toReversed();
    },
    reserved: async () =>
      (await call("GET", `/v1/orgs/${id}/budgets/${budget.id}`, { key })).body.reserved_usd,
  };
}
