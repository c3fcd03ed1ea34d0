import { asCount } from "../../domain/price/count.ts";
import { publishedPeriod } from "../../domain/refusal/limit-denials.ts";
import { totalSpent } from "../../domain/meter/meter.ts";
import { query } from "../kernel/door.ts";
import { entryNow } from "../meters/show.ts";
import { loadMeterRow } from "../meters/store.ts";
import { emptyMeterRow, storedPlanTerms, METERS } from "./store.ts";

export const getPlan = query({
  refuses: [],
  run(view) {
    const [runs, tokens] = METERS.map((id) =>
      entryNow(view, loadMeterRow(view.sql, id, id) ?? emptyMeterRow(id, view.now)),
    );
    if (runs === undefined || tokens === undefined) throw new Error("a plan has two meters");
    return {
      ...storedPlanTerms(view),
      runs_used: asCount(totalSpent(runs.usage)),
      tokens_used: asCount(totalSpent(tokens.usage)),
      ...publishedPeriod(runs),
    };
  },
});
