import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./caller.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import { isSame } from "./sure-calls.ts";
import { OPERATOR_KEY } from "./world.ts";

/** What becomes of the first attempt, after it has taken the key and before its end is recorded. */
const TURNS = ["lost", "late"] as const;
const RECORDS = "recordOrgCreated";
const PATH = "/v1/admin/orgs";
const POLL_MS = 200;
const PATIENCE_SECONDS = 30;
const FIRST_MS = 30_000;

/**
 * Calls that change more than one object take their idempotency key first. An attempt that ends then, or that is slow, loses the key
 * to the next one. All of them together create one org.
 */
export class Takeovers implements Rounds {
  readonly name = "of takeovers";
  readonly #given: RoundSetting;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
  }

  async open(): Promise<void> {}

  async round(): Promise<void> {
    const turn = TURNS[this.#rounds++ % TURNS.length] ?? "lost";
    const name = `taken-over-${crypto.randomUUID()}`;
    const body = { name, environment: "test" };
    const first = this.#first(turn, body);
    if (turn === "lost") await first;
    const answer = await this.#taken(body);
    if (answer === null) {
      this.#given.findings.add("lost report", `the key of a call that was ${turn} was never taken over`);
      return;
    }
    const others = [await first, await this.#given.operator.send("POST", PATH, body, name)];
    for (const other of others) {
      if (other === null || other.status >= 400 || isSame(answer, other)) continue;
      this.#given.findings.add("repeated effect", `attempts of one key, ${turn}, had different answers`);
    }
    await this.#createdOnce(name, answer);
  }

  async #first(turn: string, body: { name: string }): Promise<Answer | null> {
    const { url, pace } = { url: this.#given.world.eu.server.urls[0], pace: this.#given.world.pace };
    try {
      const response = await fetch(url + PATH, {
        method: "POST",
        headers: {
          authorization: `Bearer ${OPERATOR_KEY}`,
          "content-type": "application/json",
          "idempotency-key": body.name,
          [`x-test-${turn}`]: RECORDS,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(pace.ms(FIRST_MS)),
      });
      const answered = (await response.json()) as Answer["body"];
      return { status: response.status, body: answered, decided: null };
    } catch {
      return null;
    }
  }

  /** Until the key can be taken over. Null: that never came. */
  async #taken(body: { name: string }): Promise<Answer | null> {
    const { operator, traffic, world } = this.#given;
    for (const isOver = world.pace.after(PATIENCE_SECONDS); !isOver(); await sleep(POLL_MS)) {
      const answer = await operator.send("POST", PATH, body, body.name);
      traffic.answers += 1;
      if (answer.status < 300) return answer;
      if (answer.status !== 409) break;
    }
    return null;
  }

  async #createdOnce(name: string, answer: Answer): Promise<void> {
    const { operator, world, findings } = this.#given;
    const { id } = answer.body["org"] as { id: string };
    for (const isOver = world.pace.after(PATIENCE_SECONDS); !isOver(); await sleep(POLL_MS)) {
      const all = await operator.all(`${PATH}?environment=test&`);
      const orgs = all.filter((org) => org["name"] === name);
      if (!orgs.some((org) => org["id"] === id)) continue;
      if (orgs.length > 1) findings.add("repeated effect", `one key created ${orgs.length} orgs`);
      return;
    }
    findings.add("lost report", `org ${id} was created and is not in the list`);
  }
}
