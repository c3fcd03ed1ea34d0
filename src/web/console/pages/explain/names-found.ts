import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import type { Key } from "../../../../contract/resources/keys.ts";
import type { Model } from "../../../../contract/resources/models.ts";
import type { PolicyRuleResource } from "../../../../contract/resources/policy-rules.ts";
import type { UsageNames } from "../../../../contract/resources/usage/usage-names.ts";
import { matchRank } from "../../../../domain/text/match-rank.ts";
import { customerAt } from "../../view/links.ts";
import { NAVIGATED } from "../../view/navigation.tsx";
import { type Failed, isUnread } from "../../view/unread.tsx";
import type { Answer, ListOf, Visit } from "../../visit.ts";
import { appliesTo } from "../budgets/budget-words.ts";

/** Something that is found by its name. */
export interface FoundName {
  readonly kind: string;
  readonly title: string;
  readonly href: string;
}

/** What was found, and what could not be read. */
export interface Found {
  readonly names: readonly FoundName[];
  readonly unread: Failed | null;
}

/** Finds what is of one kind. */
type Kind = (visit: Visit, sought: string) => Promise<Found>;

/** What the API answers where a role or a session may not read. */
const NOT_FOR_READER: ReadonlySet<string> = new Set(["forbidden", "missing_scope"]);

/** How many of each kind are shown. */
const MOST_SHOWN = 5;

/** The kinds that can be found by a name. */
const KINDS: readonly Kind[] = [
  pages,
  listed("Customer", "customers", ({ customer_id: id, name }: CustomerStanding) => [
    name === null ? id : `${name} (${id})`,
    customerAt(id),
  ]),
  listed("Budget", "budgets", (budget: Budget) => [
    budget.name ?? appliesTo(budget),
    `/console/budgets/${encodeURIComponent(budget.id)}`,
  ]),
  listed("Key", "keys", ({ id, name }: Key) => [name, `/console/keys/${encodeURIComponent(id)}`]),
  listed("Model", "models", ({ model }: Model) => [model, `/console/models/${encodeURIComponent(model)}`]),
  listed("Policy", "policy-rules", ({ id, reason }: PolicyRuleResource) => [
    reason,
    `/console/policies/${encodeURIComponent(id)}`,
  ]),
  users,
];

/** Returns what has a name with this text in it, names that begin with it first. */
export async function findNames(visit: Visit, sought: string): Promise<Found> {
  return allOf(await Promise.all(KINDS.map((find) => find(visit, sought))));
}

export function allOf(found: readonly Found[]): Found {
  const unread = found.map((one) => one.unread).find((one) => one !== null) ?? null;
  return { names: found.flatMap(({ names }) => names), unread };
}

/** What the reader may not read is not found, and is no failure. */
export function foundIn<T>(answer: Answer<T>, namesOf: (body: T) => readonly FoundName[]): Found {
  if (answer.body !== null) return { names: namesOf(answer.body), unread: null };
  const isHidden = NOT_FOR_READER.has(answer.error?.code ?? "");
  return { names: [], unread: !isHidden && isUnread(answer) ? answer : null };
}

/** `shown` gets rows as the API shows those of this list. */
function listed(
  kind: string,
  path: string,
  shown: (row: never) => readonly [title: string, href: string],
): Kind {
  return async (visit, sought) => {
    const asked = new URLSearchParams({ contains: sought, limit: String(MOST_SHOWN) });
    return foundIn(await visit.api.get<ListOf<never>>(`${visit.org}/${path}?${asked}`), ({ data }) =>
      data.map((row) => {
        const [title, href] = shown(row);
        return { kind, title, href };
      }),
    );
  };
}

async function pages(_visit: Visit, sought: string): Promise<Found> {
  const ranked = NAVIGATED.map(([href, title]) => ({ title, href, rank: matchRank(title, sought) }));
  const names = ranked
    .filter(({ rank }) => rank !== null)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .slice(0, MOST_SHOWN)
    .map(({ title, href }) => ({ kind: "Page", title, href }));
  return { names, unread: null };
}

/** The users of the latest runs. */
async function users(visit: Visit, sought: string): Promise<Found> {
  const asked = new URLSearchParams({ by: "user_id", contains: sought, limit: String(MOST_SHOWN) });
  return foundIn(await visit.api.get<UsageNames>(`${visit.org}/usage/names?${asked}`), ({ data }) =>
    data.map(({ name }) => ({
      kind: "User",
      title: name,
      href: `/console/runs?${new URLSearchParams({ user_id: name })}`,
    })),
  );
}
