import { COUNTED_BY, type CountedBy, TAG_PREFIX, type Trait } from "../../contract/dimensions.ts";

/** The fields of calls that limits count by: each once, in alphabetical order. */
export function countedBy(traits: Iterable<Trait>): CountedBy[] {
  const fields = new Set<string>();
  for (const trait of traits) fields.add(trait.startsWith(TAG_PREFIX) ? "tags" : trait);
  return COUNTED_BY.filter((field) => fields.has(field)).sort();
}
