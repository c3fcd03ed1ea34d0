import { createHash } from "node:crypto";
import type { NamedScope } from "../../contract/scopes.ts";
import { instantOf } from "../../domain/time/instant.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { comparable, rawText } from "../../domain/text/raw-json.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { Run } from "./run.ts";
import { RUN_SCOPES } from "./scopes.ts";
import { tagsText } from "../../domain/run/tags.ts";
import { partsOf, unitsOf } from "./usage.ts";

/**
 * Returns whether a run that is sent again with a known id has the same content. A field that is never stored cannot be
 * compared.
 */
export function hasSameContent(stored: Run, input: RunInput): boolean {
  const said = contentOfInput(input);
  const long = stored.extra?.long;
  return long === undefined ? contentOfRun(stored) === said : long.said === digestOf(said);
}

/** The digest of a stored run's content. */
export function digestOfRun(stored: Run): string {
  return stored.extra?.long?.said ?? digestOf(contentOfRun(stored));
}

export function digestOf(said: string): string {
  return createHash("sha256").update(said).digest("hex");
}

/**
 * A run's content as one text: equal texts mean equal content. Absent fields are not included, so a new field does not
 * change the texts of runs without it.
 */
export function contentOfInput(input: RunInput): string {
  return written(reportedFields(input));
}

function reportedFields(input: RunInput) {
  return {
    started: instantOf(input.started_at),
    ended: input.ended_at === undefined ? undefined : instantOf(input.ended_at),
    model: input.model,
    action: input.action,
    ...byKind((scope) => input[scope.field]),
    chain: input.chain?.chain_id,
    parent: input.chain?.parent_run_id,
    input: input.usage.input_tokens,
    output: input.usage.output_tokens,
    cost: input.cost_usd === undefined ? undefined : String(parseUsd(input.cost_usd)),
    reservation: input.reservation_id,
    incurred: input.incurred === true ? true : undefined,
    approval: input.approval_id,
    metadata: input.metadata,
    variant: input.variant,
    parts: partsOf(input.usage),
    units: unitsOf(input.usage),
    user: input.user_id,
    provider: input.provider,
    tags: tagsText(input.tags),
    outcome: input.outcome === "completed" ? undefined : input.outcome,
    estimated: input.estimated === true ? true : undefined,
    requested: input.requested_model,
    fallback: input.fallback,
  };
}

/** The same for a stored run. */
export function contentOfRun(run: Run): string {
  const extra = run.extra ?? {};
  return written({
    started: run.startedAt,
    ended: run.endedAt,
    model: run.model,
    action: run.action,
    ...byKind((scope) => run[scope.property]),
    chain: run.chainId,
    parent: run.parentRunId,
    input: run.inputTokens,
    output: run.outputTokens,
    // What the price book says is no part of what was reported.
    cost: extra.priced === undefined ? String(run.cost) : undefined,
    reservation: extra.reservation,
    incurred: extra.incurred,
    approval: extra.approval,
    metadata: extra.metadata,
    variant: extra.variant,
    parts: extra.parts,
    units: extra.units,
    user: run.userId,
    provider: run.provider,
    tags: run.tags,
    outcome: run.outcome,
    estimated: extra.estimated,
    requested: extra.requested,
    fallback: extra.fallback,
  });
}

type Names = { readonly [Kind in NamedScope]: string | null | undefined };

/** A stored run is compared in the same fields. Undefined and null are not said. */
type ReportedFields = Readonly<Record<keyof ReturnType<typeof reportedFields>, unknown>>;

function byKind(nameOf: (scope: (typeof RUN_SCOPES)[number]) => string | null | undefined): Names {
  return Object.fromEntries(RUN_SCOPES.map((scope) => [scope.kind, nameOf(scope)])) as Names;
}

/** JSON with sorted keys, so that equal values are written the same. */
function written(said: ReportedFields): string {
  return JSON.stringify(
    Object.entries(said).filter(([, value]) => value !== undefined && value !== null),
    (_key, part: unknown) => {
      if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
      const number = rawText(part);
      if (number !== null) return comparable(number);
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  );
}
