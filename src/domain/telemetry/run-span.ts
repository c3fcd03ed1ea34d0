import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { SCOPE_FIELDS } from "../../contract/scopes.ts";
import { TOKEN_PARTS } from "../../contract/token-classes.ts";
import type { TraceParent } from "../text/traceparent.ts";
import { type Attribute, attributesOf, Dollars, wellFormed } from "./attributes.ts";
import { operationName, providerName } from "./conventions.ts";
import { type Span, spanOf } from "./span.ts";
import { spanIdOf, traceIdOf } from "./span-ids.ts";

export type SpannedRun = Omit<RunResource, "metadata" | "cost_breakdown">;

/** One run as a span. Runs of a chain whose callers have no trace are one trace, each below the run that it says. */
export function runSpan(orgId: string, run: SpannedRun, parent: TraceParent | null): Span {
  const { chain } = run;
  const startMs = Date.parse(run.started_at);
  const above = chain?.parent_run_id ?? null;
  return spanOf({
    spanId: spanIdOf(orgId, "run", run.id),
    name: wellFormed(`${operationName(run.action, run.model)} ${run.requested_model ?? run.model}`),
    startMs,
    endMs: run.ended_at === null ? startMs : Date.parse(run.ended_at),
    attributes: [...genAi(run), ...ours(run)],
    error: errorOf(run),
    parent,
    own: {
      traceId: chain === null ? traceIdOf(orgId, "run", run.id) : traceIdOf(orgId, "chain", chain.chain_id),
      parentSpanId: above === null ? null : spanIdOf(orgId, "run", above),
    },
  });
}

/** The outcomes without an answer. Null for others. */
function errorOf({ outcome }: Pick<SpannedRun, "outcome">): string | null {
  return outcome === "failed" || outcome === "unknown" ? outcome : null;
}

function genAi({ usage, ...run }: SpannedRun): Attribute[] {
  const provider = run.provider === null ? null : providerName(run.provider);
  const written = (usage.cache_write_tokens ?? 0) + (usage.cache_write_1h_tokens ?? 0);
  return attributesOf({
    "gen_ai.operation.name": operationName(run.action, run.model),
    "gen_ai.provider.name": provider,
    "gen_ai.system": provider,
    "gen_ai.request.model": run.requested_model ?? run.model,
    "gen_ai.response.model": run.model,
    "gen_ai.usage.input_tokens": usage.input_tokens,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
    "gen_ai.usage.cache_creation.input_tokens": written === 0 ? null : written,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
    "error.type": errorOf(run),
  });
}

/** Named as the fields of the API. */
function ours(run: SpannedRun): Attribute[] {
  const over = run.charges.filter((charge) => charge.over_usd !== undefined || charge.over !== undefined);
  return attributesOf({
    "sluice.run_id": run.id,
    "sluice.cost_usd": new Dollars(run.cost_usd),
    "sluice.cost_source": run.cost_source,
    "sluice.outcome": run.outcome,
    "sluice.estimated": run.estimated ? true : null,
    "sluice.limits": run.charges.map(({ id }) => id),
    "sluice.limits_exceeded": over.map(({ id }) => id),
    "sluice.limits_in_shadow": run.shadow.map(({ code }) => code),
    "sluice.reservation_id": run.reservation_id,
    "sluice.key_id": run.key_id,
    "sluice.user_id": run.user_id,
    ...Object.fromEntries(SCOPE_FIELDS.map((field) => [`sluice.${field}`, run[field]])),
    "sluice.action": run.action,
    "sluice.variant": run.variant,
    "sluice.fallback": run.fallback,
    "sluice.chain_id": run.chain?.chain_id,
    "sluice.parent_run_id": run.chain?.parent_run_id,
    ...Object.fromEntries(TOKEN_PARTS.map(({ field }) => [`sluice.usage.${field}`, run.usage[field]])),
    ...Object.fromEntries(
      Object.entries(run.usage.units ?? {}).map(([name, count]) => [`sluice.usage.units.${name}`, count]),
    ),
    ...Object.fromEntries(Object.entries(run.tags).map(([name, text]) => [`sluice.tags.${name}`, text])),
  });
}
