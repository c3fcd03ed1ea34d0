import type { DetailsOf, FieldError } from "./error-details.ts";
import { ERRORS, type ErrorCode, type StatusOf } from "./errors.ts";

/** A refusal is a value: returned, never thrown, and serializable between an object and an isolate. */
export interface Refusal<C extends ErrorCode = ErrorCode> {
  readonly refused: true;
  readonly code: C;
  readonly status: number;
  readonly message: string;
  readonly details: object;
  /** Set if waiting helps but the details do not say how long. */
  readonly retryAfterSeconds?: number;
  /** The limit that refused, if the details do not name it. Not part of the response. */
  readonly limit?: string;
  /** The amount that a limit had no room for. It is for the log, and not part of the response. */
  readonly amountUsd?: string;
}

interface RefusalOptions<C extends ErrorCode> {
  readonly message?: string;
  readonly status?: StatusOf<C>;
  readonly retryAfterSeconds?: number;
  readonly limit?: string;
  readonly amountUsd?: string;
}

/** Codes without details can be refused without a details argument. */
type RefuseArguments<C extends ErrorCode> =
  Record<string, never> extends DetailsOf<C>
    ? [details?: DetailsOf<C>, options?: RefusalOptions<C>]
    : [details: DetailsOf<C>, options?: RefusalOptions<C>];

export function refuse<C extends ErrorCode>(code: C, ...[details, options]: RefuseArguments<C>): Refusal<C> {
  const spec = ERRORS[code];
  return {
    refused: true,
    code,
    status: options?.status ?? spec.statuses[0],
    message: options?.message ?? spec.message,
    details: (details as object | undefined) ?? {},
    ...(options?.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: options.retryAfterSeconds }),
    ...(options?.limit === undefined ? {} : { limit: options.limit }),
    ...(options?.amountUsd === undefined ? {} : { amountUsd: options.amountUsd }),
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as { refused?: unknown }).refused === true;
}

/** The maximum number of bad fields that are reported. */
export const MOST_FIELDS = 100;

export function invalidFields(fields: readonly FieldError[]): Refusal<"validation_failed"> {
  return refuse("validation_failed", { fields: fields.slice(0, MOST_FIELDS) });
}

export function invalidField(field: string, code: string, message: string): Refusal<"validation_failed"> {
  return invalidFields([{ field, code, message }]);
}

/** The body of every /v1 error response. */
export function envelopeText(refusal: Refusal): string {
  return JSON.stringify({
    error: { code: refusal.code, message: refusal.message, details: refusal.details },
  });
}

/** Headers of a refusal: `Retry-After` if, and only if, waiting helps. */
export function refusalHeaders(refusal: Refusal): Record<string, string> {
  const { retry_after_seconds: inDetails } = refusal.details as { retry_after_seconds?: unknown };
  const seconds = typeof inDetails === "number" ? inDetails : refusal.retryAfterSeconds;
  return seconds === undefined ? {} : { "retry-after": String(seconds) };
}
