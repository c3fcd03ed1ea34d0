import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Server, type ServerOptions, startServer } from "../../scripts/server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { http } from "../support/http.ts";

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
};

async function start(options: Partial<ServerOptions>): Promise<Server> {
  const server = await startServer({ port: 0, dataDir: temporaryFolder(), ...options });
  onTestFinished(() => server.dispose());
  return server;
}

interface Regions {
  readonly eu: string;
  readonly us: string;
  readonly logs: readonly string[];
}

/** Regions reach each other through a binding or a URL. */
const WAYS: Readonly<Record<string, () => Promise<Regions>>> = {
  async binding() {
    const server = await start({ regions: ["eu", "us"], settings: SECRETS });
    const [eu, us = ""] = server.urls;
    return { eu, us, logs: [server.folder.log] };
  },
  async address() {
    const settings = (region: string, regions: object) => ({
      settings: { ...SECRETS, SVC_REGION: region, SVC_REGIONS: JSON.stringify(regions) },
    });
    const eu = await start(settings("eu", { us: "http://127.0.0.1:9" }));
    const us = await start(settings("us", { eu: eu.urls[0] }));
    return { eu: eu.urls[0], us: us.urls[0], logs: [eu.folder.log, us.folder.log] };
  },
};

async function failures(base: string): Promise<string[]> {
  const { text } = await http("GET", `${base}/metrics`);
  return text.split("\n").filter((line) => /^svc_requests_total\{.*status="5/.test(line));
}

/** Sends a part of a body, and disconnects while it is in transit. */
function hangUp(base: string, head: readonly string[], body: string): Promise<void> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join("\r\n")}\r\nhost: ${hostname}\r\n\r\n${body}`);
      setTimeout(() => socket.destroy(), 300);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

interface Line {
  readonly region?: string;
  readonly status?: number;
  readonly route?: string | null;
}

function linesOf({ logs }: Regions, region: string): Line[] {
  const texts = logs.flatMap((log) => readFileSync(log, "utf8").split("\n"));
  const lines = texts.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text) as Line);
  return lines.filter((line) => line.region === region && (line.status ?? 0) >= 400);
}

test.for(Object.keys(WAYS))(
  "an upload that breaks off on its way to another region is a failure of neither, and changes nothing (by %s)",
  async (way) => {
    const regions = await (WAYS[way] as () => Promise<Regions>)();
    const { eu, us } = regions;
    const made = await http("POST", `${eu}/v1/admin/orgs`, {
      key: SECRETS.SVC_OPERATOR_KEY,
      body: { name: "Acme", home_region: "eu" },
    });
    const org = { id: made.body.org.id as string, key: made.body.owner_key as string };
    const [cap, keys] = [`/v1/orgs/${org.id}/spend-cap`, `/v1/orgs/${org.id}/keys`];
    expect((await http("PUT", us + cap, { key: org.key, body: { cap_usd: "5" } })).status).toBe(200);
    const before = [await failures(eu), await failures(us)];
    const routes = ["POST /v1/runs", `PUT ${cap}`, "POST /v1/runs/bulk", `POST ${keys}`];
    const part = '{"cap_usd":"9","name":"k","role":"admin","model":"m';
    for (const route of routes) {
      const head = [
        `${route} HTTP/1.1`,
        `authorization: Bearer ${org.key}`,
        "content-type: application/json",
      ];
      await hangUp(us, [...head, "content-length: 900"], part);
      await hangUp(us, [...head, "content-length: 900000"], part + "x".repeat(300_000));
      const chunks = `${part.length.toString(16)}\r\n${part}\r\n10\r\n{"`;
      await hangUp(us, [...head, "transfer-encoding: chunked"], chunks);
    }
    await expect.poll(() => linesOf(regions, "us").length).toBe(3 * routes.length);
    const statuses = ["us", "eu"].flatMap((region) => linesOf(regions, region).map(({ status }) => status));
    expect(new Set(statuses)).toEqual(new Set([400]));
    for (const base of [us, eu]) {
      expect((await http("GET", base + cap, { key: org.key })).body.cap_usd).toBe("5.00");
      expect((await http("GET", `${base}/v1/runs`, { key: org.key })).body.data).toEqual([]);
      expect((await http("GET", base + keys, { key: org.key })).body.data).toHaveLength(1);
      expect((await http("PUT", base + cap, { key: org.key, body: { cap_usd: "5" } })).status).toBe(200);
    }
    expect([await failures(eu), await failures(us)]).toEqual(before);
  },
);
