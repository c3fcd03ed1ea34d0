import { createHmac } from "node:crypto";
import { sameSecret } from "../key/api-key.ts";
import type { CallNames } from "./traits.ts";

/**
 * What a hold is made against, as it is given to a gate outside: signed, because such a gate reports its holds by it, and
 * whoever could write one could leave a limit out. It is good for one key of one org.
 */
export interface SignedLimitSet {
  /** The version of the limits that it names; others may apply once they change. */
  readonly version: string;
  /** Lease keys of dollar limits. */
  readonly keys: readonly string[];
  /** The keys among them whose limits count tokens, and those that count runs. */
  readonly ofTokens: readonly string[];
  readonly ofRuns: readonly string[];
  /** The meters' ids, between spaces. */
  readonly meters: string;
  readonly customer: string | null;
  /** Lease keys of rate limits in requests, in tokens and in dollars. */
  readonly requests: readonly string[];
  readonly tokens: readonly string[];
  readonly dollars: readonly string[];
  /** The keys among them whose limits count a call by its body. */
  readonly byBody: readonly string[];
  /** The values of the call where limits look at it. Null where it said nothing. */
  readonly names: { readonly [Name in keyof CallNames]?: CallNames[Name] | null };
}

export interface LimitSetHolder {
  readonly pepper: string;
  /** Accepted too, while the pepper is being changed. */
  readonly otherPepper?: string | undefined;
  readonly orgId: string;
  readonly keyId: string;
}

export function signLimitSet(holder: LimitSetHolder, limitSet: SignedLimitSet): string {
  const text = Buffer.from(JSON.stringify(limitSet)).toString("base64url");
  return `${text}.${markOf(holder, text)}`;
}

/** Null: it was not given to this key, or was changed. */
export function verifyLimitSet(holder: LimitSetHolder, token: string): SignedLimitSet | null {
  const [text = "", mark = ""] = token.split(".");
  const { pepper, otherPepper = pepper } = holder;
  const isOurs = [pepper, otherPepper].some((one) =>
    sameSecret(mark, markOf({ ...holder, pepper: one }, text)),
  );
  if (!isOurs) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as SignedLimitSet;
}

function markOf({ pepper, orgId, keyId }: LimitSetHolder, text: string): string {
  const said = `lease-touch:${orgId}:${keyId}:${text}`;
  return createHmac("sha256", pepper).update(said).digest("base64url").slice(0, 32);
}
