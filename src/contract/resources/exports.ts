import * as z from "zod";
import { withKinds, withRule } from "../field-rules.ts";
import { pageOf } from "../list.ts";
import { EXPORT_FORMATS, EXPORT_PERIODS, FOCUS_VERSIONS, SPAN_FORMAT, SPAN_PERIOD } from "../lists.ts";
import type { Unchanging } from "../reply-type.ts";
import { optionalOrNull, timestamp, usd } from "../shapes.ts";
import { storedHeaders } from "../stored-headers.ts";

export const EXPORT_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const prefix = z
  .string()
  .max(200)
  .regex(
    /^(?:[A-Za-z0-9!_.*'()=-]+(?:\/[A-Za-z0-9!_.*'()=-]+)*\/?)?$/,
    "must be names of A-Z a-z 0-9 ! _ . * ' ( ) = - separated by single slashes, without one at the start",
  )
  .refine((text) => !text.split("/").some((part) => part === "." || part === ".."), {
    message: "must not contain . or .. as a name",
    params: { code: "invalid_format" },
  })
  .default("")
  .meta({ description: "What the names of all files begin with.", examples: ["usage/"] });

const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII characters without spaces");

const headers = storedHeaders({ longestValue: 4096 });

const newDestination = withKinds(
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("bucket"), prefix }),
    z.strictObject({
      kind: z.literal("s3"),
      endpoint: text(300).meta({
        description: "The https address of the storage, without a path.",
        examples: ["https://s3.eu-central-1.amazonaws.com"],
      }),
      bucket: z
        .string()
        .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be 3 to 63 characters of a-z 0-9 . -"),
      prefix,
      region: z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 characters of a-z 0-9 -"),
      access_key_id: text(128),
      secret_access_key: text(256).meta({ description: "Stored encrypted, and never returned." }),
    }),
    z.strictObject({
      kind: z.literal("otlp"),
      endpoint: text(300).meta({
        description:
          "The https address of a receiver of OTLP over HTTP. `/v1/traces` is added unless it ends so.",
        examples: ["https://otlp.example.com"],
      }),
      prefix,
      headers: optionalOrNull(headers).meta({
        description: "Sent with each request. Stored encrypted; only their names are returned.",
      }),
    }),
  ]),
);

export const newExport = withRule(
  z.strictObject({
    format: z
      .enum([...EXPORT_FORMATS, SPAN_FORMAT])
      .optional()
      .meta({ description: "Of the files. `otlp`, and the default, for a destination of kind otlp." }),
    focus_version: optionalOrNull(z.enum(FOCUS_VERSIONS)).meta({
      description: "The version of FOCUS, with `format: focus`. Default: 1.2.",
    }),
    every: z
      .enum([...EXPORT_PERIODS, SPAN_PERIOD])
      .optional()
      .meta({
        description:
          "The length of a window, in UTC. `minute`, and the default, for a destination of kind otlp.",
      }),
    destination: newDestination,
  }),
  ({ format, focus_version: version, every, destination: to }, { complain, isWrong }) => {
    if (version !== undefined && format !== undefined && format !== "focus")
      complain(["focus_version"], "invalid_value", "goes with format: focus only");
    if (to?.kind === "otlp" && to.prefix !== undefined && to.prefix !== "")
      complain(["destination", "prefix"], "invalid_value", "must be empty, because there are no files");
    const ofSpans = { format: SPAN_FORMAT, every: SPAN_PERIOD };
    for (const [field, given] of Object.entries({ format, every }) as ["format" | "every", unknown][]) {
      if (isWrong(field)) continue;
      const isOfSpans = given === ofSpans[field];
      if (to?.kind === "otlp") {
        if (given !== undefined && !isOfSpans)
          complain(
            [field],
            "invalid_value",
            `must be ${ofSpans[field]} or absent with a destination of kind otlp`,
          );
      } else if (given === undefined) complain([field], "required", "is required");
      else if (isOfSpans) complain([field], "invalid_value", "goes with a destination of kind otlp only");
    }
  },
);
export type NewExport = z.output<typeof newExport>;

const destination = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("bucket"), prefix: z.string() }),
  z.object({
    kind: z.literal("s3"),
    endpoint: z.string(),
    bucket: z.string(),
    prefix: z.string(),
    region: z.string(),
    access_key_id: z.string(),
  }),
  z.object({
    kind: z.literal("otlp"),
    endpoint: z.string(),
    prefix: z.string(),
    header_names: z.array(z.string()),
  }),
]);
export type Destination = z.output<typeof destination>;

export const scheduledExport = z
  .object({
    name: z.string(),
    format: z.enum([...EXPORT_FORMATS, SPAN_FORMAT]),
    focus_version: z.enum(FOCUS_VERSIONS).nullable(),
    every: z.enum([...EXPORT_PERIODS, SPAN_PERIOD]),
    destination,
    written_to: timestamp.meta({
      description: "Everything that was recorded before this time, since the export began, is written.",
    }),
    lag_seconds: z.int().meta({ description: "For how long a closed window has not been written. 0: none." }),
    last_error: z.string().nullable().meta({ description: "Why the last attempt failed. Null: it did not." }),
    spans: z
      .object({
        sent: z.int().meta({ description: "How many the receiver has taken." }),
        rejected: z.int().meta({ description: "How many it has rejected for good." }),
        dropped: z.int().meta({
          description: "How many waited for longer than a day, or were refusals that are counted only.",
        }),
        next_attempt_at: timestamp.nullable(),
      })
      .nullable()
      .meta({ description: "With a destination of kind otlp, since it was set." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "ScheduledExport" });
export type ScheduledExport = Unchanging<z.output<typeof scheduledExport>>;
export const scheduledExportPage = pageOf(scheduledExport);

export const exportWindow = z
  .object({
    from: timestamp,
    to: timestamp.meta({ description: "Not included." }),
    status: z.enum(["pending", "written"]),
    manifest: z.string().meta({ description: "The name of the manifest, which is written last." }),
    files: z.int().meta({ description: "How many are written, without the manifest." }),
    rows: z.int().meta({ description: "Of the files that are written." }),
    cost_usd: usd.meta({ description: "The sum of what those rows cost." }),
    attempts: z.int().meta({ description: "How many attempts have failed in a row." }),
    last_error: z.string().nullable(),
    next_attempt_at: timestamp.nullable(),
    written_at: timestamp.nullable(),
  })
  .meta({ id: "ExportWindow" });
export type ExportWindow = Unchanging<z.output<typeof exportWindow>>;
export const exportWindowPage = pageOf(exportWindow);
