import type { Answer, Body, Caller } from "./caller.ts";
import type { RoundSetting } from "./findings.ts";
import { endObject, inUsd } from "./world.ts";

/** Longer than a call that died keeps its idempotency key, and than an attempt to deliver is waited for. */
export const TAKEOVER_SECONDS = 61;
const MOST_SENDS = 20;
const MONTH_MIDDLE = 15;

export const isSame = (one: Answer, other: Answer) =>
  one.status === other.status && JSON.stringify(one.body) === JSON.stringify(other.body);

/** Calls of one org that are safe to repeat, and are repeated after its object has died. */
export class SureCalls {
  readonly #given: RoundSetting;
  readonly #caller: Caller;
  #now = new Date().toISOString();

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#caller = given.caller;
  }

  /** By the org's clock. */
  get now(): string {
    return this.#now;
  }

  async hold(name: string, end: string, nanos: number, more: object = {}): Promise<string> {
    const ask = { request_id: `${name}-${end}`, customer_id: name, model: "m", checks: "all" };
    const estimate = { cost_usd: inUsd(nanos), input_tokens: 1, max_output_tokens: 1 };
    const answer = await this.send(this.#caller, "POST", "/v1/edge/decision", { ...ask, estimate, ...more });
    this.promised(`decision ${name}-${end}`, answer, [200]);
    return String((answer.body["reservation"] as Body | undefined)?.["id"]);
  }

  async release(id: string): Promise<void> {
    const answer = await this.send(this.#caller, "DELETE", `/v1/edge/decision/${id}`);
    this.promised(`release of ${id}`, answer, [204]);
  }

  async record(id: string, fields: object): Promise<void> {
    this.promised(`run ${id}`, await this.run(id, fields), [200, 201]);
    await this.end();
    this.promised(`run ${id} again`, await this.run(id, fields), [200]);
  }

  async run(id: string, fields: object): Promise<Answer> {
    return this.send(this.#caller, "POST", "/v1/runs", this.aRun(id, fields));
  }

  aRun(id: string, fields: object): object {
    const usage = { input_tokens: 1, output_tokens: 1 };
    return { id, started_at: this.#now, model: "m", usage, ...fields };
  }

  /** A call that is repeated has its first answer and no other effect: after the object died, and after a checkpoint. */
  async repeated(caller: Caller, path: string, key: string, body: object): Promise<Answer> {
    const first = await this.keyed(caller, path, key, body);
    this.promised(`${path} of ${key}`, first, [200, 201]);
    for (const when of ["after a restart", "after a checkpoint"]) {
      if (when === "after a checkpoint") await this.checkpoint();
      await this.end();
      const again = await this.keyed(caller, path, key, body);
      if (isSame(first, again)) continue;
      const what = `${path} of ${key} was answered differently when it was repeated ${when}`;
      this.#given.findings.add("repeated effect", what);
    }
    return first;
  }

  /** Whatever works on tables writes to them what the log has, before it begins. */
  async checkpoint(): Promise<void> {
    await this.send(this.#caller, "GET", `/v1/orgs/${this.#given.org.id}/audit-log?limit=1`);
  }

  /** The key of a call that died is taken over after a while. */
  async keyed(caller: Caller, path: string, key: string, body: object): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await caller.send("POST", path, body, key);
      this.#given.traffic.answers += 1;
      const { code } = (answer.body["error"] ?? {}) as { code?: string };
      if (code !== "idempotency_key_processing" || attempt === MOST_SENDS) return answer;
      await this.pass(TAKEOVER_SECONDS);
    }
  }

  async send(caller: Caller, method: string, path: string, body?: object): Promise<Answer> {
    this.#given.traffic.answers += 1;
    return caller.send(method, path, body);
  }

  async end(): Promise<void> {
    const { world, org } = this.#given;
    await endObject(world, org);
  }

  /** What falls due happens before this is answered, so a receiver that keeps silent would hold it up. */
  async pass(seconds: number): Promise<void> {
    const { org, world, operator } = this.#given;
    world.letters.speak();
    const path = `/v1/admin/orgs/${org.id}/test-clock`;
    const { body } = await this.send(operator, "POST", path, { advance_seconds: seconds });
    this.#now = String(body["now"]);
  }

  /** To the middle of the next month, so that none ends during a round. */
  async toNextMonth(): Promise<void> {
    const now = new Date(this.#now);
    const then = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, MONTH_MIDDLE);
    await this.pass(Math.ceil((then - now.getTime()) / 1000));
  }

  promised(what: string, { status, body }: Answer, promised: readonly number[]): void {
    if (promised.includes(status)) return;
    this.#given.findings.add(
      "unpromised answer",
      `${what} was answered with ${status}: ${JSON.stringify(body)}`,
    );
  }
}
