import { setTimeout as sleep } from "node:timers/promises";
import { Complaint } from "../complaint.ts";

/** Who calls, and where. */
export interface Seeder {
  readonly url: string;
  readonly key: string;
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Distinguishes calls of the same path. It is a part of the idempotency key. */
  readonly name?: string;
  /** Refusals that are wanted. */
  readonly refusals?: readonly number[];
}

const RETRY_MS = 250;
/** A call that a crash interrupted holds its idempotency key for a minute. After that, its retry takes it over. */
const PATIENCE_MS = 90_000;

/** Calls until it is answered. A seeding that was interrupted can be repeated: what was done already is not done again. */
export async function seedCall<T>(seeder: Seeder, call: Call): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await attempt(seeder, call);
    if ((answer.status >= 200 && answer.status < 300) || call.refusals?.includes(answer.status) === true) {
      return (answer.text === "" ? null : JSON.parse(answer.text)) as T;
    }
    if (!answer.passes || performance.now() > until) {
      throw new Complaint(`${call.method} ${call.path} answered ${answer.status}: ${answer.text}`);
    }
    await sleep(RETRY_MS);
  }
}

interface Attempt {
  /** 0: there was no answer. */
  readonly status: number;
  readonly text: string;
  /** The runtime is restarting, or was during this call. */
  readonly passes: boolean;
}

async function attempt({ url, key }: Seeder, { method, path, body, name = "" }: Call): Promise<Attempt> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": `demo ${path}${name}`,
  };
  try {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const passes = answer.status === 503 || text.includes('"idempotency_key_processing"');
    return { status: answer.status, text, passes };
  } catch (error) {
    return { status: 0, text: String(error), passes: true };
  }
}
