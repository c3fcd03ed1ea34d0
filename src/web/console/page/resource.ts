import type { Child } from "hono/jsx";
import type { KeyRole } from "../../../contract/access.ts";
import type { NameOf } from "../names.ts";
import type { Field } from "../view/field.ts";
import type { Filter } from "../view/filters.tsx";
import type { IconName } from "../view/icons.tsx";
import type { NoticeName } from "../view/notice.tsx";
import type { Fact } from "../view/parts.tsx";
import type { Column } from "../view/table.tsx";
import type { PageRequest, PageResponse, Visit } from "../visit.ts";
import type { Method } from "./act.ts";

/**
 * Pages for an API resource: a list, a form to create an item, a page for each item with a form to change it, and
 * action buttons. This folder has what these pages share; a resource describes only its own part.
 */
export interface Resource<T> {
  /** The path of its pages. */
  readonly path: string;
  /** The path of the API resource, under the org. */
  readonly api: string;
  readonly title: string;
  readonly about: string;
  /** The name of one item. */
  readonly one: string;
  readonly icon: IconName;
  /** Shown instead of an empty list. */
  readonly empty: readonly [title: string, text: Child];
  /** The role that may change it. */
  readonly role: KeyRole;
  idOf(row: T): string;
  nameOf(row: T): string;
  /** Stands below the name. */
  subOf?(row: T): Child;
  readonly columns: readonly Column<T>[];
  /** Columns for what the rows alone do not say, such as the names of their ids. They follow the others. */
  moreColumns?(visit: Visit, rows: readonly T[]): Promise<readonly Column<T>[]>;
  /** The order of the list, if not newest first. */
  readonly sort?: string;
  /** The filters of the list. */
  readonly filters?: readonly Filter[];
  readonly create?: Create;
  readonly change?: Change<T>;
  readonly actions?: readonly Action<T>[];
  /** The time is by the clock of the org. */
  factsOf?(row: T, nameOf: NameOf, nowMs: number): readonly Fact[];
  /** The ids whose names its page shows. */
  idsIn?(row: T): readonly (string | null)[];
  /** True if its list takes long to read. */
  readonly takesLong?: true;
  /** The content below the list. */
  belowList?(visit: Visit, ask: PageRequest): Promise<Child>;
  /** The content of a page between an item's facts and its forms. */
  above?(visit: Visit, row: T): Promise<Child>;
  /** The content of a page below its main subject. */
  below?(visit: Visit, ask: PageRequest, row: T): Promise<Child>;
}

interface Create {
  readonly title: string;
  readonly save: string;
  readonly fields: readonly Field[];
  /** The suggestions for text fields, by their names. */
  readonly offers?: (visit: Visit) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** The request body, from what the fields say. */
  readonly bodyOf?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** The form's field for one of the API, where they differ. */
  readonly complaintAt?: (field: string) => string;
  /** The path of a resource that is created with PUT. */
  readonly put?: (form: URLSearchParams) => string;
  /** Asks once more before something far-reaching is created. The API has checked it and says what it would be. */
  readonly question?: (wouldBe: unknown, visit: Visit) => Promise<string | null>;
  /** The page that is shown afterwards, if not the list. */
  readonly done?: (made: unknown) => PageResponse;
}

interface Change<T> {
  readonly method: "PATCH" | "PUT";
  readonly fields: readonly Field[];
  /** The same fields, if what they offer depends on the item. */
  fieldsOf?(row: T): readonly Field[];
  /** With PUT: fields that the form does not show, sent as they are. */
  readonly keeps?: readonly string[];
  /** The request body, from what the fields say. */
  readonly bodyOf?: (body: Record<string, unknown>) => Record<string, unknown>;
  readonly note?: string;
}

export interface Action<T> {
  readonly name: string;
  readonly label: string;
  readonly method: Method;
  /** Relative to the path of the resource. */
  readonly api: string;
  /** The confirmation text, if the action cannot be undone. */
  confirm?(row: T): string;
  isFor?(row: T): boolean;
  /** True if it is shown in the list too. */
  readonly inList?: boolean;
  readonly fields?: readonly Field[];
  /** The fields that are sent beside those of the form. */
  readonly body?: object;
  readonly notice?: NoticeName;
  /** The page that is shown afterwards, if not a notice. */
  readonly done?: (answer: unknown, id: string) => PageResponse;
}

/** After a deletion the item has no page. */
export const DELETE = {
  name: "delete",
  label: "Delete",
  method: "DELETE",
  api: "",
  notice: "deleted",
} as const;

export function hasPage(resource: Pick<Resource<never>, "change" | "factsOf">): boolean {
  return resource.change !== undefined || resource.factsOf !== undefined;
}
