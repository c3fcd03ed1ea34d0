import type * as z from "zod";
import { type Role, type Scope, scopesOf } from "./access.ts";
import type { ErrorCode } from "./errors.ts";
import type { Refusal } from "./refusal.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The body of a reply: JSON with a shape, nothing (204), or a stream of another media type. */
export type ReplyShapes = Readonly<Record<number, z.ZodType | null>>;

/**
 * One operation as its callers see it. Routing, validation, OpenAPI, the reference page and the tests that run over
 * every operation are computed from this.
 */
export interface OperationContract {
  readonly method: Method;
  /** With `{name}` parameters, as published: `/v1/orgs/{id}/keys/{key_id}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** The lowest role that may call it. `anyone` requires no key. */
  readonly role: Role | "anyone";
  readonly scope?: Scope;
  /** Also opens it, to a part of what the scope does: the operation checks which. */
  readonly orScope?: Scope;
  /**
   * A key that has expired or was revoked lately may finish what it began. The operation checks what that is, and refuses
   * everything else as if the key had been refused at the door.
   */
  readonly servesEndedKeys?: boolean;
  /**
   * True for operations that decide who gets access or where data is stored. No single scope covers them: a key needs
   * every scope of the role. When a scope is added to the list, it must also be given to stored keys that have all the
   * others, or they lose these operations.
   */
  readonly allScopes?: boolean;
  /** Honours `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** A POST that does no more when it is sent twice, without an idempotency key. */
  readonly repeatable?: boolean;
  /** Honours `If-Match`. Its command returns the current resource. */
  readonly ifMatch?: boolean;
  /** Honours a request to change nothing (`DRY_RUN_HEADER`). All that it does is one command of the org's object. */
  readonly dryRun?: boolean;
  readonly query?: z.ZodObject;
  /** Headers of the request that it reads. Each that begins like them must be one of them. */
  readonly headers?: z.ZodObject;
  /** Served alike under every method. `method` is the one that names it. */
  readonly anyMethod?: boolean;
  /** Other paths, as the router writes them, where it is served. They are counted and logged under `path`. */
  readonly alsoAt?: readonly string[];
  /** A header that the key may come in, if there is no bearer. */
  readonly keyHeader?: string;
  readonly body?: z.ZodType;
  /** Changes nothing that only the home region stores, so it is served where it arrives. Reads always are. */
  readonly servedAnywhere?: boolean;
  /** Changes nothing, although it is not a GET. Support may call it under a grant that covers its scope. */
  readonly reads?: boolean;
  /** For customer tokens, and for nobody else. No customer token may call any other operation. */
  readonly forCustomers?: boolean;
  /** Only rate limits that name its route count it: what it carries is counted by itself. */
  readonly countedByRouteOnly?: boolean;
  /** Takes its rate limits together with its other limits, so the earlier rate check skips it. */
  readonly countsItself?: boolean;
  /** A refused call gives back what rate-limit policies counted. A malformed call does not. */
  readonly refusalsAreFree?: boolean;
  /** May settle or release reservations, after which limits that were full may have room. */
  readonly endsReservations?: boolean;
  /** May give back what limits counted, whatever its body says. */
  readonly givesBack?: boolean;
  /** Reads from the home region's database, so a read is forwarded like a write. */
  readonly servedAtHome?: boolean;
  /** The body is about something else, and is not read. */
  readonly ignoresBody?: boolean;
  /** The form of the body is another product's, which may add fields. They are not read. */
  readonly openBody?: boolean;
  /** Says what it decided in headers, too. */
  readonly answersInHeaders?: boolean;
  /** The reply in place of a refusal of an identified caller. Null for a refusal that stays one. */
  readonly denialReply?: (refusal: Refusal) => object | null;
  /** Decides whether a text is a valid body, and reads it. Null: `body` explains what is wrong with it. */
  readonly reader?: (text: string) => object | null;
  /** The operation receives the body as text, and parses and validates it against `body` itself. */
  readonly lazyBody?: boolean;
  /** The operation reads the body itself, as bytes of this media type. */
  readonly streamedBody?: string;
  /** The object's answer is passed on unchanged. Its shape is checked in tests, not on each call. */
  readonly trustsReply?: boolean;
  /** The setting that bounds the body. */
  readonly bodyLimit?: "decision" | "bulk";
  readonly reply: ReplyShapes;
  /** Media types of the reply, if it is not JSON, or not always: with a shape it can be both. */
  readonly media?: readonly string[];
  /** Path parameters that callers choose (URL-encoded in the path) rather than ids of ours. */
  readonly freeParams?: readonly string[];
  /** Codes that the operation itself may refuse with, in addition to those of the checks before it. */
  readonly refuses: readonly ErrorCode[];
}

/** The codes of the checks before the operation, in the order of those checks. */
export function standardRefusals(op: OperationContract): ErrorCode[] {
  const codes: ErrorCode[] = ["bad_request"];
  if (op.role !== "anyone") {
    codes.push("unauthorized", "key_expired", "gone", "org_suspended", "ip_not_allowed", "not_found");
    codes.push("forbidden", "support_scope_denied", "residency_violation", "rate_limited", "quota_exhausted");
    if (op.scope !== undefined) codes.push("missing_scope");
  }
  if (op.method !== "GET") codes.push("payload_too_large");
  if (op.method !== "GET" || op.query !== undefined) codes.push("validation_failed");
  if (op.idempotent === true) codes.push("idempotency_key_conflict", "idempotency_key_processing");
  if (op.ifMatch === true) codes.push("conflict");
  codes.push("internal", "service_unavailable");
  return codes;
}

/** The scopes that a key needs to call it. */
export function scopesNeeded({ scope, allScopes, role }: OperationContract): readonly Scope[] {
  if (scope === undefined) return [];
  const all = allScopes === true && role !== "anyone" && role !== "operator";
  return all ? [scope, ...scopesOf(role)] : [scope];
}

/** The scopes that a caller needs: every one of a list, or else another one. */
export interface NeededScopes {
  readonly scopes: readonly Scope[];
  readonly orScope?: Scope | undefined;
}

/** The first scope that a caller lacks. Null if it may call. */
export function lackingScope(
  { scopes, orScope }: NeededScopes,
  has: (scope: Scope) => boolean,
): Scope | null {
  const lacking = scopes.find((scope) => !has(scope)) ?? null;
  return lacking !== null && orScope !== undefined && has(orScope) ? null : lacking;
}

export function refusalsOf(op: OperationContract): ErrorCode[] {
  return [...new Set([...standardRefusals(op), ...op.refuses])];
}

/** `GET /v1/orgs/{id}`: names an operation in logs, metrics, the deprecation registry and rate-limit policies. */
export function routeOf(op: Pick<OperationContract, "method" | "path">): string {
  return `${op.method} ${op.path}`;
}
