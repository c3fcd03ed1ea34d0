import { setTimeout as sleep } from "node:timers/promises";
import type { ProxyHistory } from "./history.ts";
import type { Traffic } from "./traffic.ts";
import type { Org, World } from "./world.ts";

/** Calls to a model through the proxy: whole answers, streams, and streams that are left. */

/** Only calls that are compared have it. */
const MODEL = "gpt-4o-mini";
const PAUSE_MS = 50;
const QUIET_CALLS = 5;
const MOST_LOOKS_SECONDS = 30;
const ANSWERED_MS = 10_000;

async function callModel(world: World, org: Org, { random }: Pick<Traffic, "random">): Promise<boolean> {
  const isStream = random() < 0.5;
  const leaves = isStream && random() < 0.4;
  const body = {
    model: MODEL,
    max_tokens: 50,
    stream: isStream,
    messages: [{ role: "user", content: "20 words" }],
  };
  const response = await fetch(`${world.eu.server.proxyUrl}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${org.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(world.pace.ms(ANSWERED_MS)),
  });
  if (leaves) {
    await response.body?.getReader().read();
    await response.body?.cancel().catch(() => undefined);
    return false;
  }
  await response.text();
  return response.status === 200;
}

export async function useProxy(world: World, org: Org, traffic: Traffic): Promise<void> {
  while (!traffic.isOver) {
    await callModel(world, org, traffic).catch(() => false);
    traffic.answers += 1;
    await sleep(PAUSE_MS);
  }
}

/** After the last fault: some calls, each of which must be recorded; and what was recorded of all. */
export async function proxyHistory(world: World, org: Org): Promise<ProxyHistory> {
  const recorded = async () => {
    const runs = await org.caller.all("/v1/runs?");
    const tokens = runs.map((run) => (run["usage"] as { output_tokens: number }).output_tokens);
    return { runs: runs.length, tokens: tokens.reduce((total, count) => total + count, 0) };
  };
  const before = await settledCount(recorded, null, world);
  for (let made = 0; made < QUIET_CALLS; made += 1) {
    const isServed = await callModel(world, org, { random: () => 0.9 }).catch(() => false);
    if (!isServed) world.unpromised.push("a call through the proxy failed without a fault");
  }
  const after = await settledCount(recorded, before.runs + QUIET_CALLS, world);
  const served = world.provider.served.filter(({ model }) => model === MODEL);
  return {
    served: served.length,
    servedTokens: served.reduce((total, { outputTokens }) => total + outputTokens, 0),
    recorded: after.runs,
    recordedTokens: after.tokens,
    quietCalls: QUIET_CALLS,
    quietRecorded: after.runs - before.runs,
  };
}

type Count = { readonly runs: number; readonly tokens: number };

/** Looks until there are as many as expected; without an expectation, until two looks a while apart agree. */
async function settledCount(
  count: () => Promise<Count>,
  expected: number | null,
  { pace }: World,
): Promise<Count> {
  let last = await count();
  for (const isOver = pace.after(MOST_LOOKS_SECONDS); !isOver();) {
    if (expected !== null && last.runs >= expected) return last;
    await sleep(expected === null ? 3000 : 200);
    const next = await count();
    if (expected === null && next.runs === last.runs) return next;
    last = next;
  }
  return last;
}
