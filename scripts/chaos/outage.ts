import { setTimeout as sleep } from "node:timers/promises";
import { createGate, type EmbeddedGate } from "../../src/client/gate/index.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import { inUsd } from "./world.ts";

const RUNS = 10;
/** A client sends a bulk three times, and then its gate waits. This is more than one bulk gets. */
const UNAVAILABLE_ANSWERS = 7;
const UNAVAILABLE = { error: { code: "service_unavailable", message: "Away.", details: {} } };
/** After the last 503. */
const PATIENCE_SECONDS = 15;
const POLL_MS = 100;

/** A gate whose bulks get 503s for longer than its client tries again. Each of its runs is recorded all the same. */
export class Outage implements Rounds {
  readonly name = "with an outage";
  readonly #given: RoundSetting;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
  }

  async open(): Promise<void> {}

  async round(): Promise<void> {
    const { org, world, findings } = this.#given;
    const name = `outage-${this.#rounds++}`;
    let unavailable = UNAVAILABLE_ANSWERS;
    const told: string[] = [];
    const gate = createGate({
      url: world.eu.server.urls[0],
      key: org.key,
      flushMs: POLL_MS,
      onError: (error, { id }) => told.push(`${id}: ${String(error)}`),
      fetch: async (url, init) => {
        if (!url.endsWith("/v1/runs/bulk") || unavailable === 0) return fetch(url, init);
        unavailable -= 1;
        return Response.json(UNAVAILABLE, { status: 503 });
      },
    });
    const ids = await this.#settle(gate, name);
    await this.#sent(gate);
    const queued = gate.stats.runsQueued;
    await gate.close();
    for (const what of told) findings.add("lost report", `${org.name}: a gate dropped ${what}`);
    // A region that is killed again and again may leave no time for it.
    if (queued > 0) return;
    const stored = new Set((await this.#given.caller.all("/v1/runs?")).map((run) => run["id"]));
    for (const id of ids) {
      if (!stored.has(id)) findings.add("lost report", `${org.name}: run ${id} of a gate is not there`);
    }
  }

  async #settle(gate: EmbeddedGate, name: string): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < RUNS; at += 1) {
      const cost_usd = inUsd(1);
      const allowed = await gate.decide({ model: "m", estimate: { cost_usd } }).catch(() => null);
      this.#given.traffic.answers += 1;
      if (allowed === null) continue;
      const id = `${name}-${at}`;
      ids.push(id);
      const usage = { input_tokens: 1, output_tokens: 1 };
      gate.settle(allowed, { id, model: "m", usage, cost_usd, started_at: new Date().toISOString() });
    }
    return ids;
  }

  /** Until nothing waits any more. */
  async #sent(gate: EmbeddedGate): Promise<void> {
    const isOver = this.#given.world.pace.after(PATIENCE_SECONDS);
    while (gate.stats.runsQueued > 0 && !isOver() && !this.#given.traffic.isOver) {
      await gate.flush();
      await sleep(POLL_MS);
    }
  }
}
