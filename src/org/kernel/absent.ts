import { type Refusal, refuse } from "../../contract/refusal.ts";

/**
 * Rules are synchronous, and read only what the object has. A rule that needs something from outside throws `Absent`: its
 * transaction is rolled back, what it needs is brought, and it runs again, until it needs nothing more.
 */
export class Absent extends Error {
  override readonly name = "Absent";
  /** Brings what is needed. It is there while the rule runs again. */
  readonly bring: (brought: Brought) => Promise<void>;

  constructor(what: string, bring: (brought: Brought) => Promise<void>) {
    super(`${what} is not in the object`);
    this.bring = bring;
  }
}

/** What is outside cannot be brought. The message says what, for the caller. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** What one call has brought from outside the object. */
export class Brought {
  readonly #kept = new Map<object | string, unknown>();

  /** What is kept under a key, made if there is nothing. */
  keep<T>(key: object | string, make: () => T): T {
    if (!this.#kept.has(key)) this.#kept.set(key, make());
    return this.#kept.get(key) as T;
  }

  drop(key: object | string): void {
    this.#kept.delete(key);
  }
}

/** Of the rule that runs now. No two run at once. */
let current: Brought | null = null;

/** What the running call has brought. Null for a rule that cannot wait. */
export function broughtSoFar(): Brought | null {
  return current;
}

/** Each round brings something. More than any call needs. */
const MOST_ROUNDS = 100_000;

/** Runs a rule that nobody can wait for. What it needs from outside is not brought: then it has done nothing. */
export function ifPresent<T>(run: () => T): T | Absent {
  return runWith(new Brought(), run);
}

/** Runs a rule, at once if it needs nothing from outside. */
export function oncePresent<T>(run: () => T): T | Promise<T> {
  const brought = new Brought();
  const round = () => runWith(brought, run);
  const first = round();
  return first instanceof Absent ? bringAll(first, brought, round) : first;
}

function runWith<T>(brought: Brought, run: () => T): T | Absent {
  const before = current;
  current = brought;
  try {
    return run();
  } catch (error) {
    if (error instanceof Absent) return error;
    throw error;
  } finally {
    current = before;
  }
}

async function bringAll<T>(first: Absent, brought: Brought, round: () => T | Absent): Promise<T> {
  let found: T | Absent = first;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    if (!(found instanceof Absent)) return found;
    await found.bring(brought);
    found = round();
  }
  throw new Error("a call needs too much from outside the object");
}

type OrRefusal<T> = T | Refusal<"service_unavailable">;

/** As `oncePresent`. What cannot be brought is a refusal that says so. */
export function onceReadable<T>(run: () => T): OrRefusal<T> | Promise<OrRefusal<T>> {
  try {
    const found = oncePresent(run);
    return found instanceof Promise ? found.catch(refusalOf) : found;
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): Refusal<"service_unavailable"> {
  if (error instanceof Unreadable) return refuse("service_unavailable", {}, { message: error.message });
  throw error;
}
