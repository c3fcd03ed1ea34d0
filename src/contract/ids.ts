import * as z from "zod";
import { CALLER_ID_MOST_CHARACTERS, PRINTABLE_ASCII } from "./bounds.ts";
import type { MeterIdPrefix } from "./meter-kinds.ts";

/** Every id is `<prefix>_<26-character ULID>`. */
export type IdPrefix =
  | "org"
  | "key"
  | "run"
  | "dec"
  | "rsv"
  | "rlp"
  | "rule"
  | "apr"
  | "sub"
  | "dlv"
  | "evt"
  | "coh"
  | "aud"
  | "grt"
  | "ses"
  | "adj"
  | "ref"
  | "ctk"
  | "bak"
  | "inc"
  | MeterIdPrefix;

export function idShape(prefix: IdPrefix) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`), `must be ${prefix}_ and 26 letters and digits`)
    .meta({ description: `\`${prefix}_\` followed by a ULID.` });
}

/** Ids that callers choose: 1 to 128 printable ASCII characters. */
export const callerId = z
  .string()
  .min(1)
  .max(CALLER_ID_MOST_CHARACTERS)
  .regex(PRINTABLE_ASCII, "must be 1 to 128 printable ASCII characters");
