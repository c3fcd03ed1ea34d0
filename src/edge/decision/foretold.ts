import type { DecisionReply } from "../../gate/decision/object-verdict.ts";
import type { ObjectUnreachable } from "../object/unreachable.ts";

/** What the org's object said about a request before the pipeline got it. */
export interface Foretold {
  readonly trace: string;
  readonly askedAt: number;
  /** The decision. An error means that it is unknown whether the object decided, so nobody asks it again. */
  readonly reply: DecisionReply | ObjectUnreachable;
}

const foretold = new WeakMap<Request, Foretold>();

export function foretell(request: Request, said: Foretold): void {
  foretold.set(request, said);
}

export function foretoldOf(request: Request): Foretold | undefined {
  return foretold.get(request);
}

export function replyOf({ reply }: Foretold): DecisionReply {
  if (reply instanceof Error) throw reply;
  return reply;
}
