import { type BenchRow, compare, type Subject } from "./harness.ts";
import { startReference } from "./reference.ts";

/** 300 bytes, as a proxy would send them; the `#` become a number never sent before. */
const BODY = JSON.stringify({
  request_id: "req_####################",
  model: "acme/m1",
  action: "chat.completion",
  workflow_id: "wf_support_answers",
  deployment_id: "dep_europe_production",
  department_id: "dpt_customer_care",
  customer_id: "cus_0000000001",
  estimate: { cost_usd: "0.001250", input_tokens: 1800, max_output_tokens: 600 },
}).padEnd(300, " ");

export async function run(): Promise<BenchRow[]> {
  const reference = await startReference();
  try {
    const headers = { "content-type": "application/json", authorization: `Bearer ${"x".repeat(112)}` };
    const bare = (name: string, path: string, of?: string): Subject => ({
      name,
      load: { ports: [reference.port], method: "POST", path, headers, body: BODY },
      pid: reference.pid,
      status: 200,
      ...(of === undefined ? {} : { of }),
    });
    return await compare([
      bare("reference", "/reference"),
      bare("one RPC, one upsert", "/upsert", "reference"),
      bare("rate-limiter-flexible, in memory", "/limiter", "reference"),
    ]);
  } finally {
    await reference.dispose();
  }
}
