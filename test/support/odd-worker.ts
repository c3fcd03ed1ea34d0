import type { Env } from "../../src/edge/env.ts";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot/snapshot.ts";
import worker, { OrgObject as Whole } from "../../src/index.ts";

export * from "../../src/index.ts";

/** The org's object, which can be ended in the middle of whatever it does. */
export class OrgObject extends Whole {
  die(): void {
    this.ctx.abort("ended by a test");
  }
}

/**
 * The Worker in an isolate that a test can disturb, with a header on any request: change its clock (with the first
 * isolate's, that of its objects); make it vanish for an org, so that its unreported holds are never reported although
 * its callers have their responses; make an org's object hang from its point of view; end an org's object; or let what
 * objects grant last, so that nothing expires however busy the machine is.
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

function odd(env: Env): Env {
  const silent = new Proxy(env.ORG, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name) as unknown;
      return (id: string) =>
        new Proxy(env.ORG.getByName(id), {
          get: (stub, method) =>
            isSilent(id, method) ? () => NEVER : (Reflect.get(stub, method) as unknown),
        });
    },
  });
  return { ...env, ORG: silent };
}

function note(orgs: Set<string>, org: string | null): void {
  if (org !== null) orgs.add(org);
}

async function end(env: Env, org: string | null): Promise<void> {
  if (org === null) return;
  const object = env.ORG.getByName(org) as unknown as { die(): Promise<void> };
  // It cannot answer.
  await object.die().catch(() => undefined);
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
    await end(env, told("end"));
    return worker.fetch(request, vanished.size + hanging.size > 0 ? odd(env) : env, context);
  },
} satisfies ExportedHandler<Env>;
