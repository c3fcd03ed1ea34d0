import * as z from "zod";
import type { Peppers } from "./domain/peppers.ts";

/** Where the platform places this region's objects. A jurisdiction is guaranteed, a hint is not. */
export type ObjectPlacement =
  | { readonly kind: "anywhere" }
  | { readonly kind: "jurisdiction"; readonly jurisdiction: DurableObjectJurisdiction }
  | { readonly kind: "hint"; readonly hint: DurableObjectLocationHint };

/** The list of all settings, with default and validation. Secrets have no default. */

const wholeNumber = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .default(fallback);

const secret = z.string("is required").min(32, "must be a secret of at least 32 characters");
const address = z.url("must be an absolute URL").transform((url) => url.replace(/\/+$/, ""));

const regions = z
  .string()
  .transform((text, context): Record<string, string> => {
    try {
      return z.record(z.string().regex(/^[a-z0-9-]{1,32}$/), z.string().min(1)).parse(JSON.parse(text));
    } catch {
      context.addIssue({
        code: "custom",
        message: "must be a JSON object that maps each region to an address or service binding",
      });
      return z.NEVER;
    }
  })
  .default({});

const placement = z
  .string()
  .regex(
    /^(jurisdiction:(eu|us|fedramp|fedramp-high)|hint:(wnam|enam|sam|weur|eeur|apac|oc|afr|me))?$/,
    "must be jurisdiction:<eu, us, fedramp, fedramp-high>, hint:<location hint>, or empty",
  )
  .transform((text): ObjectPlacement => {
    const [kind, where = ""] = text.split(":");
    if (kind === "jurisdiction") return { kind, jurisdiction: where as DurableObjectJurisdiction };
    return kind === "hint" ? { kind, hint: where as DurableObjectLocationHint } : { kind: "anywhere" };
  })
  .default({ kind: "anywhere" });

const SETTINGS = z.object({
  SVC_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9 and -")
    .default("local"),
  SVC_REGIONS: regions,
  SVC_OBJECT_PLACEMENT: placement,
  SVC_KEY_PEPPER: secret,
  SVC_KEY_PEPPER_PREVIOUS: secret.optional(),
  SVC_ACCEPT_UNCHECKED_KEYS: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true"),
  SVC_OPERATOR_KEY: secret,
  SVC_REGION_SECRET: secret.optional(),
  SVC_METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  // Before the documentation URL, which is derived from it locally, so that of two invalid settings this one is named.
  SVC_BASE_URL: address.default("http://127.0.0.1:8787"),
  SVC_DOCS_URL: address.default("http://127.0.0.1:8787/docs"),
  SVC_MAX_BODY_BYTES: wholeNumber(1_048_576, 1024, 67_108_864),
  SVC_MAX_BULK_BODY_BYTES: wholeNumber(8_388_608, 1024, 67_108_864),
  SVC_READ_LIMIT_PER_MINUTE: wholeNumber(600, 0, 1_000_000_000),
  SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: wholeNumber(60, 1, 86_400),
  SVC_COHORT_FLOOR: wholeNumber(10, 5, 1_000_000),
  SVC_WEBHOOK_ALLOW_PRIVATE: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true"),
});

export type Settings = z.output<typeof SETTINGS>;
export const SETTING_NAMES = Object.keys(SETTINGS.shape) as (keyof Settings)[];

/** This region, and every other region that this one has an address for. */
export function knownRegions({ SVC_REGION, SVC_REGIONS }: Settings): string[] {
  return [...new Set([SVC_REGION, ...Object.keys(SVC_REGIONS)])];
}

export function peppersOf({ SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS }: Settings): Peppers {
  return SVC_KEY_PEPPER_PREVIOUS === undefined ? [SVC_KEY_PEPPER] : [SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS];
}

/** Names the invalid setting, never its value, which may be a secret. */
export class BadSetting extends Error {
  override readonly name = "BadSetting";
}

const parsed = new WeakMap<object, Settings>();

/** The environment, parsed once per isolate. Throws `BadSetting` if a value is invalid. */
export function settingsOf(env: object): Settings {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const result = SETTINGS.safeParse(env);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new BadSetting(`Setting ${String(issue?.path[0])} ${issue?.message ?? "is invalid"}.`);
  }
  const { SVC_REGION, SVC_REGIONS, SVC_REGION_SECRET, SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS } = result.data;
  if (SVC_KEY_PEPPER === SVC_KEY_PEPPER_PREVIOUS) {
    throw new BadSetting("Setting SVC_KEY_PEPPER_PREVIOUS must not be the same as SVC_KEY_PEPPER.");
  }
  const hasPeers = Object.keys(SVC_REGIONS).some((region) => region !== SVC_REGION);
  if (hasPeers && SVC_REGION_SECRET === undefined) {
    throw new BadSetting("Setting SVC_REGION_SECRET is required when SVC_REGIONS names other regions.");
  }
  parsed.set(env, result.data);
  return result.data;
}
