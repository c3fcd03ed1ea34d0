import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { readNames } from "../../names.ts";
import { dateFrom, pageOf } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Tile } from "../../view/parts.tsx";
import type { Visit } from "../../visit.ts";
import type { RunSums } from "./sums.ts";

interface LimitCharge {
  readonly limitId: string;
  readonly name: string;
  /** Null: it is not known, or not in dollars. */
  readonly usd: string | null;
}

/** Reads the amount that was charged to the limit that runs are filtered by. Null: they are filtered by none. */
export async function readLimitCharge(
  visit: Visit,
  query: URLSearchParams,
  sums: RunSums | null,
): Promise<LimitCharge | null> {
  const limitId = query.get("limit_id")?.trim() ?? "";
  if (limitId === "") return null;
  const [nameOf, standing] = await Promise.all([readNames(visit, [limitId]), standingOf(visit, query)]);
  return { limitId, name: nameOf(limitId), usd: standing ?? sums?.charged_usd ?? null };
}

/** The amount that a budget counted in its period, if these are its runs: it knows that without looking at them. */
async function standingOf(visit: Visit, query: URLSearchParams): Promise<string | null> {
  const { limit_id: id = "", charged_from: from, ...others } = Object.fromEntries(query);
  const isWhole = Object.keys(others).every((name) => name === "sort" || name === "cursor");
  if (!id.startsWith("bud_") || !isWhole) return null;
  const { body } = await visit.api.get<Budget>(`${visit.org}/budgets/${encodeURIComponent(id)}`);
  if (body === null || body.unit !== "usd" || dateFrom(body.period_start) !== from) return null;
  return typeof body.spent === "string" ? body.spent : null;
}

export function ChargedTile({ of: { limitId, name, usd } }: { of: LimitCharge }) {
  const limit = <a href={pageOf(limitId)}>{name}</a>;
  if (usd === null) return <Tile label="Charged to" value={limit} />;
  return (
    <Tile label="Charged" value={<Usd of={usd} />}>
      to {limit}
    </Tile>
  );
}
