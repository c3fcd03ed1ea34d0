import type { Context } from "hono";
import { standardHeaders, TRACE_HEADER } from "../contract/headers.ts";
import type { CounterName, GaugeName } from "../contract/metrics.ts";
import { isSecret } from "../domain/key/api-key.ts";
import { exposition, EXPOSITION_TYPE, type MetricFamily } from "../domain/metric/exposition.ts";
import { gaugeFamilies, metricFamilies } from "../domain/metric/metric-families.ts";
import { readRegistry } from "../edge/request/deprecation.ts";
import type { Env } from "../edge/env.ts";
import { logFailure } from "../log.ts";
import { settingsOf } from "../settings.ts";
import { scrape } from "./scrapes.ts";

/** Serves the metrics that Prometheus scrapes. Outside /v1: plain text, no envelope. */
export async function metrics(context: Context<{ Bindings: Env }>): Promise<Response> {
  const { env } = context;
  const settings = settingsOf(env);
  const headers = {
    ...standardHeaders(settings.SVC_REGION),
    "content-type": EXPOSITION_TYPE,
    [TRACE_HEADER]: crypto.randomUUID(),
  };
  if (!mayRead(context.req.header("authorization"), settings.SVC_METRICS_TOKEN)) {
    const challenge = { ...headers, "www-authenticate": 'Bearer realm="metrics"' };
    return new Response("Send the metrics token as a bearer token.\n", { status: 401, headers: challenge });
  }
  try {
    return new Response(exposition(await readFamilies(env)), { headers });
  } catch (error) {
    logFailure(headers[TRACE_HEADER], error);
    return new Response("The counters are unavailable. Scrape again.\n", { status: 503, headers });
  }
}

async function readFamilies(env: Env): Promise<MetricFamily[]> {
  const registry = readRegistry(env.REGISTRY);
  const { totals, gauges } = await scrape(env.COUNTERS, Date.now());
  const routes = (await registry).deprecations.map(({ route }) => route);
  return [...metricFamilies(totals, routes), ...gaugeFamilies(gauges, Date.now())];
}

/** Each counter and gauge, added up over its labels. */
export type MetricSums = Readonly<Partial<Record<CounterName | GaugeName, number>>>;

export async function readMetricSums(env: Env): Promise<MetricSums> {
  const families = await readFamilies(env);
  return Object.fromEntries(
    families.flatMap((family) =>
      family.type === "histogram"
        ? []
        : [[family.name, family.samples.reduce((sum, { value }) => sum + value, 0)]],
    ),
  );
}

function mayRead(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  return isSecret(authorization ?? "", `Bearer ${token}`);
}
