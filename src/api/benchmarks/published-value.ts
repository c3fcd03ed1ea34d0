import type { CohortMetric } from "../../domain/cohort/percentile.ts";
import { formatUsd } from "../../domain/money.ts";

/** Values of money are in nano-dollars inside. */
export function publishedValue(metric: CohortMetric, inner: number): string | number {
  return metric === "cost_per_run_usd" ? formatUsd(BigInt(Math.round(inner))) : inner;
}
