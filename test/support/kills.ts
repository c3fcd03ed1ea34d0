import { AsyncLocalStorage } from "node:async_hooks";
import { runInDurableObject } from "cloudflare:test";
import { archiveOf, bindArchive } from "../../src/storage/segments/archive-binding.ts";
import { env } from "./worker.ts";

/** Kills an object at a chosen place of its work: before or after it writes a row or a file, or ends a transaction. */

class Killed extends Error {
  override readonly name = "Killed";
}

const WRITES = /^\s*(INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)/i;

/** The places that an object passes, in order. At one of them it dies, and from then on it writes nothing. */
class Places {
  readonly passed: string[] = [];
  readonly #killAt: number;
  readonly #isOurs: (place: string) => boolean;
  isDead = false;

  constructor(killAt: number, isOurs: (place: string) => boolean = () => true) {
    this.#killAt = killAt;
    this.#isOurs = isOurs;
  }

  pass(place: string): void {
    if (this.isDead) throw new Killed(place);
    if (!this.#isOurs(place)) return;
    this.passed.push(place);
    if (this.passed.length !== this.#killAt + 1) return;
    this.isDead = true;
    throw new Killed(place);
  }

  around<T>(what: string, work: () => T): T {
    this.pass(`before ${what}`);
    const done = work();
    this.pass(`after ${what}`);
    return done;
  }
}

/** Everything that the object writes passes these places from now on, until its life ends. */
function plant(storage: DurableObjectStorage, places: Places): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const watched = (...given: Parameters<typeof exec>) => {
    const [, verb, table] = WRITES.exec(given[0]) ?? [];
    return verb === undefined ? exec(...given) : places.around(`${verb} ${table}`, () => exec(...given));
  };
  Object.defineProperty(sql, "exec", { value: watched, configurable: true });
  const transact = storage.transactionSync.bind(storage);
  const transactionSync = <T>(run: () => T): T => {
    const done = transact(run);
    places.pass("after a transaction");
    return done;
  };
  Object.defineProperty(storage, "transactionSync", { value: transactionSync, configurable: true });
  plantInBucket(sql, places);
}

function plantInBucket(sql: SqlStorage, places: Places): void {
  const { bucket, prefix } = archiveOf(sql);
  if (bucket === null) throw new Error("the test Worker has no archive");
  const around = async (what: string, work: () => Promise<unknown>) => {
    places.pass(`before ${what}`);
    const done = await work();
    places.pass(`after ${what}`);
    return done;
  };
  const methods: Partial<Record<keyof R2Bucket, unknown>> = {
    get: (name: string, options: R2GetOptions) => bucket.get(name, options),
    put: (name: string, bytes: Uint8Array) => around("a file is put", () => bucket.put(name, bytes)),
    delete: (names: string[]) => around("files are deleted", () => bucket.delete(names)),
  };
  bindArchive(sql, { bucket: methods as unknown as R2Bucket, prefix });
}

/** The object's life ends here, with all that it had begun. */
async function end(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_object, state) => state.abort("killed")).catch(() => undefined);
}

type Work = (storage: DurableObjectStorage) => Promise<unknown>;

/**
 * What is going on in an object beside the work comes at any time, and is no place of it: an isolate's exchange, and what the
 * work then writes of it with its own.
 */
const working = new AsyncLocalStorage<true>();
const isOfWork = (place: string) => working.getStore() === true && !place.includes(" lease_");

/** Where an object was killed. Null: its work has fewer places. `counts` says which of its places are counted. */
export async function killedAt(
  orgId: string,
  place: number,
  work: Work,
  counts: (place: string) => boolean = () => true,
): Promise<string | null> {
  const stub = env.ORG.getByName(orgId);
  const places = new Places(place, (one) => isOfWork(one) && counts(one));
  await runInDurableObject(stub, (_object, { storage }) => plant(storage, places));
  const failure = await runInDurableObject(stub, async (_object, { storage }) => {
    try {
      await working.run(true, () => work(storage));
      return null;
    } catch (error) {
      return String(error);
    }
  });
  if (failure !== null && !places.isDead) throw new Error(failure);
  await end(stub);
  return places.isDead ? (places.passed.at(-1) ?? null) : null;
}

/** The same for a call from outside. */
export async function killedInCall(
  orgId: string,
  place: number,
  call: () => Promise<unknown>,
): Promise<string | null> {
  const stub = env.ORG.getByName(orgId);
  const places = new Places(place);
  await runInDurableObject(stub, (_object, { storage }) => plant(storage, places));
  await call();
  await end(stub);
  return places.isDead ? (places.passed.at(-1) ?? null) : null;
}
