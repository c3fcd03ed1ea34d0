import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../server.ts";
import { CALLS_HEADER } from "./calls-header.ts";
import type { BenchRow } from "./bench-row.ts";
import { newBenchOrg, reach, sender } from "./send.ts";

const ASK = JSON.stringify({ estimate: { cost_usd: "0.01" } });

/** How often the first decision of a key that an isolate does not know asks the org's object. */
export async function firstDecision(): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const server = await startServer({ port: 0, dataDir: folder, entry: "scripts/bench/hops-worker.ts" });
  try {
    const [url] = server.urls;
    const { key } = await newBenchOrg(server, sender(url));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await reach(`${url}/v1/edge/decision`, { method: "POST", headers, body: ASK });
    const calls = answer.headers.get(CALLS_HEADER)?.split(" ") ?? [];
    if (answer.status !== 200) throw new Error(`the first decision was answered ${answer.status}`);
    return {
      name: "first decision of an unknown key",
      perSecond: calls.length,
      cpuMicros: null,
      ratio: Number((1 / calls.length).toFixed(3)),
      of: "one hop",
      target: 1,
      note: `calls to the object: ${calls.join(", ")}`,
    };
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}
