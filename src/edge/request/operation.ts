import type * as z from "zod";
import type { OperationContract } from "../../contract/operation.ts";
import type { ReplyOf, Unlisted } from "../../contract/reply-type.ts";
import { noFields } from "../../contract/shapes.ts";
import type { AnswerOf } from "../../org/kernel/door.ts";
import type { Call } from "./call.ts";
import { FORM } from "./form.ts";
import type { Operation, Reply, Result, StandardCode } from "./operation-types.ts";

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

type ResultOf<C extends OperationContract> = Result<C["refuses"][number] | StandardCode, ReplyOf<C>>;
type BodyOf<R> = R extends Reply<infer B> ? B : R extends AnswerOf<infer B> ? B : never;

/** No constraint if every field of the result is listed. Otherwise an impossible type that names the field. */
type ListedFields<C extends OperationContract, R> = [Unlisted<BodyOf<R>, ReplyOf<C>>] extends [never]
  ? unknown
  : { readonly "fields that the reply does not list": Unlisted<BodyOf<R>, ReplyOf<C>> };

/**
 * One operation: its contract, and what it does. It does not compile if it refuses with a code that is neither listed
 * nor common to every operation, or if its reply lacks a field of the contract or has another one.
 */
export function operation<const C extends OperationContract, R extends ResultOf<C>>(
  contract: C,
  handle: ((call: CallOf<C>) => Promise<R>) & ListedFields<C, R>,
): Operation {
  // A read without parameters refuses unknown parameters instead of dropping them.
  const strict = contract.method === "GET" && contract.query === undefined;
  return {
    contract: strict ? { ...contract, query: noFields } : contract,
    form: FORM,
    handle: handle as unknown as (call: Call) => Promise<Result>,
  };
}

export function reply<const B extends object>(status: 200 | 201, body: B): Reply<B> {
  return { status, body };
}
