import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { pageOfRuns } from "./list/page.ts";
import { countCharactersApart } from "./long-metadata.ts";
import { replacedRuns } from "./replacements.ts";
import { toRunResource, toRunResources } from "./to-api.ts";
import { findRun } from "./store.ts";

export const listRuns = query({
  refuses: [],
  run(view, input: ListQuery) {
    const { runs, next_cursor } = pageOfRuns(view.sql, input, {
      apartOf: countCharactersApart,
      without: replacedRuns(view.sql),
    });
    return { data: toRunResources(view.sql, runs), next_cursor };
  },
});

export const getRun = query({
  refuses: ["not_found"],
  run(view, input: { id: string }) {
    const run = findRun(view.sql, input.id);
    return run === undefined || replacedRuns(view.sql).has(run.id)
      ? refuse("not_found")
      : toRunResource(view.sql, run);
  },
});
