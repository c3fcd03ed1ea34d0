import type { ListQuery } from "../../contract/list.ts";
import { query } from "../kernel/door.ts";
import type { EventRow } from "../kernel/events/log.ts";
import { EVENTS } from "../kernel/events/log.ts";
import { listLog } from "../../storage/paged-table/list-log.ts";
import { toEvent } from "./letter.ts";

/** Sorted in the order of appending. Ids do not tell the order within one millisecond. */
export const listEvents = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listLog(
      {
        log: EVENTS.stored(view.sql),
        filters: {
          type: (row, type) => row.type === type,
          from: (row, from) => row.created_at >= Number(from),
          to: (row, to) => row.created_at < Number(to),
        },
        toItem: (row: EventRow) => toEvent(view.orgId, row),
      },
      input,
    ),
});
