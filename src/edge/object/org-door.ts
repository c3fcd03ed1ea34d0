import type { ErrorCode } from "../../contract/errors.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { CallerCode } from "../../org/caller.ts";
import type * as COMMANDS from "../../org/commands.ts";
import type { AnswerOf, Command, Done, Envelope, Query } from "../../org/kernel/door.ts";
import type * as QUERIES from "../../org/queries.ts";
import type { OrgStub } from "../region/remote-org.ts";
import { ObjectUnreachable } from "./unreachable.ts";

export type Commands = typeof COMMANDS;
type Queries = typeof QUERIES;
type CommandInput<N extends keyof Commands> = Commands[N] extends Command<infer I, ErrorCode> ? I : never;
type CommandBody<N extends keyof Commands> = Commands[N] extends { run(...args: never): infer R }
  ? BodyOf<R>
  : never;
type QueryInput<N extends keyof Queries> = Queries[N] extends Query<infer I, ErrorCode> ? I : never;
type QueryBody<N extends keyof Queries> = Queries[N] extends { run(...args: never): infer R }
  ? Exclude<R, Refusal>
  : never;
type BodyOf<R> = R extends Done<infer B> ? B : never;
type CodesOf<T> = T extends { readonly refuses: readonly (infer C extends ErrorCode)[] } ? C : never;

/** Codes that any call to an object may be refused with. */
export type DoorCode =
  | CallerCode
  | "not_found"
  | "service_unavailable"
  | "idempotency_key_conflict"
  | "idempotency_key_processing";

/** Errors thrown inside the object are bugs. All others mean that the object did not answer. */
export async function reachObject<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { remote, retryable, overloaded } = error as {
      remote?: boolean;
      retryable?: boolean;
      overloaded?: boolean;
    };
    if (remote === true && retryable !== true && overloaded !== true) throw error;
    throw new ObjectUnreachable(String(error), { cause: error });
  }
}

/** The typed door to one org's object, from any isolate. */
export class OrgDoor {
  readonly #stub: OrgStub;
  readonly #envelope: Envelope;

  constructor(stub: OrgStub, envelope: Envelope) {
    this.#stub = stub;
    this.#envelope = envelope;
  }

  async command<N extends keyof Commands>(
    name: N,
    input: CommandInput<N>,
    envelope: Envelope = this.#envelope,
  ): Promise<AnswerOf<CommandBody<N>> | Refusal<CodesOf<Commands[N]> | DoorCode>> {
    const outcome = await reachObject(async () => await this.#stub.execute(name, input, envelope));
    return outcome as AnswerOf<CommandBody<N>> | Refusal<CodesOf<Commands[N]> | DoorCode>;
  }

  async query<N extends keyof Queries>(
    name: N,
    input: QueryInput<N>,
  ): Promise<{ status: 200; body: QueryBody<N> } | Refusal<CodesOf<Queries[N]> | DoorCode>> {
    // A query depends on nothing else of the envelope, and each field that is sent costs time.
    const { actor, trace } = this.#envelope;
    const outcome: unknown = await reachObject(
      async () => await this.#stub.ask(name, input, { actor, trace }),
    );
    if (isRefusal(outcome)) return outcome as Refusal<CodesOf<Queries[N]> | DoorCode>;
    return { status: 200, body: outcome as QueryBody<N> };
  }

  /** Takes the idempotency key for command `N`, which completes it. If there is an outcome, `N` has given it before. */
  async reserve<N extends keyof Commands>(): Promise<ReservedResult<N>> {
    return (await reachObject(async () => await this.#stub.reserve(this.#envelope))) as ReservedResult<N>;
  }
}

type ReservedResult<N extends keyof Commands> =
  | { readonly fence: number; readonly seed: string }
  | { readonly outcome: AnswerOf<CommandBody<N>> | Refusal<DoorCode> };

/** The content of an answer, for code that continues with it. Not for one whose `code` is set, which is an error. */
export function bodyOf<B extends object>(answer: AnswerOf<B>): B {
  if (answer.text === null || answer.code !== null) throw new Error("this answer has no body");
  return JSON.parse(answer.text) as B;
}
