import type { Rounds, RoundSetting } from "./findings.ts";
import { SureCalls } from "./sure-calls.ts";
import { type Change, wrongEntries } from "./trail.ts";
import { inNanos, inUsd } from "./world.ts";

const RUNS = 4;

/**
 * An org in which nothing happens by itself: what a call has written waits in the log when its object dies. After each call it
 * does, and then every run has its cost, its audit entry and its event.
 */
export class Restarts implements Rounds {
  readonly name = "of restarts";
  readonly #given: RoundSetting;
  readonly #calls: SureCalls;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#calls = new SureCalls(given);
  }

  async open(): Promise<void> {}

  async round(): Promise<void> {
    const { org, caller, findings } = this.#given;
    const round = this.#rounds++;
    const ids = Array.from({ length: RUNS }, (_, at) => `restarts-${round}-${at}`);
    for (const id of ids) await this.#calls.record(id, { cost_usd: inUsd(1) });
    const below = `/v1/orgs/${org.id}`;
    const changes = ids.map((id): Change => ["run.recorded", id]);
    const entries = await caller.all(`${below}/audit-log?action=run.recorded&`);
    for (const what of wrongEntries(changes, entries)) findings.add("broken trail", what);
    const events = await caller.all(`${below}/events?type=run.recorded&`);
    const announced = events.flatMap((event) => (event["data"] as { run_ids: string[] }).run_ids);
    for (const id of ids) {
      const { length } = announced.filter((one) => one === id);
      if (length !== 1) findings.add("broken trail", `run ${id} was announced ${length} times`);
    }
    const { body } = await this.#calls.send(caller, "GET", `${below}/budgets/${org.budgetId}`);
    const [spent, cost] = [inNanos(body["spent_usd"]), this.#rounds * RUNS];
    if (spent === cost) return;
    findings.add("wrong sum", `${org.name}: ${spent} nano-dollars are spent, and the runs cost ${cost}`);
  }
}
