import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect } from "vitest";
import { claimPorts } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";
import { makeFolder } from "./folder.ts";
import { http, type HttpAnswer } from "./http.ts";
import { LASTING } from "./lasting.ts";
import { PATIENCE_MS } from "./patience.ts";

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
};
export const operator = { key: SECRETS.SVC_OPERATOR_KEY };

/** What regions say to each other passes through here, so that it can be broken at any point. */
class Between {
  readonly #server: HttpServer;
  /** Told of each call to an object in the other region, before it is sent and after it was answered. */
  onCall: (method: string, when: "before" | "after") => Promise<void> | void = () => undefined;

  constructor(target: string) {
    this.#server = createServer(LASTING, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        const method = /"method":"(\w+)"/.exec(body.toString("latin1"))?.[1] ?? "";
        const pass = async () => {
          await this.onCall(method, "before");
          const headers = new Headers(request.headers as Record<string, string>);
          for (const name of ["host", "connection", "content-length", "transfer-encoding"])
            headers.delete(name);
          const answer = await fetch(target + request.url, {
            method: request.method ?? "GET",
            headers,
            redirect: "manual",
            ...(body.length > 0 && { body }),
          });
          const text = Buffer.from(await answer.arrayBuffer());
          await this.onCall(method, "after");
          const kept = [...answer.headers].filter(
            ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
          );
          response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
        };
        pass().catch(() => response.destroy());
      });
    });
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export interface Org {
  readonly id: string;
  readonly key: string;
}

export const run = (id: string, fields: object = {}) => ({
  id,
  started_at: new Date().toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
  ...fields,
});

/** Two regions between which orgs move, for the tests of a file. */
export class TwoRegions {
  readonly folders = { eu: makeFolder(), us: makeFolder() };
  readonly #servers: { eu?: Server; us?: Server; between?: Between } = {};

  constructor() {
    beforeAll(() => this.#start());
    afterAll(() => this.#end());
  }

  get eu(): Server {
    return started(this.#servers.eu);
  }

  get us(): Server {
    return started(this.#servers.us);
  }

  get between(): Between {
    return started(this.#servers.between);
  }

  async #start(): Promise<void> {
    const [port = 0] = await claimPorts(0, 1);
    const start = (region: string, regions: object, dataDir: string, at: number) =>
      startServer({
        port: at,
        dataDir,
        settings: { ...SECRETS, SVC_REGION: region, SVC_REGIONS: JSON.stringify(regions) },
      });
    const us = await start("us", { eu: `http://127.0.0.1:${port}` }, this.folders.us.path, 0);
    const between = new Between(us.urls[0]);
    await between.listen(0);
    const eu = await start("eu", { us: between.url }, this.folders.eu.path, port);
    Object.assign(this.#servers, { eu, us, between });
  }

  async #end(): Promise<void> {
    this.between.close();
    await Promise.all([this.eu.dispose(), this.us.dispose()]);
    for (const folder of Object.values(this.folders)) folder.remove();
  }

  async newOrg(fields: object = {}): Promise<Org> {
    const body = { name: "Acme", home_region: "eu", ...fields };
    const made = await http("POST", `${this.eu.urls[0]}/v1/admin/orgs`, { ...operator, body });
    return { id: made.body.org.id, key: made.body.owner_key };
  }

  move(org: Org, to: string): Promise<HttpAnswer> {
    return http("POST", `${this.eu.urls[0]}/v1/admin/orgs/${org.id}/move`, { ...operator, body: { to } });
  }

  /** Until the move is acknowledged, as an operator does. */
  async movedAtLast(org: Org, to: string): Promise<HttpAnswer> {
    let last = "";
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
      const answer = await this.move(org, to).catch(() => null);
      if (answer?.status === 200) return answer;
      last = answer?.text ?? "no answer";
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`the move never ended: ${last}`);
  }

  /** In exactly one region, which says so, and with a trail that verifies. */
  async expectWhole(org: Org, region: string): Promise<void> {
    const lists = { eu: await homeOf(this.eu), us: await homeOf(this.us) };
    expect([lists.eu.get(org.id), lists.us.get(org.id)]).toEqual(
      region === "eu" ? ["eu", undefined] : [undefined, "us"],
    );
    for (const server of [this.eu, this.us]) {
      const shown = await http("GET", `${server.urls[0]}/v1/orgs/${org.id}`, { key: org.key });
      expect([shown.status, shown.body?.home_region]).toEqual([200, region]);
      const verified = await http("GET", `${server.urls[0]}/v1/orgs/${org.id}/audit-log/verify`, {
        key: org.key,
      });
      expect(verified.body.valid).toBe(true);
    }
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the regions have not started");
  return part;
}

const homeOf = async (server: Server): Promise<Map<string, string>> => {
  const listed = await http("GET", `${server.urls[0]}/v1/admin/orgs?limit=200`, operator);
  return new Map(
    listed.body.data.map((org: { id: string; home_region: string }) => [org.id, org.home_region]),
  );
};
