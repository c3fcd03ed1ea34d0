import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../bundle.ts";
import { claimPorts, HOST } from "../ports.ts";
import { type Server, startServer } from "../server.ts";
import { readWorkerConfig } from "../worker-config.ts";
import { compare } from "./compare.ts";
import type { BenchRow } from "./bench-row.ts";
import type { Subject } from "./harness.ts";
import { type Gateway, portkeyHeaders, startPortkey } from "./portkey.ts";
import { type OwnRuntime, startAlone } from "./own-runtime.ts";

/**
 * What governing a call costs a proxy: the same proxy, upstream and core, with and without. The plain one hands the model's
 * answer to the runtime and never looks at it. Over RPC and HTTP, a call is only asked for: its answer is handed on as well,
 * and nobody reads its usage or settles it. With the embedded gate, usage is read and the run is settled.
 */

const MODES = ["plain", "embedded", "rpc", "http"] as const;
type Mode = (typeof MODES)[number];

const NAMES: Readonly<Record<Mode, string>> = {
  plain: "plain proxy",
  embedded: "embedded gate",
  rpc: "asks over RPC",
  http: "asks over HTTP",
};
/** The pieces of a stream come at once. */
const FORMS = ["whole", "stream"] as const;
type Form = (typeof FORMS)[number];
/** Those of the governed proxy. */
const FLAGS = ["nodejs_compat", "enable_request_signal"] as const;
const FAR = "900000000";
const CHUNKS = 20;
const USAGE = { prompt_tokens: 12, completion_tokens: CHUNKS, total_tokens: 12 + CHUNKS };
const BODY = JSON.stringify({
  model: "m1",
  messages: [{ role: "user", content: "Hello there. ".repeat(12) }],
});

/** A model that answers at once, as a whole or as a stream of pieces. */
function startModel() {
  const whole = JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "x ".repeat(200) }, finish_reason: "stop" }],
    usage: USAGE,
  });
  const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word " } }] })}\n\n`;
  const end = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
  // Longer than a runtime keeps a connection: a busy one hears too late that it has ended, and loses the call that goes over it.
  const model = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on("end", () => {
      if (request.url?.includes("stream") !== true) {
        response.setHeader("content-type", "application/json");
        response.end(whole);
        return;
      }
      response.setHeader("content-type", "text/event-stream");
      for (let chunk = 0; chunk < CHUNKS; chunk += 1) response.write(piece);
      response.end(end);
    });
  });
  return new Promise<{ url: string; close: () => void }>((resolve) => {
    model.listen(0, HOST, () => {
      const { port } = model.address() as AddressInfo;
      resolve({ url: `http://${HOST}:${port}`, close: () => model.close() });
    });
  });
}

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const model = await startModel();
  const [port = 0, ...proxies] = await claimPorts(0, 1 + MODES.length);
  const script = await bundleWorker("scripts/bench/proxy-worker.ts");
  const apart = await startAlone(script, {
    compatibilityFlags: [...FLAGS],
    bindings: { MODE: "embedded", MODEL_URL: model.url, SLUICE_URL: `http://${HOST}:${port}` },
  });
  const server = await startServer({
    port,
    dataDir: folder,
    companions: (service) =>
      MODES.map((mode, index) => ({
        name: `proxy-${mode}`,
        modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
        compatibilityDate: readWorkerConfig().compatibility_date,
        compatibilityFlags: [...FLAGS],
        bindings: { MODE: mode, MODEL_URL: model.url, SLUICE_URL: `http://${HOST}:${port}` },
        serviceBindings: { SLUICE: { name: service, entrypoint: "Gate" } },
        unsafeDirectSockets: [{ host: HOST, port: proxies[index] ?? 0 }],
      })),
  });
  const portkey = await startPortkey(model.url);
  try {
    const key = await orgWithLimits(server);
    const all = [...subjects(server, key, proxies), ...apartSubjects(apart, key)];
    return await compare(portkey === null ? all : [...all, portkeySubject(portkey)]);
  } finally {
    portkey?.stop();
    await apart.dispose();
    await server.dispose();
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The proxy with the gate inside, in a runtime of its own: what governing costs the caller, without what the service does. */
function apartSubjects({ port, pid }: OwnRuntime, key: string): Subject[] {
  return FORMS.map((form) => ({
    name: `embedded gate, ${form}, service elsewhere`,
    load: loadOf(form, port, key),
    pid,
    isServedHereToo: true,
    status: 200,
    of: `${NAMES.plain}, ${form}`,
    target: 0.85,
  }));
}

/** An org with a price, a budget, a customer limit and a daily cap, none of which is ever full. */
async function orgWithLimits(server: Server): Promise<string> {
  const call = async (path: string, key: string, body: object, method = "POST") => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(server.urls[0] + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await call("/v1/admin/orgs", operator, { name: "bench" });
  const { org, owner_key: key } = made as { org: { id: string }; owner_key: string };
  const at = `/v1/orgs/${org.id}`;
  await call(`${at}/budgets`, key, { scope_kind: "org", limit_usd: FAR, period: "month", mode: "enforce" });
  await call(`${at}/customer-limits`, key, { customer_id: "*", limit_usd: FAR, period: "month" });
  await call(`${at}/spend-cap`, key, { cap_usd: FAR }, "PUT");
  await call(`${at}/models/acme%2Fm1`, key, { input_usd_per_mtok: "1", output_usd_per_mtok: "4" }, "PUT");
  return key;
}

const TARGETS: Readonly<Partial<Record<Mode, number>>> = { embedded: 0.85, rpc: 0.6 };

function subjects(server: Server, key: string, ports: readonly number[]): Subject[] {
  const pid = () => Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  return FORMS.flatMap((form) =>
    MODES.map((mode, index): Subject => {
      const target = TARGETS[mode];
      return {
        name: `${NAMES[mode]}, ${form}`,
        load: loadOf(form, ports[index] ?? 0, key),
        pid,
        isServedHereToo: true,
        status: 200,
        ...(mode === "plain" ? {} : { of: `${NAMES.plain}, ${form}` }),
        ...(target === undefined ? {} : { target }),
      };
    }),
  );
}

function loadOf(form: Form, port: number, key: string): Subject["load"] {
  const headers = { "content-type": "application/json", "x-key": key };
  return { ports: [port], method: "POST", path: `/v1/chat/completions/${form}`, headers, body: BODY };
}

function portkeySubject({ port, pid, modelUrl }: Gateway): Subject {
  const headers = { "content-type": "application/json", ...portkeyHeaders(modelUrl) };
  const load = { ports: [port], method: "POST", path: "/v1/chat/completions", headers, body: BODY };
  return {
    name: "Portkey's gateway, whole",
    load,
    pid: () => pid,
    isServedHereToo: true,
    status: 200,
    of: `${NAMES.plain}, whole`,
  };
}
