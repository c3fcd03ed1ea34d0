import * as z from "zod";
import {
  type Dimension,
  EACH,
  isTagValue,
  isTrait,
  MATCHED,
  type RateTrait,
  TAG_PREFIX,
} from "../../dimensions.ts";
import { SAFE_ID } from "../../bounds.ts";
import { callerId } from "../../ids.ts";
import { REPORTED_OUTCOMES } from "../../lists.ts";
import { taggedWith } from "../decisions/attribution.ts";
import { dimensionShape, modelName } from "../usage/dimension-shape.ts";

/** The most values of one part of a match. */
const MOST_VALUES = 100;

function oneOrMany(shape: z.ZodType<string>) {
  return z.union([shape, z.array(shape).min(1).max(MOST_VALUES)]);
}

/** The shape of each name where a limit says which calls it applies to. */
const SHAPES: Readonly<Partial<Record<RateTrait, z.ZodType<string>>>> = {
  key_id: z.string().regex(SAFE_ID, "must be the id of a key"),
  model: modelName.refine((text) => !text.slice(0, -1).includes("*"), {
    message: "may have `*` only at its end, where it stands for any ending",
    params: { code: "invalid_format" },
  }),
  variant: callerId,
  chain_id: callerId,
  outcome: z.enum([...REPORTED_OUTCOMES, EACH]),
};

export const matchedTags = taggedWith<string | readonly string[]>({
  isValue: areTagValues,
  message: `must be a value, or a list of 1 to ${MOST_VALUES}, of 1 to 200 characters`,
  schema: {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, maxItems: MOST_VALUES }],
  },
  description: "Tags that a call must have, each with a value or a list of values.",
});

function areTagValues(value: unknown): boolean {
  if (!Array.isArray(value)) return isTagValue(value);
  return value.length >= 1 && value.length <= MOST_VALUES && value.every(isTagValue);
}

type OneOrMany = string | string[];
type PartsShape<Name extends RateTrait> = { [Each in Name]: z.ZodOptional<z.ZodType<OneOrMany, OneOrMany>> };

/** A value or a list of values for each name. */
export function matchParts<Name extends RateTrait>(names: readonly Name[]): PartsShape<Name> {
  return Object.fromEntries(
    names.map((name) => [name, oneOrMany(SHAPES[name] ?? dimensionShape(name as Dimension)).optional()]),
  ) as unknown as PartsShape<Name>;
}

/** Selects the calls that a limit applies to: those that have one of the values of every part. */
export const budgetMatch = z
  .strictObject({
    ...matchParts(MATCHED),
    tags: matchedTags.optional(),
  })
  .meta({
    id: "BudgetMatch",
    description:
      "Each part is a value or a list of values. A call must match all of them; an empty match applies to every call. A model may end in `*`.",
    examples: [{ model: "gpt-*", tags: { team: ["search", "ads"] } }],
  });

const MOST_GROUPS = 2;

export const budgetGroups = z
  .array(
    z.string().refine(isTrait, {
      message: `must be one of ${MATCHED.join(", ")}, tags, or ${TAG_PREFIX}NAME`,
      params: { code: "invalid_value" },
    }),
  )
  .min(1)
  .max(MOST_GROUPS)
  .refine((names) => new Set(names).size === names.length, {
    message: "names a group twice",
    params: { code: "duplicate" },
  })
  .meta({
    description: `One or two of ${MATCHED.join(", ")}, tags (all of them together) or ${TAG_PREFIX}NAME. Each value has its own counter and the whole limit. Calls without the value share one.`,
    examples: [["user_id"]],
  });
