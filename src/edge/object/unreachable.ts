import { type Refusal, refuse } from "../../contract/refusal.ts";
import { STORED_BEFORE } from "../../domain/tenant/stored-before.ts";

/** The org's object or its region did not answer. It is unknown whether it acted. */
export class ObjectUnreachable extends Error {
  override readonly name = "ObjectUnreachable";
}

/** Libraries may wrap the error. */
const MOST_WRAPS = 4;

export function isUnreachable(error: unknown): boolean {
  return hasCause(error, (inner) => inner instanceof ObjectUnreachable);
}

/** The object refuses to read what is stored in it. An error that comes from an object has the message of the one that it threw. */
function isStoredBefore(error: unknown): boolean {
  return hasCause(error, ({ message }) => message.includes(STORED_BEFORE));
}

/** The refusal of a call that its object did not serve. Null if the error has another cause. */
export function unavailable(error: unknown): Refusal<"service_unavailable"> | null {
  if (isStoredBefore(error)) return refuse("service_unavailable", {}, { message: STORED_BEFORE });
  return isUnreachable(error) ? refuse("service_unavailable") : null;
}

function hasCause(error: unknown, isIt: (inner: Error) => boolean): boolean {
  let inner = error;
  for (let depth = 0; depth < MOST_WRAPS && inner instanceof Error; depth++) {
    if (isIt(inner)) return true;
    inner = inner.cause;
  }
  return false;
}

/** Far longer than a busy object takes, and about as long as a proxy in front of a model can wait. */
const PATIENCE_MS = 5000;

const reallyWait = (ms: number): Promise<unknown> => scheduler.wait(ms);

/** The object's answer. An object that hangs counts as unavailable, and the request is not granted. */
export function awaitAnswer<T>(answer: PromiseLike<T>, wait = reallyWait): Promise<T> {
  // The timer is not cleared: it ends with its request, which is cheaper.
  return Promise.race([answer, wait(PATIENCE_MS).then(tooLate)]);
}

function tooLate(): never {
  throw new ObjectUnreachable("no answer in time");
}
