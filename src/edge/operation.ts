import type { z } from "zod";
import type { ErrorCode } from "../contract/errors.ts";
import type { OperationContract } from "../contract/operation.ts";
import type { Refusal } from "../contract/refusal.ts";
import { noFields } from "../contract/shapes.ts";
import type { CallerCode } from "../org/caller.ts";
import type { Answer } from "../org/kernel/door.ts";
import type { Call } from "./call.ts";
import type { Relayed } from "./region/settle.ts";

/** What every operation may refuse with, listed or not: the codes of the checks around it. */
export type StandardCode =
  | CallerCode
  | "bad_request"
  | "not_found"
  | "validation_failed"
  | "idempotency_key_conflict"
  | "idempotency_key_processing"
  | "service_unavailable"
  | "internal";

/** A reply made in the isolate; its body is held against the contract before it leaves. */
export interface Reply {
  readonly status: number;
  readonly body: object | null;
}

/** A reply that is written while it is read; only operations that declare another media type give one. */
export interface Streamed {
  readonly status: 200;
  readonly stream: ReadableStream<Uint8Array>;
  readonly media: string;
}

export type Result<Code extends ErrorCode = ErrorCode> = Answer | Reply | Streamed | Relayed | Refusal<Code>;

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The call as one operation sees it: its own parameters, query and body, already checked. */
export type CallOf<C extends OperationContract> = Omit<Call, "params" | "query" | "body"> & {
  readonly params: Readonly<Record<ParamNames<C["path"]>, string>>;
  readonly query: OutputOf<C["query"]>;
  readonly body: OutputOf<C["body"]>;
};

export interface Operation {
  readonly contract: OperationContract;
  readonly handle: (call: Call) => Promise<Result>;
}

/**
 * One operation: what callers rely on, and what it does. Refusing with a code that is neither listed nor one of the
 * checks around every operation does not compile.
 */
export function operation<const C extends OperationContract>(
  contract: C,
  handle: (call: CallOf<C>) => Promise<Result<C["refuses"][number] | StandardCode>>,
): Operation {
  // A read that takes no parameters still refuses what it would otherwise drop.
  const strict = contract.method === "GET" && contract.query === undefined;
  return {
    contract: strict ? { ...contract, query: noFields } : contract,
    handle: handle as unknown as (call: Call) => Promise<Result>,
  };
}

export function reply(status: 200 | 201, body: object): Reply {
  return { status, body };
}
