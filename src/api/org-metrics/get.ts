import { isRefusal } from "../../contract/refusal.ts";
import { exposition, EXPOSITION_TYPE } from "../../domain/metric/exposition.ts";
import { limitFamilies } from "../../domain/metric/limit-families.ts";
import { operation } from "../../edge/request/operation.ts";

export const getOrgMetrics = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/metrics",
    summary: "Read the org's limits as gauges for Prometheus",
    description:
      "Each limit with its value, what is spent and reserved, and the seconds until it resets. At most 1,000 limits; `svc_limits_left_out` counts the rest.",
    role: "viewer",
    scope: "limits:read",
    reply: { 200: null },
    media: ["text/plain"],
    refuses: [],
  },
  async (call) => {
    const found = await call.org.query("readLimits", null);
    if (isRefusal(found)) return found;
    const { limits, left_out } = found.body;
    const text = exposition(limitFamilies(limits, left_out));
    return { status: 200, stream: streamOf(text), media: EXPOSITION_TYPE };
  },
);

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}
