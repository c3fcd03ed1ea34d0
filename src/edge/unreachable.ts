/** The org's object, or the region that it is in, did not answer: whether it acted is not known. */
export class ObjectUnreachable extends Error {
  override readonly name = "ObjectUnreachable";
}

/** Far longer than an object at work takes, and about as long as whoever stands before a model can wait. */
const PATIENCE_MS = 5000;

/** The object's answer; one that hangs is as good as one that is gone, and what it was asked is not granted. */
export async function patiently<T>(answer: PromiseLike<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ObjectUnreachable("no answer in time")), PATIENCE_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
