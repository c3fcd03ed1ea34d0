import * as z from "zod";
import { withRule } from "../../field-rules.ts";
import { wholeNumber } from "../../query-numbers.ts";
import { DIMENSION_NAMES, TAG_NAME, TAG_PREFIX } from "../../dimensions.ts";
import { momentInput } from "../../list.ts";
import { timestamp, usd } from "../../shapes.ts";
import { RUN_FILTERS } from "../runs/run-filter-shape.ts";
import { TOKEN_PARTS } from "../../token-classes.ts";

export const REPORT_TIMES = ["day", "week", "month"] as const;
export const REPORT_FORMATS = ["json", "csv"] as const;
/** The fields by which a report can be sorted, beside its first group. */
export const REPORT_SORTS = ["cost_usd", "runs", "tokens"] as const;
const MOST_GROUPINGS = 3;
export const REPORT_MOST_ROWS = 50_000;

type Times = (typeof REPORT_TIMES)[number];

export function isReportTime(name: string): name is Times {
  return (REPORT_TIMES as readonly string[]).includes(name);
}

function isGrouping(name: string): boolean {
  if (name.startsWith(TAG_PREFIX)) return TAG_NAME.test(name.slice(TAG_PREFIX.length));
  return isReportTime(name) || (DIMENSION_NAMES as readonly string[]).includes(name);
}

function problemOf(names: readonly string[]): { code: string; message: string } | null {
  if (names.length > MOST_GROUPINGS) return { code: "too_many", message: "must name 1 to 3 groups" };
  if (new Set(names).size < names.length) return { code: "duplicate", message: "names a group twice" };
  const wrong = names.find((name) => !isGrouping(name));
  if (wrong === undefined) return null;
  const known = [...REPORT_TIMES, ...DIMENSION_NAMES, `${TAG_PREFIX}NAME`].join(", ");
  return { code: "invalid_value", message: `names '${wrong}', which is not one of ${known}` };
}

const groupBy = z
  .string()
  .superRefine((text, context) => {
    const problem = problemOf(text.split(","));
    if (problem !== null)
      context.addIssue({ code: "custom", message: problem.message, params: { code: problem.code } });
  })
  .meta({
    description: `One to three, separated by commas: ${[...REPORT_TIMES, ...DIMENSION_NAMES].join(", ")}, or ${TAG_PREFIX}NAME.`,
    examples: ["customer_id,month"],
  });

const limit = wholeNumber(1, REPORT_MOST_ROWS)
  .optional()
  .meta({ description: `How many groups are returned, 1 to ${REPORT_MOST_ROWS}. Default: 1000.` });

const filters = Object.fromEntries(
  Object.entries(RUN_FILTERS).map(([name, shape]) => [
    name,
    shape.optional().meta({ description: `Only runs with this ${name}.`, ...shape.meta() }),
  ]),
) as Record<string, z.ZodOptional<z.ZodString>>;

const reportRange = {
  from: momentInput.optional().meta({ description: "RFC 3339 timestamp, or a date in `timezone`." }),
  to: momentInput.optional().meta({ description: "Not included. At most 400 days after `from`." }),
  timezone: z.string().optional().meta({ description: "IANA time zone of days. Default: UTC." }),
};

const sort = z.string().optional().meta({
  description:
    "`cost_usd`, `runs` or `tokens`, highest first, or the first group. Default: `cost_usd`, or the first group if it is a time.",
});

export const reportQuery = withRule(
  z.strictObject({
    ...filters,
    ...reportRange,
    group_by: groupBy,
    format: z.enum(REPORT_FORMATS).optional(),
    sort,
    limit,
  }),
  (query, { complain }) => {
    if (query.sort === undefined || query.group_by === undefined) return;
    const sorts: readonly string[] = [...REPORT_SORTS, query.group_by.split(",")[0] ?? ""];
    if (!sorts.includes(query.sort))
      complain(["sort"], "invalid_value", `must be one of ${sorts.join(", ")}`);
  },
);

/** The names by which a customer may group its own usage: none tells how the org is organized. */
const CUSTOMER_GROUPINGS: readonly string[] = [...REPORT_TIMES, "model"];

export const customerUsageQuery = z.strictObject({
  ...reportRange,
  group_by: groupBy
    .refine((text) => text.split(",").every((name) => CUSTOMER_GROUPINGS.includes(name)), {
      message: `must be one to three of ${CUSTOMER_GROUPINGS.join(", ")}`,
      params: { code: "invalid_value" },
    })
    .optional()
    .meta({ description: `One to three of ${CUSTOMER_GROUPINGS.join(", ")}. Default: day.` }),
  format: z.enum(REPORT_FORMATS).optional(),
  limit,
});

const figures = {
  cost_usd: usd.meta({ description: "Negative if more was given back by adjustments than was spent." }),
  runs: z.int(),
  tokens: z.int().meta({ description: "Input and output." }),
  input_tokens: z.int(),
  output_tokens: z.int(),
  ...(Object.fromEntries(TOKEN_PARTS.map(({ field }) => [field, z.int()])) as Record<
    (typeof TOKEN_PARTS)[number]["field"],
    z.ZodInt
  >),
  saved_usd: usd.meta({
    description:
      "What cache reads and cheaper variants, such as batches, would have cost at the base rates, less what they cost. Of runs that the price book priced.",
  }),
  revenue_usd: usd.nullable().optional().meta({
    description:
      "What the customer pays for this time. Null if nobody has set it; in totals, of all customers that have it. Only in reports by customer, for keys with `customers:write`.",
  }),
  margin_usd: usd
    .nullable()
    .optional()
    .meta({ description: "`revenue_usd` less what the same customers cost. Null and absent like it." }),
};
const reportFigures = z.object(figures);
export type ReportFigures = z.output<typeof reportFigures>;

export const usageReport = z
  .object({
    from: timestamp,
    to: timestamp,
    timezone: z.string(),
    group_by: z.array(z.string()),
    deleted_before: timestamp.nullable().meta({
      description:
        "Runs recorded before this time were deleted under the retention policy. Null if none were.",
    }),
    includes_deleted: z.boolean().meta({
      description:
        "Whether cost, runs and tokens include deleted runs. So do tokens by class, unless a version that did not keep them has added to one of the days. False if `deleted_before` is null.",
    }),
    groups: z.int().meta({ description: "How many groups there are, returned or not." }),
    totals: reportFigures.meta({ description: "Of all groups, returned or not." }),
    data: z.array(
      z
        .object(figures)
        .catchall(z.union([z.string(), z.number()]).nullable().optional())
        .meta({ description: "Has a field for each group, named as in `group_by`. Null: runs without one." }),
    ),
  })
  .meta({ id: "UsageReport" });
export type UsageReport = z.output<typeof usageReport>;
