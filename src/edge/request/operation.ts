import type * as z from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import type { OperationContract } from "../../contract/operation.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { ReplyOf, Unlisted } from "../../contract/reply-type.ts";
import { noFields } from "../../contract/shapes.ts";
import type { CallerCode } from "../../org/caller.ts";
import type { AnswerOf, Body } from "../../org/kernel/door.ts";
import type { Call } from "./call.ts";
import type { Relayed } from "../region/settle.ts";

/** Codes that every operation may refuse with: those of the checks around it. */
export type StandardCode =
  | CallerCode
  | "bad_request"
  | "not_found"
  | "validation_failed"
  | "idempotency_key_conflict"
  | "idempotency_key_processing"
  | "service_unavailable"
  | "internal";

/** A reply made in the isolate. Its body is validated against the contract before it is sent. */
export interface Reply<B extends Body = Body> {
  readonly status: number;
  readonly body: B;
}

/** A streamed reply. Only operations that declare another media type return one. */
export interface Streamed {
  readonly status: 200;
  readonly stream: ReadableStream<Uint8Array>;
  readonly media: string;
}

export type Result<Code extends ErrorCode = ErrorCode, B extends Body = Body> =
  | AnswerOf<B>
  | Reply<B>
  | Streamed
  | Relayed
  | Refusal<Code>;

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The call as one operation sees it: its own parameters, query and body, already checked. */
export type CallOf<C extends OperationContract> = Omit<
  Call,
  "params" | "query" | "body" | "requestHeaders"
> & {
  readonly params: Readonly<Record<ParamNames<C["path"]>, string>>;
  readonly query: OutputOf<C["query"]>;
  readonly requestHeaders: OutputOf<C["headers"]>;
  readonly body: OutputOf<C["body"]>;
};

export interface Operation {
  readonly contract: OperationContract;
  readonly handle: (call: Call) => Promise<Result>;
}

type ResultOf<C extends OperationContract> = Result<C["refuses"][number] | StandardCode, ReplyOf<C>>;
type BodyOf<R> = R extends Reply<infer B> ? B : R extends AnswerOf<infer B> ? B : never;

/** No constraint if every field of the result is listed. Otherwise an impossible type that names the field. */
type Listed<C extends OperationContract, R> = [Unlisted<BodyOf<R>, ReplyOf<C>>] extends [never]
  ? unknown
  : { readonly "fields that the reply does not list": Unlisted<BodyOf<R>, ReplyOf<C>> };

/**
 * One operation: its contract, and what it does. It does not compile if it refuses with a code that is neither listed
 * nor common to every operation, or if its reply lacks a field of the contract or has another one.
 */
export function operation<const C extends OperationContract, R extends ResultOf<C>>(
  contract: C,
  handle: ((call: CallOf<C>) => Promise<R>) & Listed<C, R>,
): Operation {
  // A read without parameters refuses unknown parameters instead of dropping them.
  const strict = contract.method === "GET" && contract.query === undefined;
  return {
    contract: strict ? { ...contract, query: noFields } : contract,
    handle: handle as unknown as (call: Call) => Promise<Result>,
  };
}

export function reply<const B extends object>(status: 200 | 201, body: B): Reply<B> {
  return { status, body };
}
