import type { KeyRole } from "../../src/contract/access.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { OrgDoor } from "../../src/edge/object/org-door.ts";
import { newSessionToken } from "../../src/edge/identity/session-cookie.ts";
import { settingsOf } from "../../src/settings.ts";
import { env, serve } from "./worker.ts";

const ORIGIN = "http://sluice.test";

export interface Browser {
  readonly sessionId: string;
  readonly cookie: string;
  get(path: string): Promise<Response>;
  /** Posts a form like a page of the console, with the form token. */
  post(path: string, fields: Record<string, string>, more?: Record<string, string>): Promise<Response>;
}

/** A browser with a session cookie, as after any sign-in. */
export async function signedIn(orgId: string, role: KeyRole = "owner", secure = false): Promise<Browser> {
  const request = new Request(secure ? "https://sluice.test/" : `${ORIGIN}/`);
  const { cookie, digest } = newSessionToken(request, settingsOf(env), orgId);
  const id = newId("ses", Date.now());
  const actor = { kind: "session", id, role, onBehalfOf: null, address: null } as const;
  const envelope = { actor, trace: "test", idempotency: null, ifMatch: null };
  const door = new OrgDoor(env.ORG.getByName(orgId), envelope);
  const person = { provider: "test", subject: `${role}-1`, name: `Test ${role}`, email: null };
  const { SVC_REGION: region } = settingsOf(env);
  await door.command("openSession", { id, digest, role, ...person, region, connection: null });
  return browserWith(id, cookie.split(";")[0] ?? "");
}

export function browserWith(sessionId: string, cookie: string): Browser {
  const headers = { cookie, "cf-connecting-ip": "203.0.113.7" };
  const get = (path: string) => serve(ORIGIN + path, { headers, redirect: "manual" });
  return {
    sessionId,
    cookie,
    get,
    async post(path, fields, more = {}) {
      const page = await (await get("/console/support")).text();
      const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
      const body = new URLSearchParams({ _csrf: token, _once: crypto.randomUUID(), ...fields });
      return serve(ORIGIN + path, {
        method: "POST",
        headers: { ...headers, ...more },
        body,
        redirect: "manual",
      });
    },
  };
}
