import type { ErrorCode } from "../contract/errors.ts";
import { refuse } from "../contract/refusal.ts";
import { fetchingOrRefusing } from "../storage/needs-fetch.ts";
import type { Envelope, CheckpointedView, Outcome, Query } from "./kernel/door.ts";
import { checkpointFirst } from "../storage/transaction.ts";
import type { ObjectContext } from "./object-context.ts";
import * as QUERIES from "./queries.ts";

export type QueryName = keyof typeof QUERIES;

/** All that a query knows of its call. */
export type AskedBy = Pick<Envelope, "actor" | "trace">;

/** The type makes sure that callers can name nothing else. */
const ALL: Readonly<Record<QueryName, Query<never, ErrorCode>>> = QUERIES;

/** Answers a query, at once if everything that it reads is here. */
export function askOf(
  context: ObjectContext,
  name: QueryName,
  input: unknown,
  { actor, trace }: AskedBy,
): Outcome | object | Promise<Outcome | object> {
  const { departure, storage, refusals, contexts, book } = context;
  if (!context.isOpened) return departure.answer(refuse("not_found"));
  const query = ALL[name] as unknown as Query<unknown, ErrorCode>;
  if (query.readsRefusals === true) refusals.store();
  const view = (): CheckpointedView => ({
    ...contexts.view({ actor, trace }),
    sql: checkpointFirst(storage),
  });
  const models = query.models?.(input, view()) ?? [];
  const now = contexts.now();
  const run = () =>
    fetchingOrRefusing(() => {
      // Others are served while it waits.
      if (!context.isOpened) return departure.answer(refuse("not_found"));
      return query.run(view(), input);
    }, actor.kind === "operator");
  if (book.missing(models, now).length === 0) return run();
  // If the org has left meanwhile, its new home knows the prices.
  return book.load(models, now, trace).then((unread) => (context.isOpened && unread) || run());
}
