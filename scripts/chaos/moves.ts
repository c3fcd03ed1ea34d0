import type { Body } from "./caller.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import type { ViolationKind } from "./history.ts";
import { SureCalls } from "./sure-calls.ts";
import { inNanos, inUsd } from "./world.ts";

const REGIONS = ["us", "eu"] as const;
const RUNS = 4;
const HELD_NANOS = 5;

/** An org that moves between the regions while it is called: each run is there once, and what was reserved stays so. */
export class Moves implements Rounds {
  readonly name = "of moves";
  readonly #given: RoundSetting;
  readonly #calls: SureCalls;
  readonly #below: string;
  readonly #sent: string[] = [];
  #spent = 0;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#calls = new SureCalls(given);
    this.#below = `/v1/orgs/${given.org.id}`;
  }

  async open(): Promise<void> {
    await this.#calls.pass(1);
  }

  async round(): Promise<void> {
    const round = this.#rounds++;
    const to = REGIONS[round % REGIONS.length] ?? "us";
    const name = `moves-${round}`;
    await this.#record(`${name}-before`);
    const held = await this.#calls.hold(name, "held", HELD_NANOS, { hold_seconds: 3600 });
    await Promise.all([this.#move(to), this.#record(`${name}-during`)]);
    await this.#compare(to, HELD_NANOS);
    const cost = { customer_id: name, cost_usd: inUsd(HELD_NANOS), reservation_id: held };
    this.#calls.promised(`settlement of ${held}`, await this.#calls.run(`${name}-held`, cost), [200, 201]);
    this.#sent.push(`${name}-held`);
    this.#spent += HELD_NANOS;
    await this.#compare(to, 0);
  }

  async #record(name: string): Promise<void> {
    for (let at = 0; at < RUNS; at += 1) {
      const id = `${name}-${at}`;
      this.#calls.promised(`run ${id}`, await this.#calls.run(id, { cost_usd: inUsd(1) }), [200, 201]);
      this.#sent.push(id);
      this.#spent += 1;
    }
  }

  /** It is sent again until it is answered, as an operator does. */
  async #move(to: string): Promise<void> {
    const { operator, org } = this.#given;
    const answer = await this.#calls.send(operator, "POST", `/v1/admin/orgs/${org.id}/move`, { to });
    this.#calls.promised(`move to ${to}`, answer, [200]);
  }

  async #compare(home: string, reserved: number): Promise<void> {
    const { caller, org } = this.#given;
    const shown = await this.#read("");
    if (shown["home_region"] !== home)
      this.#add("lost report", `it is at home in ${String(shown["home_region"])}, not in ${home}`);
    const runs = (await caller.all("/v1/runs?")).map(({ id }) => String(id));
    const there = new Set(runs);
    const missing = this.#sent.filter((id) => !there.has(id));
    if (missing.length > 0)
      this.#add("lost report", `${missing.length} runs are gone, such as ${missing[0]}`);
    if (runs.length > there.size)
      this.#add("doubled settlement", `${runs.length - there.size} runs are there twice`);
    const budget = await this.#read(`/budgets/${org.budgetId}`);
    const found = [inNanos(budget["spent_usd"]), inNanos(budget["reserved_usd"])];
    if (found[0] !== this.#spent || found[1] !== reserved) {
      this.#add(
        "wrong sum",
        `${found.join(" and ")} nano-dollars are spent and reserved, and its caller knows of ${this.#spent} and ${reserved}`,
      );
    }
    const { valid } = await this.#read("/audit-log/verify");
    if (valid !== true) this.#add("broken trail", "the audit chain does not verify");
  }

  async #read(path: string): Promise<Body> {
    return (await this.#calls.send(this.#given.caller, "GET", this.#below + path)).body;
  }

  #add(kind: ViolationKind, what: string): void {
    this.#given.findings.add(kind, `${this.#given.org.name}: ${what}`);
  }
}
