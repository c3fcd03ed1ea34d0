import { isKeptCode } from "../../contract/kept-refusals.ts";
import { isUsd } from "../price/money.ts";
import { limitOf, type NamedRefusal } from "./note.ts";

/** The limit or rule that refused, whom it refused, and how much was asked for. */
export interface RefusedFields {
  readonly limit: string;
  readonly customer: string | null;
  readonly amount_usd: string | null;
}

/** A name in a log line is cut after this many characters. */
const LONGEST = 200;

/** The fields of a body that name a customer and an amount. */
interface BodyFields {
  readonly customer_id?: unknown;
  readonly cost_usd?: unknown;
  readonly estimate?: { readonly cost_usd?: unknown };
}

/** Null if no limit or rule refused. `body` is what was read of the call so far. */
export function refusedFields(
  refusal: NamedRefusal & { readonly amountUsd?: string },
  body: unknown,
): RefusedFields | null {
  if (!isKeptCode(refusal.code)) return null;
  const named = (typeof body === "object" && body !== null ? body : {}) as BodyFields;
  const { attempted_usd } = refusal.details as { attempted_usd?: unknown };
  const amounts = [refusal.amountUsd, attempted_usd, named.estimate?.cost_usd, named.cost_usd];
  const amount = amounts.find((one) => typeof one === "string" && isUsd(one));
  return {
    limit: limitOf(refusal).slice(0, LONGEST),
    customer: typeof named.customer_id === "string" ? named.customer_id.slice(0, LONGEST) : null,
    amount_usd: (amount as string | undefined) ?? null,
  };
}
