import * as z from "zod";
import { DIMENSION_NAMES } from "../../dimensions.ts";
import { callerId } from "../../ids.ts";
import { momentInput } from "../../list.ts";
import { LEFT_OUT, parseTagFilter, parseWithoutFilter } from "../../run-filters.ts";
import { dimensionShape } from "../usage/dimension-shape.ts";

const tag = z
  .string()
  .refine((text) => parseTagFilter(text) !== null, {
    message: "must be a tag's name and value, such as team:search",
    params: { code: "invalid_format" },
  })
  .meta({
    description: "Only runs with this tag: its name, a colon and its value.",
    examples: ["team:search"],
  });

const without = z
  .string()
  .refine((text) => parseWithoutFilter(text) !== null, {
    message: `must be tag:NAME or one of ${LEFT_OUT.join(", ")}`,
    params: { code: "invalid_value" },
  })
  .meta({
    description: `Only runs that do not name this: ${LEFT_OUT.join(", ")}, or tag:NAME.`,
    examples: ["customer_id"],
  });

/** Filters of runs in lists and exports: by what they were charged to. */
export const CHARGE_FILTERS: Readonly<Record<string, z.ZodType<string>>> = {
  limit_id: callerId.meta({
    description: "Only runs that were charged to this limit.",
    examples: ["bud_01M7HTM37XKXAVSGTYB4RGP8HM"],
  }),
  charged_from: momentInput.meta({
    description: "Only runs with a `charged_at` from this time on: RFC 3339, or YYYY-MM-DD.",
  }),
};

/** Filters of runs, in lists, exports and reports: by the names that runs have, and by tags. */
export const RUN_FILTERS: Readonly<Record<string, z.ZodType<string>>> = {
  ...Object.fromEntries(DIMENSION_NAMES.map((name) => [name, dimensionShape(name)])),
  tag,
  without,
};
