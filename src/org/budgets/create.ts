import { METERS } from "../../contract/meter-kinds.ts";
import type { NewBudget } from "../../contract/resources/budgets/budgets.ts";
import { MATCH_SCOPE } from "../../contract/scopes.ts";
import { matchOf } from "../../domain/meter/match.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { storedShares } from "../meters/show.ts";
import { saveMeterRow, toMeter } from "../meters/store.ts";
import { recount } from "../recount/recount.ts";
import { type BackdatedBudget, backdateBudget, uncountable } from "./count-from.ts";
import { matchOfScope, tooManyBudgets } from "./room.ts";
import { type BudgetExtra, type BudgetRow, storedAmount, toBudget } from "./store.ts";

export const createBudget = command({
  action: "budget.created",
  changesLimits: true,
  refuses: ["validation_failed"],
  run(tx, input: NewBudget) {
    const row = rowOf(input, tx.now, backdateBudget(tx, input.count_from));
    const { match } = JSON.parse(row.extra) as BudgetExtra;
    const scope = { kind: row.scope_kind, id: row.scope_id };
    const field = match === undefined ? "scope_kind" : "match";
    const refusal = tooManyBudgets(tx, match ?? matchOfScope({ scope }), field);
    if (refusal !== null) return refusal;
    const lost = uncountable(tx, row);
    if (lost !== null) return lost;
    saveMeterRow(tx.sql, row);
    if (input.count_from === "period_start") recount(tx, toMeter(row, tx.now));
    return done(201, toBudget(tx, row), { target: row.id, detail: { ...input } });
  },
});

function rowOf(input: NewBudget, now: number, backdated: BackdatedBudget): BudgetRow {
  const { unit, timezone, scope_kind: kind = MATCH_SCOPE } = input;
  return {
    id: newId(METERS.budget.idPrefix, now),
    kind: "budget",
    scope_kind: kind,
    scope_id: input.scope_id ?? "",
    amount: storedAmount(unit, input.limit ?? input.limit_usd ?? "0"),
    period: input.period,
    time_zone: timezone === undefined || timezone === "UTC" ? null : timezone,
    mode: input.mode,
    since: now,
    extra: JSON.stringify({ ...extraOf(input), ...backdated }),
  };
}

function extraOf({ name, unit, match, group_by = [], anchor_day, alert_thresholds }: NewBudget) {
  const extra: BudgetExtra = {
    name: name ?? null,
    thresholds: storedShares(alert_thresholds),
    ...(unit === "usd" ? {} : { unit }),
    ...(match === undefined ? {} : { match: matchOf(match, group_by), given: match }),
    ...(anchor_day === undefined ? {} : { anchorDay: anchor_day }),
  };
  return extra;
}
