import { DIMENSIONS, type DimensionProperty } from "../../../contract/dimensions.ts";
import { tagsOf } from "../tags.ts";
import { type Scopes, scopesOf } from "../../meter/limit-set.ts";
import type { CallNames } from "../../meter/traits.ts";
import type { RunRecord } from "./record.ts";

/** The names by which runs are told apart, without those that the run does not give. */
export type RunNames = { readonly [Property in DimensionProperty | "tags"]?: string };

export function runNames(run: RunRecord): RunNames {
  const names: { -readonly [Property in keyof RunNames]: RunNames[Property] } = {};
  for (const { property } of DIMENSIONS) {
    const name = run[property];
    if (name !== null) names[property] = name;
  }
  if (run.tags !== null) names.tags = run.tags;
  return names;
}

/** The same by the names of fields. */
export function callNames(names: RunNames): CallNames {
  const said = DIMENSIONS.flatMap(({ name, property }) => {
    const value = names[property];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(said), ...(names.tags === undefined ? {} : { tags: tagsOf(names.tags) }) };
}

/** Returns what limits match of it. */
export function runScopes(names: RunNames): Scopes {
  const { key_id: keyId, ...said } = callNames(names);
  return scopesOf(said, { keyId });
}
