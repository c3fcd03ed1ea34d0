import { type Refusal, refuse } from "../contract/refusal.ts";

/**
 * Rules are synchronous, and read only what the object has. A rule that needs something from outside throws `NeedsFetch`: its
 * transaction is rolled back, what it needs is fetched, and it runs again, until it needs nothing more.
 */
export class NeedsFetch extends Error {
  override readonly name = "NeedsFetch";
  /** Fetches what is needed. It is there while the rule runs again. */
  readonly fetch: (fetched: FetchedObjects) => Promise<void>;

  constructor(what: string, fetch: (fetched: FetchedObjects) => Promise<void>) {
    super(`${what} is not in the object`);
    this.fetch = fetch;
  }
}

/**
 * The refusal for something outside that cannot be fetched. The message is for whoever called; `cure` is for whoever
 * can mend it.
 */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly cure: string;

  constructor(message: string, cure: string) {
    super(message);
    this.cure = cure;
  }
}

/** The segments and other things that one call has fetched from outside the object. */
export class FetchedObjects {
  readonly #kept = new Map<object | string, unknown>();

  /** Returns what is kept under a key, made if there is nothing. */
  keep<T>(key: object | string, make: () => T): T {
    if (!this.#kept.has(key)) this.#kept.set(key, make());
    return this.#kept.get(key) as T;
  }

  drop(key: object | string): void {
    this.#kept.delete(key);
  }
}

/** Of the rule that runs now. No two run at once. */
let current: FetchedObjects | null = null;

/** Returns what the running call has fetched. Null for a rule that cannot wait. */
export function fetchedSoFar(): FetchedObjects | null {
  return current;
}

/** Each round brings something. More than any call needs. */
const MOST_ROUNDS = 100_000;

/** Runs a rule that nobody can wait for. Nothing is fetched for it: if it needs that, it has done nothing. */
export function withoutFetching<T>(run: () => T): T | NeedsFetch {
  return runWith(new FetchedObjects(), run);
}

/** Runs a rule, at once if it needs nothing from outside. */
export function fetchingAsNeeded<T>(run: () => T): T | Promise<T> {
  const fetched = new FetchedObjects();
  const round = () => runWith(fetched, run);
  const first = round();
  return first instanceof NeedsFetch ? fetchAll(first, fetched, round) : first;
}

function runWith<T>(fetched: FetchedObjects, run: () => T): T | NeedsFetch {
  const before = current;
  current = fetched;
  try {
    return run();
  } catch (error) {
    if (error instanceof NeedsFetch) return error;
    throw error;
  } finally {
    current = before;
  }
}

async function fetchAll<T>(
  first: NeedsFetch,
  fetched: FetchedObjects,
  round: () => T | NeedsFetch,
): Promise<T> {
  let found: T | NeedsFetch = first;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    if (!(found instanceof NeedsFetch)) return found;
    await found.fetch(fetched);
    found = round();
  }
  throw new Error("a call needs too much from outside the object");
}

type OrRefusal<T> = T | Refusal<"service_unavailable">;

/**
 * As `fetchingAsNeeded`. A segment that cannot be fetched causes a refusal that says so, and how to mend it if an
 * operator asks.
 */
export function fetchingOrRefusing<T>(
  run: () => T,
  byOperator = false,
): OrRefusal<T> | Promise<OrRefusal<T>> {
  const refused = (error: unknown) => refusalOf(error, byOperator);
  try {
    const found = fetchingAsNeeded(run);
    return found instanceof Promise ? found.catch(refused) : found;
  } catch (error) {
    return refused(error);
  }
}

function refusalOf(error: unknown, byOperator: boolean): Refusal<"service_unavailable"> {
  if (!(error instanceof Unreadable)) throw error;
  return refuse("service_unavailable", {}, { message: byOperator ? error.cure : error.message });
}
