import { toListQuery } from "../../contract/list.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { RunResource } from "../../contract/resources/runs/runs.ts";
import type { DoorCode, OrgDoor } from "../../edge/object/org-door.ts";
import { RUN_LIST } from "./list.ts";

/** Filters, by the names of the list's. */
export type ExportNames = Readonly<Record<string, string | undefined>>;

export interface RunPage {
  readonly runs: readonly RunResource[];
  readonly isLast: boolean;
}

export type NextPage = () => Promise<RunPage | Refusal<DoorCode>>;

const PAGE_RUNS = "500";

const iso = (ms: number) => new Date(ms).toISOString();

/** One page after another, oldest run first. */
export function pagesOf(
  org: OrgDoor,
  names: ExportNames,
  range: { readonly fromMs: number; readonly toMs: number },
): NextPage {
  const wanted = { ...names, from: iso(range.fromMs), to: iso(range.toMs) };
  let cursor: string | null = null;
  return async () => {
    const after: ExportNames = cursor === null ? {} : { cursor };
    const query = toListQuery(RUN_LIST, { ...wanted, ...after, limit: PAGE_RUNS, sort: "started_at" });
    const answer = await org.query("listRuns", query);
    if (isRefusal(answer)) return answer;
    cursor = answer.body.next_cursor;
    return { runs: answer.body.data, isLast: cursor === null } satisfies RunPage;
  };
}

export async function* allPages(first: RunPage, next: NextPage): AsyncGenerator<RunPage> {
  let page = first;
  for (;;) {
    yield page;
    if (page.isLast) return;
    const read = await next();
    if (isRefusal(read)) throw new Error(`the export stopped: ${read.code}`);
    page = read;
  }
}

/** Makes the next part only when the reader has taken those before: memory stays that of one page. */
export function streamOf(parts: AsyncGenerator<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await parts.next();
          if (done === true) return controller.close();
          // A page among many runs that do not match can be empty.
          if (value.length > 0) {
            return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
          }
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
