import type { UnusualSettings } from "../../contract/resources/unusual-spend.ts";
import type { Sensitivity } from "../../domain/forecast/unusual.ts";
import { command, done, query } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";

export function sensitivityOf(sql: SqlStorage): Sensitivity {
  const [row] = sql.exec<{ sensitivity: Sensitivity }>("SELECT sensitivity FROM unusual_settings").toArray();
  return row?.sensitivity ?? "normal";
}

export const getUnusualSettings = query({
  refuses: [],
  run: ({ sql }, _input: object): UnusualSettings => ({ sensitivity: sensitivityOf(sql) }),
});

export const setUnusualSettings = command({
  action: "unusual_spend.set",
  refuses: ["conflict"],
  current: ({ sql }, _input: UnusualSettings) => ({ sensitivity: sensitivityOf(sql) }),
  run(tx, { sensitivity }) {
    tx.sql.exec("INSERT OR REPLACE INTO unusual_settings (only, sensitivity) VALUES (1, ?)", sensitivity);
    tx.schedule(DUE.unusual, "", tx.now);
    return done(200, { sensitivity }, { detail: { sensitivity } });
  },
});
