/**
 * A process with gates of its own, which decides, settles, releases and renews until it is told to end. It says what it does
 * before it does it, and what it was told afterwards, one line of JSON each. Its wall clock can be moved.
 */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Allowed, createGate, Refused } from "../../src/client/gate/index.ts";
import { heldUntil, nowMs } from "./history.ts";

interface Task {
  readonly org: string;
  readonly url: string;
  readonly key: string;
  readonly nanos: number;
  /** Only settles, at what was reserved. */
  readonly onlyGrows: boolean;
}

const tasks = JSON.parse(process.argv[2] ?? "[]") as Task[];
const CLIENTS = 2;
const PAUSE_MS = 15;
const REFUSED_PAUSE_MS = 100;
/** What waits then has no way to the service. */
const ENDING_MS = 20_000;
const realNow = Date.now.bind(Date);
let movedMs = 0;
const ending = new AbortController();
Date.now = () => realNow() + movedMs;

/** Answers to bulks that the service does not give, for longer than a client tries again. */
const AWAY_MS = 4000;
const AWAY_EACH_MS = 10_000;
const begunAt = realNow();
const isAway = (): boolean => !ending.signal.aborted && (realNow() - begunAt) % AWAY_EACH_MS < AWAY_MS;
const UNAVAILABLE = { error: { code: "service_unavailable", message: "Away.", details: {} } };

async function fetchOrBeAway(url: string, init: RequestInit): Promise<Response> {
  if (url.endsWith("/v1/runs/bulk") && isAway()) return Response.json(UNAVAILABLE, { status: 503 });
  return fetch(url, init);
}

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

function begin({ org, url, key, nanos, onlyGrows }: Task) {
  const gate = createGate({
    url,
    key,
    fetch: fetchOrBeAway,
    flushMs: 200,
    timeoutMs: 5000,
    onError: (error, run) => say({ org, did: "rejected", run: run.id, why: String(error) }),
  });
  const one = async (): Promise<void> => {
    const sentAt = nowMs();
    const allowed = await gate.decide({ model: "m", estimate: { cost_usd: inUsd(nanos) } });
    const { id: reservation = "", expires_at: expiresAt = "" } = allowed.reservation ?? {};
    const until = heldUntil(expiresAt, realNow());
    say({ org, did: "allow", reservation, nanos, sentAt, answeredAt: nowMs(), heldUntil: until });
    const chance = Math.random();
    if (!onlyGrows && chance < 0.2) {
      await gate.release(allowed);
      say({ org, did: "released", reservation });
      return;
    }
    if (!onlyGrows && chance < 0.3) await gate.renew(allowed, { hold_seconds: 120 });
    settle(allowed, reservation);
  };
  const settle = (allowed: Allowed, reservation: string): void => {
    const id = `gate-${crypto.randomUUID()}`;
    say({ org, did: "run", id, reservation, nanos });
    const usage = { input_tokens: 1, output_tokens: 1 };
    gate.settle(allowed, {
      id,
      model: "m",
      usage,
      cost_usd: inUsd(nanos),
      started_at: new Date(realNow()).toISOString(),
    });
  };
  const client = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const pauseMs = await one().then(
        () => PAUSE_MS,
        (error: unknown) => {
          if (!(error instanceof Refused)) return REFUSED_PAUSE_MS;
          say({ org, did: "refused", code: error.code });
          return REFUSED_PAUSE_MS;
        },
      );
      await sleep(pauseMs);
    }
  };
  return { gate, org, done: Promise.all(Array.from({ length: CLIENTS }, client)) };
}

function inUsd(nanos: number): string {
  return (nanos / 1e9).toFixed(9);
}

createInterface(process.stdin)
  .on("line", (line) => {
    movedMs += Number(line);
  })
  .on("close", () => {
    ending.abort();
  });
const begun = tasks.map(begin);
for (const { gate, org, done } of begun) {
  await done;
  for (const until = realNow() + ENDING_MS; gate.stats.runsQueued > 0 && realNow() < until;) {
    await gate.flush();
    await sleep(gate.stats.runsQueued > 0 ? REFUSED_PAUSE_MS : 0);
  }
  await gate.close();
  say({ org, did: "closed", ...gate.stats });
}
