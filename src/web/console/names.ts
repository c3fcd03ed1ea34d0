import { words } from "./view/format.ts";
import type { ListOf, Visit } from "./visit.ts";

/** The names of limits, rules, policies and keys, by their ids. An id without a name stands for itself. */
export type NameOf = (id: string) => string;

/** More ids than a page shows are not looked up. */
const MOST_LOOKED_UP = 60;

interface Named {
  readonly name?: string | null;
  readonly scope_kind?: string;
  readonly scope_id?: string | null;
  readonly customer_id?: string;
  readonly reason?: string;
}

const KINDS: readonly (readonly [prefix: string, path: string])[] = [
  ["bud_", "budgets"],
  ["clm_", "customer-limits"],
  ["rule_", "policy-rules"],
  ["pack_", "credit-packs"],
];

export async function readNames(visit: Visit, ids: Iterable<string | null | undefined>): Promise<NameOf> {
  const wanted = [...new Set(ids)].filter((id): id is string => typeof id === "string" && id !== "");
  const found = new Map<string, string>();
  const tasks: Promise<void>[] = [];
  if (wanted.some((id) => id.startsWith("key_"))) tasks.push(addKeys(visit, found));
  if (wanted.some((id) => id.startsWith("rlp_"))) tasks.push(addRatePolicies(visit, found));
  for (const id of wanted.slice(0, MOST_LOOKED_UP)) {
    const path = KINDS.find(([prefix]) => id.startsWith(prefix))?.[1];
    if (path !== undefined) tasks.push(addOne(visit, path, id, found));
  }
  await Promise.all(tasks);
  return (id) => found.get(id) ?? (/^[a-z_]+$/.test(id) ? words(id) : id);
}

async function addOne(visit: Visit, path: string, id: string, found: Map<string, string>): Promise<void> {
  const { body } = await visit.api.get<Named>(`${visit.org}/${path}/${encodeURIComponent(id)}`);
  if (body !== null) found.set(id, nameOf(body) ?? id);
}

function nameOf({ name, scope_kind: kind, scope_id: scope, customer_id: customer, reason }: Named) {
  if (name) return name;
  if (customer !== undefined) return `Limit of ${customer === "*" ? "every customer" : customer}`;
  if (kind !== undefined) return scope ? `${words(kind)} ${scope}` : "Whole org";
  return reason;
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
