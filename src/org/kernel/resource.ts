import type { ListQuery, Page } from "../../contract/list.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import { listRows, type ListSource } from "../../storage/list-rows.ts";
import { type CheckpointedView, query, type Query } from "./door.ts";

/** The query for one resource. */
export function readOne<Input, B extends object>(
  find: (view: CheckpointedView, input: Input) => B | null,
): Query<Input, "not_found", B> {
  return query({ refuses: ["not_found"], run: (view, input) => find(view, input) ?? refuse("not_found") });
}

/** The query for a page of resources, each from a row. */
export function readList<R extends Record<string, SqlStorageValue>, Item, const Table extends string>(
  sourceOf: (view: CheckpointedView) => ListSource<R, Item, Table>,
): Query<ListQuery, never, Page<Item>> {
  return query({ refuses: [], run: (view, list) => listRows(view.sql, sourceOf(view), list) });
}

/** Why an organization can have no more of a kind of resource. */
export function refuseMore(most: number, resources: string): Refusal<"conflict"> {
  const message = `An organization can have at most ${most} ${resources}. Delete one first.`;
  return refuse("conflict", {}, { message });
}
