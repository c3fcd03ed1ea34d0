import { createHash } from "node:crypto";
import { comparable, rawText } from "../text/raw-json.ts";
import { ATTRIBUTED } from "../../contract/dimensions.ts";
import { SCOPE_FIELDS, type ScopeField, type ScopeNames } from "../../contract/scopes.ts";

/**
 * The fields of a run that a rule can read. `input` is not among them, so that no verdict, event or audit entry can
 * contain it.
 */
export type Attempt = {
  model: string;
  action?: string | undefined;
  customer_id?: string | undefined;
  run: Readonly<Record<string, unknown>>;
  estimate: { costUsd: number; inputTokens: number; maxOutputTokens: number };
};

/** The part of a reported run that rules can read. */
export type JudgedRun = ScopeNames & {
  readonly model: string;
  readonly action?: string | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly chain?: { readonly chain_id: string; readonly parent_run_id?: string | undefined } | undefined;
  readonly variant?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly user_id?: string | undefined;
  readonly provider?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly outcome?: string | undefined;
  readonly estimated?: boolean | undefined;
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
    run: { outcome: "completed", estimated: false, ...rest, cost_usd: costUsd },
    estimate: {
      costUsd,
      inputTokens: run.usage.input_tokens,
      maxOutputTokens: run.usage.output_tokens,
    },
  };
}

/** Approvals keep the digest: attempts that name nothing newer must go on having the same. */
const FIRST_FIELDS: readonly ScopeField[] = ["customer_id", "workflow_id", "deployment_id", "department_id"];
const LATER_FIELDS = [
  ...SCOPE_FIELDS.filter((field) => !FIRST_FIELDS.includes(field)),
  ...ATTRIBUTED,
  "tags" as const,
];

/**
 * Identifies an attempt, so that the same attempt finds the same approval. The digest covers all that rules can read but the
 * run's times, its id, and whether it is a fact.
 */
export function attemptDigest(run: JudgedRun, nanos: bigint): string {
  const { input_tokens: _input, output_tokens: _output, ...parts } = run.usage;
  const later = {
    chain: run.chain,
    variant: run.variant,
    usage: Object.keys(parts).length > 0 ? parts : undefined,
    outcome: run.outcome === "completed" ? undefined : run.outcome,
    estimated: run.estimated === true ? true : undefined,
  };
  const said = [
    run.model,
    run.action ?? null,
    ...FIRST_FIELDS.map((field) => run[field] ?? null),
    run.usage.input_tokens,
    run.usage.output_tokens,
    nanos.toString(),
    sorted(run.metadata ?? null),
    ...LATER_FIELDS.flatMap((field) => (run[field] === undefined ? [] : [[field, sorted(run[field])]])),
    ...Object.entries(later).flatMap(([name, value]) => (value === undefined ? [] : [[name, sorted(value)]])),
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
