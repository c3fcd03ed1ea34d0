import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type Server, type ServerOptions, startServer } from "../../scripts/server.ts";
import { http, type HttpAnswer, type HttpOptions } from "./http.ts";

/** The real server, over real sockets. */

export interface SharedServer {
  /** Several isolates over the same objects. */
  readonly urls: readonly [string, string, ...string[]];
  readonly dataDir: string;
  readonly operatorKey: string;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly server: SharedServer;
  }
}

/** One server for all files of a run. A test creates its own org on it and touches nothing else. */
export const sharedServer = (): SharedServer => inject("server");

export type Caller = (method: string, path: string, options?: HttpOptions) => Promise<HttpAnswer>;

export const callerAt =
  (url: string): Caller =>
  (method, path, options) =>
    http(method, `${url}${path}`, options);

/** A call to the shared server. */
export const call: Caller = (method, path, options) =>
  callerAt(sharedServer().urls[0])(method, path, options);

export interface SystemOrg {
  readonly id: string;
  readonly ownerKey: string;
}

/** A new org on the shared server. */
export async function newOrg(fields: object = {}): Promise<SystemOrg> {
  const key = sharedServer().operatorKey;
  const made = await call("POST", "/v1/admin/orgs", { key, body: { name: "Acme", ...fields } });
  if (made.status !== 201) throw new Error(`no org: ${made.status} ${made.text}`);
  return { id: made.body.org.id, ownerKey: made.body.owner_key };
}

/** A link that signs in to the console of an org, once. */
export async function consoleLink(orgId: string, key: string): Promise<string> {
  const made = await call("POST", `/v1/orgs/${orgId}/console-links`, { key });
  if (made.status !== 201) throw new Error(`no link: ${made.status} ${made.text}`);
  return made.body.url as string;
}

export interface ServerFixture {
  readonly server: Server;
  end(): Promise<void>;
}

/** A separate server for a file, to evict, crash or configure. */
export async function serverFixture(options: Partial<ServerOptions> = {}): Promise<ServerFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const server = await startServer({ port: 0, dataDir, ...options });
  return {
    server,
    end: async () => {
      await server.dispose();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same for one test, stopped afterwards. */
export async function ownServer(options: Partial<ServerOptions> = {}): Promise<Server> {
  const fixture = await serverFixture(options);
  onTestFinished(() => fixture.end());
  return fixture.server;
}
