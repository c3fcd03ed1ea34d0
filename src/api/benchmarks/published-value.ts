import type { CohortMetric } from "../../domain/cohort/percentile.ts";
import { formatUsd } from "../../domain/price/money.ts";

/** Money is in nano-dollars internally. */
export function publishedValue(metric: CohortMetric, inner: number): string | number {
  return metric === "cost_per_run_usd" ? formatUsd(BigInt(Math.round(inner))) : inner;
}
