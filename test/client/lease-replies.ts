import { createGate, type GateOptions } from "../../src/client/gate/index.ts";

export const KEY = `svc_live_01J0000000000000000000000001J0000000000000000000000A_${"s".repeat(49)}`;
export const RUN = { model: "acme/m1", usage: { input_tokens: 1, output_tokens: 1 } };

/** What the service answers to an exchange in which nothing was asked and nothing is leased. */
export function leaseReply(more: object = {}): Response {
  return Response.json({
    version: 1,
    valid_ms: 2000,
    checks: "limits",
    on_expiry: "release",
    counted_by: [],
    scans_input: false,
    ids: [],
    refused: [],
    verdict: null,
    leases: null,
    ...more,
  });
}

export function refusal(code: string, status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code, message: "No.", details: {} } }, { status, headers });
}

interface Sent {
  readonly path: string;
  readonly body: { readonly ungoverned?: number; readonly runs?: { readonly id: string }[] };
}

/** A gate whose service answers exchanges as it is told, and records every run that it hears of. */
export function gateTo(exchanged: () => Response | Promise<Response>, options: GateOptions = {}) {
  const sent: Sent[] = [];
  const service = { isAway: false };
  const gate = createGate({
    key: KEY,
    url: "https://sluice.test",
    fetch: async (url, { body }) => {
      if (service.isAway) throw new TypeError("fetch failed");
      const given = JSON.parse(body as string) as Sent["body"];
      sent.push({ path: new URL(url).pathname, body: given });
      if (given.runs === undefined) return exchanged();
      return Response.json({ results: given.runs.map((_, index) => ({ index, status: "recorded" })) });
    },
    ...options,
  });
  const exchanges = () => sent.filter(({ path }) => path === "/v1/edge/leases").map(({ body }) => body);
  const runs = () => sent.flatMap(({ body }) => body.runs ?? []).map(({ id }) => id);
  return { gate, service, exchanges, runs };
}
