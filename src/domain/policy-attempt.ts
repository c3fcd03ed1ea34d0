import { createHash } from "node:crypto";
import { comparable, rawText } from "./raw-json.ts";
import type { Attempt } from "./policy.ts";

/** The part of a reported run that rules can read. */
export type JudgedRun = {
  readonly model: string;
  readonly action?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly deployment_id?: string | undefined;
  readonly department_id?: string | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

const NANOS_PER_USD = 1e9;

/** The one place where money is a double: rules compare it with literals, and never add it up. */
export function usdNumber(nanos: bigint): number {
  return Number(nanos) / NANOS_PER_USD;
}

/** Everything in the run except its input and its approval. */
export function attemptOf(run: JudgedRun, nanos: bigint): Attempt {
  const { input: _input, approval_id: _approval, ...rest } = run as JudgedRun & Record<string, unknown>;
  const costUsd = usdNumber(nanos);
  return {
    model: run.model,
    action: run.action,
    customer_id: run.customer_id,
    run: { ...rest, cost_usd: costUsd },
    estimate: {
      costUsd,
      inputTokens: run.usage.input_tokens,
      maxOutputTokens: run.usage.output_tokens,
    },
  };
}

/**
 * Identifies an attempt, so that the same attempt finds the same approval. The digest covers the cost, but not the
 * run's time and id.
 */
export function attemptDigest(run: JudgedRun, nanos: bigint): string {
  const said = [
    run.model,
    run.action ?? null,
    run.customer_id ?? null,
    run.workflow_id ?? null,
    run.deployment_id ?? null,
    run.department_id ?? null,
    run.usage.input_tokens,
    run.usage.output_tokens,
    nanos.toString(),
    sorted(run.metadata ?? null),
  ];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (typeof value !== "object" || value === null) return value;
  const number = rawText(value);
  if (number !== null) return comparable(number);
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}
