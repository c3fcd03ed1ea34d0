import { toWords } from "./view/format.ts";
import type { ListOf, Visit } from "./visit.ts";

/** The names of limits, rules, policies, keys and people, by their ids. An id without a name stands for itself. */
export type NameOf = (id: string) => string;

/** More ids than a page shows are not looked up. */
const MOST_LOOKED_UP = 60;

interface NamedItem {
  readonly name?: string | null;
  readonly scope_kind?: string;
  readonly scope_id?: string | null;
  readonly customer_id?: string;
  readonly reason?: string;
  readonly url?: string;
}

/** The kinds of things whose names are looked up one by one. */
const KINDS: readonly (readonly [prefix: string, path: string])[] = [
  ["bud_", "budgets"],
  ["clm_", "customer-limits"],
  ["rule_", "policy-rules"],
  ["pack_", "credit-packs"],
  ["sub_", "webhooks"],
  ["key_", "keys"],
];

/** The kinds of things that are read as one list, which then has all or most of them. */
const LISTS: readonly (readonly [
  prefix: string,
  add: (visit: Visit, found: Map<string, string>) => Promise<void>,
])[] = [
  ["key_", addKeys],
  ["rlp_", addRatePolicies],
  ["ses_", addPeople],
];

export async function readNames(visit: Visit, ids: Iterable<string | null | undefined>): Promise<NameOf> {
  const wanted = [...new Set(ids)].filter((id): id is string => typeof id === "string" && id !== "");
  const found = new Map<string, string>();
  const lists = LISTS.filter(([prefix]) => wanted.some((id) => id.startsWith(prefix)));
  await Promise.all(lists.map(([, add]) => add(visit, found)));
  const left = wanted.filter((id) => !found.has(id)).slice(0, MOST_LOOKED_UP);
  await Promise.all(
    left.map(async (id) => {
      const path = KINDS.find(([prefix]) => id.startsWith(prefix))?.[1];
      if (path !== undefined) await addOne(visit, path, id, found);
    }),
  );
  return (id) => found.get(id) ?? (/^[a-z_]+$/.test(id) ? toWords(id) : id);
}

async function addOne(visit: Visit, path: string, id: string, found: Map<string, string>): Promise<void> {
  const { body } = await visit.api.get<NamedItem>(`${visit.org}/${path}/${encodeURIComponent(id)}`);
  if (body !== null) found.set(id, nameOf(body) ?? id);
}

function nameOf({ name, scope_kind: kind, scope_id: scope, customer_id: customer, reason, url }: NamedItem) {
  if (name) return name;
  if (customer !== undefined) return `Limit of ${customer === "*" ? "every customer" : customer}`;
  if (kind === "match") return "Matching calls";
  if (kind !== undefined) return scope ? `${toWords(kind)} ${scope}` : "Whole org";
  return reason ?? url;
}

async function addKeys(visit: Visit, found: Map<string, string>): Promise<void> {
  const { body } = await visit.api.get<ListOf<{ id: string; name: string }>>(`${visit.org}/keys?limit=200`);
  for (const { id, name } of body?.data ?? []) found.set(id, name);
}

async function addRatePolicies(visit: Visit, found: Map<string, string>): Promise<void> {
  const { body } = await visit.api.get<{ policies: readonly { id: string; name: string }[] }>(
    `${visit.org}/rate-limits`,
  );
  for (const { id, name } of body?.policies ?? []) found.set(id, name);
}

/** Whoever is signed in now. */
async function addPeople(visit: Visit, found: Map<string, string>): Promise<void> {
  const { body } = await visit.api.get<ListOf<{ id: string; user: { name: string; email: string | null } }>>(
    `${visit.org}/sessions?limit=200`,
  );
  for (const { id, user } of body?.data ?? []) found.set(id, user.email ?? user.name);
}
