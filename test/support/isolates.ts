import { expect } from "vitest";
import type { Server } from "../../scripts/server.ts";
import { http } from "./http.ts";
import { type ServerFixture, serverFixture } from "./server.ts";

/** Four isolates over the same objects, like `ISOLATES=4 npm start`, but a test can disturb each of them. */
const ISOLATES = 4;
export const MOST_ROUNDS = 30;

export interface Answer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
  readonly body: any;
}

export interface Org {
  readonly id: string;
  readonly key: string;
}

/** What a test can do to an isolate; see `odd-worker.ts`. */
type Oddity = "apart-ms" | "vanish" | "hang" | "answer" | "lives";

export class Isolates {
  readonly server: Server;
  readonly #fixture: ServerFixture;

  private constructor(fixture: ServerFixture) {
    this.server = fixture.server;
    this.#fixture = fixture;
  }

  static async start(): Promise<Isolates> {
    const options = { isolates: ISOLATES, entry: "test/support/odd-worker.ts" };
    return new Isolates(await serverFixture(options));
  }

  end(): Promise<void> {
    return this.#fixture.end();
  }

  get operator(): string {
    return this.server.settings["SVC_OPERATOR_KEY"] ?? "";
  }

  url(isolate: number): string {
    return this.server.urls[isolate % ISOLATES] ?? this.server.urls[0];
  }

  async make(isolate: number, oddity: Oddity, value: string | number): Promise<void> {
    const headers = { [`x-test-${oddity}`]: String(value) };
    await fetch(`${this.url(isolate)}/healthz`, { headers });
  }

  /** Nothing that isolates are granted during the run expires. A change after it waits as long for its response. */
  async whileNothingExpires<T>(run: () => Promise<T>): Promise<T> {
    const setLives = async (lives: "long" | "real") => {
      for (let isolate = 0; isolate < ISOLATES; isolate += 1) await this.make(isolate, "lives", lives);
    };
    await setLives("long");
    try {
      return await run();
    } finally {
      await setLives("real");
    }
  }

  async call(isolate: number, method: string, path: string, key: string, body?: object): Promise<Answer> {
    const sentAt = performance.now();
    const { status, headers, body: read } = await http(method, `${this.url(isolate)}${path}`, { key, body });
    return { sentAt, receivedAt: performance.now(), status, headers, body: read ?? null };
  }

  async newOrg(): Promise<Org> {
    const { body } = await this.call(0, "POST", "/v1/admin/orgs", this.operator, { name: "gate" });
    const org = { id: body.org.id as string, key: body.owner_key as string };
    // Well above what tests need while they wait, because they are not about the read limit.
    await this.limitRates(org, []);
    return org;
  }

  async limitRates(org: Org, policies: object[]): Promise<void> {
    const body = { read_rpm: 1_000_000, policies };
    await this.call(0, "PUT", `/v1/admin/orgs/${org.id}/rate-limits`, this.operator, body);
  }

  async budget(org: Org, limit: string, more: object = {}): Promise<string> {
    const body = { scope_kind: "org", limit_usd: limit, period: "month", mode: "enforce", ...more };
    return (await this.call(0, "POST", `/v1/orgs/${org.id}/budgets`, org.key, body)).body.id;
  }

  async changeBudget(org: Org, id: string, change: object, isolate = 0): Promise<void> {
    const path = `/v1/orgs/${org.id}/budgets/${id}`;
    expect((await this.call(isolate, "PATCH", path, org.key, change)).status).toBe(200);
  }

  async readBudget(org: Org, id: string): Promise<Record<"reserved_usd" | "spent_usd", string>> {
    return (await this.call(0, "GET", `/v1/orgs/${org.id}/budgets/${id}`, org.key)).body;
  }

  /** Waits until all isolates have reported and given back, so that exactly this much is reserved. */
  async reserves(org: Org, id: string, usd: string): Promise<void> {
    const reserved = async () => (await this.readBudget(org, id)).reserved_usd;
    await expect.poll(reserved).toBe(usd);
  }

  decide(org: Org, isolate: number, more: object = {}): Promise<Answer> {
    const body = { estimate: { cost_usd: "0.01" }, ...more };
    return this.call(isolate, "POST", "/v1/edge/decision", org.key, body);
  }

  /** This many calls from several clients at once, spread over the isolates. */
  async drive(
    org: Org,
    calls: number,
    clients = 16,
    more: (n: number) => object = () => ({}),
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    let sent = 0;
    const one = async (): Promise<void> => {
      while (sent < calls) {
        sent += 1;
        answers.push(await this.decide(org, sent, more(sent)));
      }
    };
    await Promise.all(Array.from({ length: clients }, one));
    return answers;
  }

  /**
   * This many calls, repeated until an isolate has answered one by itself. On a busy machine what it learns may expire
   * unused.
   */
  async driveToEdge(org: Org, calls: number, more?: (n: number) => object): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let round = 0; round < MOST_ROUNDS && atEdge(answers).length === 0; round += 1) {
      answers.push(...(await this.drive(org, calls, 16, more)));
    }
    return answers;
  }
}

export const allowed = (answers: readonly Answer[]): readonly Answer[] =>
  answers.filter(({ status }) => status === 200);

export const atEdge = (answers: readonly Answer[]): readonly Answer[] =>
  answers.filter(({ headers }) => headers.get("x-svc-decided") === "edge");
