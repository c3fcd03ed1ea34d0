import { ABSENT, type RateTrait, TAG_PREFIX, type Trait } from "../../contract/dimensions.ts";
import { type Tags, tagsText } from "../run/tags.ts";

/** The names in a call by which limits tell calls apart. */
export type CallNames = { readonly [Name in Exclude<RateTrait, "chain_id">]?: string | undefined } & {
  readonly tags?: Tags | undefined;
  readonly chain?: { readonly chain_id: string } | undefined;
};

/** Returns what a call has of a trait. Null if there is nothing. */
export function traitIn(names: CallNames, trait: Trait): string | null {
  if (trait === "tags") return tagsText(names.tags);
  if (trait === "chain_id") return names.chain?.chain_id ?? null;
  if (isTag(trait)) return tagIn(names.tags, trait.slice(TAG_PREFIX.length));
  return names[trait] ?? ABSENT[trait] ?? null;
}

function isTag(trait: Trait): trait is `tag:${string}` {
  return trait.startsWith(TAG_PREFIX);
}

function tagIn(tags: Tags | undefined, name: string): string | null {
  return tags !== undefined && Object.hasOwn(tags, name) ? (tags[name] ?? null) : null;
}

/** The subject of a counter that belongs to a group of calls: what they have in common. It is one line. */
export function groupOf(names: CallNames, groupBy: readonly Trait[]): string {
  return JSON.stringify(groupBy.map((trait) => traitIn(names, trait)));
}

/** By trait, what the calls of a group have in common. Null if they have none. */
export function groupValues(groupBy: readonly Trait[], subject: string): Record<string, string | null> {
  const values = JSON.parse(subject) as (string | null)[];
  return Object.fromEntries(groupBy.map((trait, at) => [trait, values[at] ?? null]));
}

/** The group in words. Null if its calls have nothing of what they are grouped by. */
export function groupText(subject: string): string | null {
  const values = (JSON.parse(subject) as (string | null)[]).map((value) => value ?? "");
  return values.every((value) => value === "") ? null : values.join(", ");
}
