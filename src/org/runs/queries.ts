import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { Breakdowns } from "./breakdown.ts";
import { pageOfRuns } from "./blocks/page.ts";
import { charactersApart, withMetadata } from "./long-metadata.ts";
import { toRun } from "./run.ts";
import { findRun } from "./store.ts";

export const listRuns = query({
  refuses: [],
  run(view, input: ListQuery) {
    const { runs, next_cursor } = pageOfRuns(view.sql, input, charactersApart);
    const breakdowns = new Breakdowns(view.sql);
    return { data: runs.map((run) => toRun(withMetadata(view.sql, run), breakdowns)), next_cursor };
  },
});

export const getRun = query({
  refuses: ["not_found"],
  run(view, input: { id: string }) {
    const run = findRun(view.sql, input.id);
    return run === undefined
      ? refuse("not_found")
      : toRun(withMetadata(view.sql, run), new Breakdowns(view.sql));
  },
});
