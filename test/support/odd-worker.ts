import type { Env } from "../../src/edge/env.ts";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot/snapshot.ts";
import worker, { OrgObject as Whole } from "../../src/index.ts";

export * from "../../src/index.ts";

/** What becomes of a bucket after each file that was put into it. */
function watched(bucket: R2Bucket, afterPut: () => void): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      if (name !== "put") return value.bind(target) as unknown;
      return async (...given: Parameters<R2Bucket["put"]>) => {
        const put = await target.put(...given);
        afterPut();
        return put;
      };
    },
  });
}

/** The org's object, which can be ended in the middle of whatever it does. */
export class OrgObject extends Whole {
  constructor(state: DurableObjectState, env: Env) {
    const life = { endsAfterFile: false };
    const afterPut = () => {
      if (life.endsAfterFile) state.abort("ended by a test");
    };
    super(state, env.ARCHIVE === undefined ? env : { ...env, ARCHIVE: watched(env.ARCHIVE, afterPut) });
    this.#life = life;
  }

  readonly #life: { endsAfterFile: boolean };

  die(): void {
    this.ctx.abort("ended by a test");
  }

  dieAfterFile(): void {
    this.#life.endsAfterFile = true;
  }
}

/**
 * The Worker in an isolate that a test can disturb, with a header on any request: change its clock (with the first
 * isolate's, that of its objects); make it vanish for an org, so that its unreported holds are never reported although
 * its callers have their responses; make an org's object hang from its point of view; end an org's object, at once or after
 * the next file that it archives; lose a command of this request, or send it late; or let what objects grant last, so that
 * nothing expires however busy the machine is.
 */
const realNow = Date.now.bind(Date);
let apartMs = 0;
const vanished = new Set<string>();
const hanging = new Set<string>();
Date.now = () => realNow() + apartMs;

const LIVES = { lease: { ...LEASE }, snapshot: { ...SNAPSHOT } };
const LASTING_MS = 600_000;

function setLives(lives: string | null): void {
  if (lives === null) return;
  const longer = lives === "long" ? { lifeMs: LASTING_MS } : {};
  const standing = lives === "long" ? { standingMs: LASTING_MS } : {};
  Object.assign(LEASE, { ...LIVES.lease, ...longer, ...standing });
  Object.assign(SNAPSHOT, { ...LIVES.snapshot, ...longer });
}

const NEVER = new Promise<never>(() => {});

function isSilent(org: string, method: string | symbol): boolean {
  return hanging.has(org) || (vanished.has(org) && method === "syncLeases");
}

/** Longer than a key of a call that died is kept for it. */
const LATE_MS = 4000;

/** What happens to one command of a request. */
interface Fate {
  readonly command: string;
  readonly isLost: boolean;
}

function fateIn(request: Request): Fate | null {
  const [lost, late] = [request.headers.get("x-test-lost"), request.headers.get("x-test-late")];
  const command = lost ?? late;
  return command === null ? null : { command, isLost: lost !== null };
}

type Execute = (command: string, ...rest: unknown[]) => Promise<unknown>;

/** The method that sends commands to an object, for a request whose command is lost or late. */
function fated(execute: Execute, fate: Fate): Execute {
  return async (command, ...rest) => {
    if (command === fate.command && fate.isLost) throw new Error("lost by a test");
    if (command === fate.command) await scheduler.wait(LATE_MS);
    return execute(command, ...rest);
  };
}

function odd(env: Env, fate: Fate | null): Env {
  const silent = new Proxy(env.ORG, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name) as unknown;
      return (id: string) =>
        new Proxy(env.ORG.getByName(id), {
          get: (stub, method) => {
            if (isSilent(id, method)) return () => NEVER;
            const value = Reflect.get(stub, method) as unknown;
            return fate !== null && method === "execute" ? fated(value as Execute, fate) : value;
          },
        });
    },
  });
  return { ...env, ORG: silent };
}

function note(orgs: Set<string>, org: string | null): void {
  if (org !== null) orgs.add(org);
}

async function end(env: Env, org: string | null, method: "die" | "dieAfterFile"): Promise<void> {
  if (org === null) return;
  const object = env.ORG.getByName(org) as unknown as Record<typeof method, () => Promise<void>>;
  // One that ends at once cannot answer.
  await object[method]().catch(() => undefined);
}

export default {
  async fetch(request, env, context) {
    const told = (name: string) => request.headers.get(`x-test-${name}`);
    // A clock tells whole milliseconds.
    apartMs = Math.round(Number(told("apart-ms") ?? apartMs));
    note(vanished, told("vanish"));
    note(hanging, told("hang"));
    hanging.delete(told("answer") ?? "");
    setLives(told("lives"));
    await end(env, told("end"), "die");
    await end(env, told("end-after-file"), "dieAfterFile");
    const fate = fateIn(request);
    const isOdd = fate !== null || vanished.size + hanging.size > 0;
    return worker.fetch(request, isOdd ? odd(env, fate) : env, context);
  },
} satisfies ExportedHandler<Env>;
