import { type Refusal, refuse } from "../../contract/refusal.ts";
import { STORED_BEFORE } from "../../domain/tenant/stored-before.ts";

/** The org's object or its region did not answer. It is unknown whether it acted. */
export class ObjectUnreachable extends Error {
  override readonly name = "ObjectUnreachable";
  /** The org, where the call does not name it. */
  readonly orgId: string | null;
  /** False if it was the platform's database. */
  readonly isObject: boolean = true;

  constructor(message?: string, { cause, orgId = null }: { cause?: unknown; orgId?: string | null } = {}) {
    super(message, { cause });
    this.orgId = orgId;
  }
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

/** How SQLite says that it cannot read a database, and the platform that an object does not start. */
const DAMAGED = /SQLITE_(CORRUPT|NOTADB)|database disk image is malformed/;
const NOT_STARTED = /^(?:Error: )?internal error/;

/** Returns whether the database of the object that failed may be damaged. */
export function mayBeDamaged(error: unknown): boolean {
  if (hasCause(error, (inner) => inner instanceof ObjectUnreachable && !inner.isObject)) return false;
  return hasCause(error, ({ message }) => DAMAGED.test(message) || NOT_STARTED.test(message));
}

/** The org that an error is about, where it says so. */
export function orgNamed(error: unknown): string | null {
  return error instanceof ObjectUnreachable ? error.orgId : null;
}

/**
 * The refusal of a call that its object did not serve. Null if the error has another cause. A tenant can only try again, and is
 * told no more than that.
 */
export function unavailable(error: unknown, byOperator = false): Refusal<"service_unavailable"> | null {
  if (isStoredBefore(error)) return refuse("service_unavailable", {}, { message: STORED_BEFORE });
  if (!mayBeDamaged(error)) return isUnreachable(error) ? refuse("service_unavailable") : null;
  return refuse("service_unavailable", {}, byOperator ? { message: damageText(error) } : {});
}

function damageText(error: unknown): string {
  const isSure = hasCause(error, ({ message }) => DAMAGED.test(message));
  return isSure
    ? "The database of this organization is damaged. Call GET /healthz?deep=1 and follow the runbook: 'The database of an organization is damaged'."
    : "The organization's object does not start. If that lasts, its database is damaged: call GET /healthz?deep=1 and follow the runbook.";
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
