import type { ErrorCode } from "../../contract/errors.ts";
import type { OperationContract } from "../../contract/operation.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { CallerCode } from "../../org/caller.ts";
import type { AnswerOf, Body } from "../../org/kernel/door.ts";
import type { RelayedReply } from "../region/settle.ts";
import type { Introduce } from "../identity/stranger.ts";
import type { Call } from "./call.ts";

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
export interface StreamedReply {
  readonly status: 200;
  readonly stream: ReadableStream<Uint8Array>;
  readonly media: string;
}

export type Result<Code extends ErrorCode = ErrorCode, B extends Body = Body> =
  | AnswerOf<B>
  | Reply<B>
  | StreamedReply
  | RelayedReply
  | Refusal<Code>;

/** A check of a call: a refusal, an answer of another region, or null. */
export type Check = (call: Call) => Refusal | null | Promise<Refusal | RelayedReply | null>;

export interface Operation {
  readonly contract: OperationContract;
  /** Checks of the call itself, after those of its caller. */
  readonly form: readonly Check[];
  /** For an operation whose first call of a key can go along with the question about the key. */
  readonly introduce?: Introduce;
  readonly handle: (call: Call) => Promise<Result>;
}
