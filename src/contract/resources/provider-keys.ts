import * as z from "zod";
import { KEY_HEADERS } from "../denied-headers.ts";
import { pageOf } from "../list.ts";
import type { Unchanging } from "../reply-type.ts";
import { optionalOrNull, timestamp } from "../shapes.ts";
import { storedHeaders } from "../stored-headers.ts";
import { modelName } from "./usage/dimension-shape.ts";

/** A provider's name as the proxy has it, and a suffix where an org has several keys of it: `openai/eu`. */
export const PROVIDER_KEY_NAME = /^[a-z][a-z0-9-]{0,39}(?:\/[a-z0-9][a-z0-9_-]{0,39})?$/;
const MOST_MODELS = 100;

const printable = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII characters");

const headers = storedHeaders({ longestValue: 1024, denied: KEY_HEADERS });

const servedModel = modelName.refine((text) => !text.slice(0, -1).includes("*"), {
  message: "may have * only at the end",
  params: { code: "invalid_format" },
});

export const newProviderKey = z.strictObject({
  secret: printable(4096).meta({
    description: "The provider's key. Stored encrypted, and never returned.",
    examples: ["sk-example-0000"],
  }),
  base_url: optionalOrNull(
    z
      .string()
      .max(300)
      .refine((text) => URL.canParse(text), {
        message: "must be an absolute URL",
        params: { code: "invalid_format" },
      }),
  ).meta({
    description:
      "Where calls with this key go: an https address on the public internet, with a path or without. Default: the provider's.",
  }),
  headers: optionalOrNull(headers).meta({
    description: "Headers that calls with this key carry. Stored encrypted; only their names are returned.",
  }),
  models: optionalOrNull(z.array(servedModel).min(1).max(MOST_MODELS)).meta({
    description:
      "The models that it serves, each by its name or by the beginning of names: `gpt-*`. Default: all.",
  }),
});
export type NewProviderKey = z.output<typeof newProviderKey>;

export const providerKey = z
  .object({
    provider: z.string().meta({ examples: ["openai", "openai/eu"] }),
    last4: z.string().meta({ description: "The last four characters of the secret." }),
    base_url: z.string().nullable(),
    header_names: z.array(z.string()),
    models: z.array(z.string()).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "ProviderKey" });
export type ProviderKey = Unchanging<z.output<typeof providerKey>>;
export const providerKeyPage = pageOf(providerKey);

/** The access that a proxy of the same account is given for a call. */
export const providerAccess = z.object({
  provider: z.string(),
  secret: z.string(),
  base_url: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  models: z.array(z.string()).nullable(),
});
export type ProviderAccess = z.output<typeof providerAccess>;
