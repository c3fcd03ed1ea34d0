import type { Body } from "./caller.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import { SureCalls } from "./sure-calls.ts";
import { inNanos, inUsd } from "./world.ts";

const PACKS = 2;
const PACK_NANOS = 1000;
/** Each but the first is drawn from two packs, and the packs together have room for three. */
const HOLD_NANOS = 600;
const HOLDS = 5;
const SETTLED_NANOS = 500;
const HOLD_SECONDS = 3600;

/** A customer with several packs of credits, whose reservations are open at once: no pack is drawn past its amount. */
export class Packs implements Rounds {
  readonly name = "of packs";
  readonly #given: RoundSetting;
  readonly #calls: SureCalls;
  readonly #below: string;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#calls = new SureCalls(given);
    this.#below = `/v1/orgs/${given.org.id}/credit-packs`;
  }

  async open(): Promise<void> {
    await this.#calls.pass(1);
  }

  async round(): Promise<void> {
    const name = `packs-${this.#rounds++}`;
    const packs: string[] = [];
    for (let at = 0; at < PACKS; at += 1) {
      const pack = { customer_id: name, amount_usd: inUsd(PACK_NANOS) };
      const { body } = await this.#calls.keyed(this.#given.caller, this.#below, `${name}-${at}`, pack);
      packs.push(String(body["id"]));
    }
    const asked = await Promise.all(Array.from({ length: HOLDS }, (_, at) => this.#hold(name, at)));
    const held = asked.filter((id) => id !== null);
    const [settled, released, ...left] = held;
    await this.#calls.end();
    await this.#compare(packs, { spent: 0, reserved: HOLD_NANOS * held.length });
    if (settled !== undefined) {
      const cost = { customer_id: name, cost_usd: inUsd(SETTLED_NANOS), reservation_id: settled };
      await this.#calls.record(`${name}-settled`, cost);
    }
    if (released !== undefined) await this.#calls.release(released);
    await this.#calls.end();
    const spent = settled === undefined ? 0 : SETTLED_NANOS;
    await this.#compare(packs, { spent, reserved: HOLD_NANOS * left.length });
    await this.#calls.pass(HOLD_SECONDS + 1);
    await this.#compare(packs, { spent: spent + HOLD_NANOS * left.length, reserved: 0 });
  }

  /** Null: there was no room. What nobody settles is charged when it expires. */
  async #hold(name: string, at: number): Promise<string | null> {
    const what = `decision ${name}-${at}`;
    const answer = await this.#calls.send(this.#given.caller, "POST", "/v1/edge/decision", {
      request_id: `${name}-${at}`,
      customer_id: name,
      model: "m",
      checks: "all",
      hold_seconds: HOLD_SECONDS,
      on_expiry: "charge",
      estimate: { cost_usd: inUsd(HOLD_NANOS), input_tokens: 1, max_output_tokens: 1 },
    });
    this.#calls.promised(what, answer, [200, 402]);
    const { id } = (answer.body["reservation"] ?? {}) as { id?: string };
    return answer.status === 200 && id !== undefined ? id : null;
  }

  async #compare(packs: readonly string[], known: { spent: number; reserved: number }): Promise<void> {
    const { caller, findings } = this.#given;
    const read: Body[] = [];
    for (const id of packs) read.push((await this.#calls.send(caller, "GET", `${this.#below}/${id}`)).body);
    for (const pack of read) {
      const used = inNanos(pack["spent_usd"]) + inNanos(pack["reserved_usd"]);
      if (used <= PACK_NANOS) continue;
      const what = `${used} nano-dollars are spent and reserved of a pack of ${PACK_NANOS}`;
      findings.add("overspent limit", what);
    }
    const total = (field: string) => read.reduce((sum, pack) => sum + inNanos(pack[field]), 0);
    const [spent, reserved] = [total("spent_usd"), total("reserved_usd")];
    if (spent === known.spent && reserved === known.reserved) return;
    findings.add(
      "wrong sum",
      `${spent} nano-dollars of packs are spent and ${reserved} reserved, and their caller knows of ${known.spent} and ${known.reserved}`,
    );
  }
}
