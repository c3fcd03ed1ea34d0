import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { call, newOrg, sharedServer, type SystemOrg } from "../support/server.ts";

/** The official client, as an agent has it. */
async function connected(org: SystemOrg, path: string, mode: "legacy" | "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const url = new URL(path, sharedServer().urls[0]);
  const headers = { authorization: `Bearer ${org.ownerKey}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const textOf = (result: unknown): string => {
  const [first] = (result as { content: { text: string }[] }).content;
  return first?.text ?? "";
};

test.each(["legacy", "auto"] as const)(
  "the official client finds the tools and uses them (%s)",
  async (mode) => {
    const org = await newOrg();
    await call("PUT", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey, body: { cap_usd: "7" } });
    const usage = { input_tokens: 10, output_tokens: 5 };
    const run = {
      model: "acme/m1",
      action: "chat",
      started_at: new Date().toISOString(),
      usage,
      cost_usd: "1.25",
    };
    const recorded = await call("POST", "/v1/runs", { key: org.ownerKey, body: run });
    expect(recorded.status).toBe(201);
    const client = await connected(org, "/mcp", mode);
    expect(client.getServerVersion()).toMatchObject({ name: "sluice" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("report");
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(textOf(await client.callTool({ name: "report", arguments: { group_by: "model" } }))).toContain(
      '"1.25"',
    );
    expect(textOf(await client.callTool({ name: "limits", arguments: {} }))).toContain('"7.00"');
    const forecast = await client.callTool({ name: "forecast", arguments: {} });
    expect(textOf(forecast)).toContain("<data ");
    await expect(client.callTool({ name: "set_spend_cap", arguments: { cap_usd: "9" } })).rejects.toThrow(
      "no such tool",
    );
    await client.close();
    const writer = await connected(org, "/mcp?write=1", mode);
    const set = await writer.callTool({ name: "set_spend_cap", arguments: { cap_usd: "9" } });
    expect([set.isError, textOf(set)]).toEqual([false, expect.stringContaining('"9.00"')]);
    await writer.close();
  },
);
