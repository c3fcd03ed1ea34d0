import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { customerAt } from "../../view/links.ts";
import { NAVIGATED } from "../../view/navigation.tsx";
import type { ListOf, Visit } from "../../visit.ts";
import { appliesTo } from "../budgets/budget-words.ts";

/** Something that is found by its name. */
export interface FoundName {
  readonly kind: string;
  readonly title: string;
  readonly href: string;
}

/** How many entries of a list are searched, and how many of each kind are shown. */
export const MOST_LOOKED_AT = 100;
const MOST_SHOWN = 5;
const SHORTEST = 2;

/**
 * The kinds that can be found by a name. Each reads one list, or a few rows of it. Names that the reader may not read
 * are not found.
 */
const KINDS: readonly ((visit: Visit, sought: string) => Promise<readonly FoundName[]>)[] = [
  pages,
  customers,
  budgets,
  listed("Key", "keys", (row) => {
    const { id, name } = row as { id: string; name: string };
    return [name, `/console/keys/${encodeURIComponent(id)}`];
  }),
  listed("Model", "models", (row) => {
    const { model } = row as { model: string };
    return [model, `/console/models/${encodeURIComponent(model)}`];
  }),
  listed("Policy", "policy-rules", (row) => {
    const { id, reason } = row as { id: string; reason: string };
    return [reason, `/console/policies/${encodeURIComponent(id)}`];
  }),
  users,
];

/** Returns what has a name with this text in it, names that begin with it first. */
export async function findNames(visit: Visit, sought: string): Promise<readonly FoundName[]> {
  if (sought.length < SHORTEST) return [];
  const found = await Promise.all(KINDS.map((find) => find(visit, sought)));
  return found.flat();
}

/** Those whose titles have the text in them. */
function matching(
  all: readonly FoundName[],
  sought: string,
  names = (one: FoundName) => one.title,
): readonly FoundName[] {
  const text = sought.toLowerCase();
  const placeOf = (one: FoundName) => names(one).toLowerCase().indexOf(text);
  return all
    .filter((one) => placeOf(one) >= 0)
    .toSorted((one, other) => Math.min(placeOf(one), 1) - Math.min(placeOf(other), 1))
    .slice(0, MOST_SHOWN);
}

async function pages(_visit: Visit, sought: string): Promise<readonly FoundName[]> {
  return matching(
    NAVIGATED.map(([href, title]) => ({ kind: "Page", title, href })),
    sought,
  );
}

function listed(kind: string, path: string, shown: (row: unknown) => readonly [title: string, href: string]) {
  return async (visit: Visit, sought: string): Promise<readonly FoundName[]> => {
    const { body } = await visit.api.get<ListOf<unknown>>(`${visit.org}/${path}?limit=${MOST_LOOKED_AT}`);
    const rows = (body?.data ?? []).map(shown);
    return matching(
      rows.map(([title, href]) => ({ kind, title, href })),
      sought,
    );
  };
}

/** By a part of the name, or by the beginning of the id. */
async function customers(visit: Visit, sought: string): Promise<readonly FoundName[]> {
  const asked = new URLSearchParams({ contains: sought, limit: String(MOST_SHOWN) });
  const { body } = await visit.api.get<ListOf<CustomerStanding>>(`${visit.org}/customers?${asked}`);
  return (body?.data ?? []).map(({ customer_id: id, name }) => ({
    kind: "Customer",
    title: name === null ? id : `${name} (${id})`,
    href: customerAt(id),
  }));
}

/** Asks only for budgets that match, because listing a budget reads all of its counters. */
async function budgets(visit: Visit, sought: string): Promise<readonly FoundName[]> {
  const asked = new URLSearchParams({ contains: sought, limit: String(MOST_SHOWN) });
  const { body } = await visit.api.get<ListOf<Budget>>(`${visit.org}/budgets?${asked}`);
  return (body?.data ?? []).map((budget) => ({
    kind: "Budget",
    title: budget.name ?? appliesTo(budget),
    href: `/console/budgets/${encodeURIComponent(budget.id)}`,
  }));
}

/** The users of the latest runs. */
async function users(visit: Visit, sought: string): Promise<readonly FoundName[]> {
  const { body } = await visit.api.get<ListOf<RunResource>>(`/v1/runs?limit=${MOST_LOOKED_AT}`);
  const ids = new Set((body?.data ?? []).flatMap(({ user_id: id }) => id ?? []));
  const found = [...ids].map((id) => ({
    kind: "User",
    title: id,
    href: `/console/runs?${new URLSearchParams({ user_id: id })}`,
  }));
  return matching(found, sought);
}
