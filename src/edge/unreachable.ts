/** The org's object, or the region that it is in, did not answer: whether it acted is not known. */
export class ObjectUnreachable extends Error {
  override readonly name = "ObjectUnreachable";
}

/** Libraries in between wrap what they were thrown. */
const MOST_WRAPS = 4;

export function isUnreachable(error: unknown): boolean {
  let inner = error;
  for (let depth = 0; depth < MOST_WRAPS && inner instanceof Error; depth++) {
    if (inner instanceof ObjectUnreachable) return true;
    inner = inner.cause;
  }
  return false;
}

/** Far longer than an object at work takes, and about as long as whoever stands before a model can wait. */
const PATIENCE_MS = 5000;

/** The object's answer; one that hangs is as good as one that is gone, and what it was asked is not granted. */
export function patiently<T>(answer: PromiseLike<T>): Promise<T> {
  // The wait is not ended when the answer comes: it ends with its request, and costs less than a timer to end.
  return Promise.race([answer, scheduler.wait(PATIENCE_MS).then(tooLate)]);
}

function tooLate(): never {
  throw new ObjectUnreachable("no answer in time");
}
