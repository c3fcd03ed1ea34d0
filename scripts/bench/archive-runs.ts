import type { Run } from "../../src/org/runs/run.ts";

/** Made-up runs by number: ids in no order, one run every 20 ms. */

const MIX = 0x9e37_79b1;
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 20;

/** 36 characters, as most callers send. Different numbers below 2 ** 32 have different ids. */
export function idOf(number: number): string {
  const mixed = (Math.imul(number, MIX) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-7d1f-4c4e-9b1a-${mixed}${mixed.slice(0, 4)}`;
}

export function startedAtOf(number: number): number {
  return START_MS + number * STEP_MS;
}

export function runAt(number: number): Run {
  const startedAt = startedAtOf(number);
  return {
    id: idOf(number),
    startedAt,
    endedAt: startedAt + 700,
    chargedAt: startedAt + 900,
    recordedAt: startedAt + 900,
    model: `acme/m${number % 7}`,
    action: "chat.completion",
    workflowId: "wf_support_answers",
    deploymentId: "dep_europe_production",
    departmentId: "dpt_customer_care",
    customerId: `cus_${number % 50}`,
    chainId: null,
    parentRunId: null,
    depth: 0,
    inputTokens: 1000 + (number % 3000),
    outputTokens: number % 900,
    cost: BigInt((number * 7919) % 10_000_000),
    charges: "bud_1 bud_2 bud_3",
    userId: null,
    provider: "acme",
    keyId: "key_1",
    outcome: null,
    tags: null,
    extra: null,
  };
}
