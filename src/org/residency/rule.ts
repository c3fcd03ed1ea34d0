import { invalidFields } from "../../contract/refusal.ts";
import type { NewResidency } from "../../contract/resources/residency.ts";
import { ruleFaults } from "../../domain/region/residency.ts";
import { knownRegions } from "../../settings.ts";
import { command, done, query, type View } from "../kernel/door.ts";

/** The regions where the org's calls may be served. Null for all. */
export function loadRegions(sql: SqlStorage): readonly string[] | null {
  const row = sql.exec<{ regions: string }>("SELECT regions FROM residency").toArray()[0];
  return row === undefined ? null : (JSON.parse(row.regions) as string[]);
}

const current = (view: View) => ({
  regions: loadRegions(view.sql),
  home_region: view.profile().homeRegion,
});

export const getResidency = query({ refuses: [], run: current });

export const setResidency = command({
  action: "residency.updated",
  refuses: ["validation_failed"],
  takesAway: (_input: NewResidency) => "*",
  current,
  run(tx, { regions: asked }) {
    const known = knownRegions(tx.settings);
    const faults = asked === null ? [] : ruleFaults(asked, tx.profile().homeRegion, known);
    if (faults.length > 0) return invalidFields(faults.map((one) => ({ code: "invalid_value", ...one })));
    const regions = asked === null ? null : [...new Set(asked)];
    tx.sql.exec("DELETE FROM residency");
    if (regions !== null) {
      tx.sql.exec("INSERT INTO residency (one, regions) VALUES (1, ?)", JSON.stringify(regions));
    }
    return done(200, current(tx), { target: tx.orgId, detail: { regions } });
  },
});
