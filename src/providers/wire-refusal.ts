/** A refusal as it goes over the wire. */
export interface WireRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: object;
  readonly retryAfterMs?: number | null;
  readonly traceId?: string | null;
}

/** With what the SDKs of OpenAI look for in an error. */
export function openAiError({ code, message, details }: WireRefusal): object {
  return { error: { code, message, details, type: "sluice_refusal", param: null } };
}

/** OpenRouter's SDK takes an error for one only if its code is the status. Other facts about it are in `metadata`. */
export function openRouterError({ status, code, message, details }: WireRefusal): object {
  return { error: { code: status, message, metadata: { code, details }, type: "sluice_refusal" } };
}

const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "RESOURCE_EXHAUSTED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** With what Google's SDKs look for in an error. */
export function geminiError({ status, code, message, details }: WireRefusal): object {
  return { error: { code, message, details, status: GOOGLE_STATUSES[status] ?? "INTERNAL" } };
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

/** With what the SDKs of Anthropic look for in an error. */
export function anthropicError({ status, code, message, details }: WireRefusal): object {
  const type = ANTHROPIC_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { code, message, details, type } };
}

const AWS_TYPES: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "AccessDeniedException",
  402: "ServiceQuotaExceededException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  413: "ValidationException",
  422: "ValidationException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

/** With what the SDKs of AWS look for in an error. */
export function bedrockError({ status, code, message, details }: WireRefusal): object {
  return {
    __type: AWS_TYPES[status] ?? "InternalServerException",
    message,
    error: { code, message, details },
  };
}
