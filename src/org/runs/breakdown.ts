import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { breakdownOf } from "../../domain/price/cost.ts";
import { isUnpriced } from "../../domain/price/unpriced.ts";
import { formatRate } from "../../domain/price/rate-text.ts";
import { loadRevision } from "../models/revisions.ts";
import type { Revision } from "../models/revision.ts";
import type { Run } from "./run.ts";
import { usageOf } from "./usage.ts";
import { cached } from "../../domain/cache/cached.ts";

type Costs = Pick<RunResource, "cost_source" | "price_revision" | "cost_breakdown">;

/**
 * The origin of runs' costs. A breakdown is computed when it is read, from the revision that the run names and the
 * usage that it reported, because revisions never change.
 */
export class Breakdowns {
  readonly #sql: SqlStorage;
  readonly #revisions = new Map<number, Revision | null>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(run: Run): Costs {
    const { priced, variant } = run.extra ?? {};
    if (priced === undefined) return { cost_source: "caller", price_revision: null, cost_breakdown: null };
    const revision = priced === true ? null : this.#revision(priced);
    if (revision === null) return { cost_source: "price_book", price_revision: null, cost_breakdown: null };
    const entries = breakdownOf(revision.price, usageOf(run), variant);
    if (isUnpriced(entries)) throw new Error(`run ${run.id} was priced without ${entries.name}`);
    return {
      cost_source: "price_book",
      price_revision: revision.revision,
      cost_breakdown: entries.map(({ name, quantity, isUnit, rate, nanos }) => ({
        class: name,
        quantity,
        ...(isUnit ? { usd_each: formatRate(rate) } : { usd_per_mtok: formatRate(rate) }),
        cost_usd: formatUsd(nanos),
      })),
    };
  }

  #revision(number: number): Revision | null {
    return cached(this.#revisions, number, () => loadRevision(this.#sql, number));
  }
}
