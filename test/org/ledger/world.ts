import { fetchingAsNeeded } from "../../../src/storage/needs-fetch.ts";
import { archiveEverything } from "../../support/archive.ts";
import { allRuns } from "../../support/stored-runs.ts";
import { env as testEnv, runInDurableObject } from "cloudflare:test";
import type { Refusal } from "../../../src/contract/refusal.ts";
import type { Answer, Envelope } from "../../../src/org/kernel/door.ts";
import { checkpointFirst } from "../../../src/storage/transaction.ts";
import type { OrgObject } from "../../../src/org/object.ts";
import { loadProfile, saveProfile } from "../../../src/org/orgs/store.ts";
import { parseUsd } from "../../../src/domain/price/money.ts";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import { ReservationIds } from "../../../src/domain/reservation/reservation-id.ts";
import { env } from "../../support/worker.ts";
import { replacedRuns } from "../../../src/org/runs/replacements.ts";
import type { Run } from "../../../src/org/runs/run.ts";
import { BASE_MS, HOUR_MS } from "./model-limits.ts";
import { estimateId } from "./model.ts";
import { EVENT_ROWS } from "../../support/logs.ts";
import { evict } from "../../support/evict.ts";

const { ORG } = testEnv as unknown as { ORG: DurableObjectNamespace<OrgObject> };

/** What goes wrong around a call. After a lost reply, the call is repeated to an object that has restarted. */
export type Fault = "none" | "twice" | "lost" | "evicted";

export type Outcome = { readonly status: number; readonly body: Body; readonly replayed: boolean };
// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
type Body = any;

type UsageRow = { meter_id: string; spent: string; over: string; held: string; leased: string };
type Over = { readonly run: string; readonly limit: string; readonly amount: bigint };

interface Seen {
  readonly answers: Body[];
  readonly usage: readonly UsageRow[];
  readonly over: readonly Over[];
  readonly runIds: readonly string[];
}

interface OverLimitData {
  readonly run_id: string;
  readonly reservation_id: string | null;
  readonly limits: readonly { id: string; kind: string; over_usd?: string; over?: number }[];
}

/** One org's real object, with a clock that the test controls. */
export class World {
  readonly #stub: DurableObjectStub<OrgObject>;
  readonly #id: string;
  readonly ids: ReservationIds;
  #calls = 0;
  #offsetMs = 0;

  constructor() {
    this.#id = newId("org", Date.now());
    this.#stub = ORG.getByName(this.#id);
    this.ids = new ReservationIds(env.SVC_KEY_PEPPER, this.#id);
  }

  async open(): Promise<void> {
    // No plan of that name is stored: the object has its terms only from the test.
    const plan = { plan: "unlisted", runs_limit: null, tokens_limit: null, overage_policy: "allow" as const };
    await this.#stub.execute(
      "openOrg",
      { id: this.#id, name: "x", plan, environment: "test", homeRegion: "local", seed: this.#id },
      this.#envelope(false),
    );
    await this.moveTo(0);
  }

  /** Sets the org's clock to whole hours after the base, and runs what is due. */
  async moveTo(hour: number): Promise<void> {
    await runInDurableObject(this.#stub, (object, state) => {
      const offset = Math.round(BASE_MS + hour * HOUR_MS - Date.now());
      this.#offsetMs = offset;
      const { sql } = state.storage;
      const profile = loadProfile(sql);
      if (profile !== null) saveProfile(sql, { ...profile, clockOffsetMs: offset });
      return object.alarm();
    });
  }

  async runDue(): Promise<void> {
    await runInDurableObject(this.#stub, (object) => object.alarm());
  }

  get id(): string {
    return this.#id;
  }

  get now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Later events get a later time than earlier ones. */
  async nextMoment(): Promise<void> {
    const before = Date.now();
    while (Date.now() === before) await scheduler.wait(1);
  }

  async call(name: string, input: object, fault: Fault = "none"): Promise<Outcome> {
    const envelope = this.#envelope(fault !== "none");
    const ask = () => this.#ask(name, input, envelope);
    if (fault === "twice") {
      const [first, second] = await Promise.all([ask(), ask()]);
      return first.replayed ? second : first;
    }
    const answer = await ask();
    if (fault === "none") return answer;
    if (fault === "lost") await ask();
    await this.evict();
    await ask();
    return answer;
  }

  async query(name: string, input: object): Promise<Body> {
    const envelope = this.#envelope(false);
    return runInDurableObject(this.#stub, (object): Body => object.ask(name as never, input, envelope));
  }

  /** Moves every run to the archive. */
  async archive(): Promise<void> {
    await archiveEverything(this.#id);
  }

  async evict(): Promise<void> {
    // One that is not running cannot be evicted.
    await runInDurableObject(this.#stub, () => undefined);
    await evict(this.#stub);
  }

  async checkpoint(): Promise<void> {
    await runInDurableObject(this.#stub, (_object, { storage }) => checkpointFirst(storage));
  }

  /** What the object answers, and then all that it stores of sums, excess and runs, in one call. */
  async look(asks: readonly (readonly [name: string, input: object])[]): Promise<Seen> {
    const envelope = this.#envelope(false);
    return runInDurableObject(this.#stub, async (object, { storage }) => {
      const answers = await Promise.all(
        asks.map(([name, input]): Body => object.ask(name as never, input, envelope)),
      );
      return { answers, ...(await storedIn(storage)) };
    });
  }

  /** The content of `run.over_limit` events, one entry for each run and limit that is counted separately. */
  async over(): Promise<readonly Over[]> {
    return (await this.look([])).over;
  }

  /** By their holds, the ids of runs that nobody reported. */
  async estimates(): Promise<ReadonlyMap<string, string>> {
    return runInDurableObject(this.#stub, async (_object, { storage: { sql } }) => {
      const standing = await fetchingAsNeeded(() => standingRuns(sql));
      const estimates = standing.filter(({ outcome }) => outcome === "unreported");
      return new Map(estimates.map(({ id, extra }) => [extra?.reservation ?? "", id]));
    });
  }

  async #ask(name: string, input: object, envelope: Envelope): Promise<Outcome> {
    const outcome = (await this.#stub.execute(name as never, input, envelope)) as Answer | Refusal;
    if ("refused" in outcome) {
      const { status, code, details } = outcome;
      return { status, body: { error: { code, details } }, replayed: false };
    }
    const body = outcome.text === null ? null : JSON.parse(outcome.text);
    return { status: outcome.status, body, replayed: outcome.replayed };
  }

  /** A call that may be repeated carries its own idempotency key, like a careful client's. */
  #envelope(repeatable: boolean): Envelope {
    const key = `call-${++this.#calls}`;
    return {
      actor: { kind: "system", id: "k", role: "owner", onBehalfOf: null, address: null },
      trace: key,
      idempotency: repeatable ? { key, method: "POST", path: "/v1/x", digest: key, fence: null } : null,
      ifMatch: null,
    };
  }
}

async function storedIn(storage: DurableObjectStorage): Promise<Omit<Seen, "answers">> {
  const { sql } = storage;
  checkpointFirst(storage);
  const usage = sql.exec<UsageRow>("SELECT * FROM usage").toArray();
  const events = sql.exec<{ data: string }>(
    `SELECT data FROM ${EVENT_ROWS} WHERE type = 'run.over_limit' ORDER BY seq`,
  );
  const excess = events.toArray().map(({ data }) => JSON.parse(data) as OverLimitData);
  const [runs, standing] = await fetchingAsNeeded(() => [allRuns(sql), standingRuns(sql)]);
  const estimates = new Set(runs.filter(({ outcome }) => outcome === "unreported").map(({ id }) => id));
  return { usage, over: excess.flatMap((event) => overIn(event, estimates)), runIds: standing.map(nameOf) };
}

function overIn(
  { run_id: run, reservation_id: reservation, limits }: OverLimitData,
  estimates: ReadonlySet<string>,
): Over[] {
  const counted = limits.filter(({ kind }) => kind !== "credits" && kind !== "chain_depth");
  return counted.map(({ id, over_usd: usd, over }) => {
    const amount = usd === undefined ? BigInt(over ?? 0) : parseUsd(usd);
    if (amount === null) throw new Error(`${usd} is no amount`);
    return {
      run: reservation !== null && estimates.has(run) ? estimateId(reservation) : run,
      limit: id,
      amount,
    };
  });
}

/** Without estimates that a run has taken the place of. */
function standingRuns(sql: SqlStorage): Run[] {
  const replaced = replacedRuns(sql);
  return allRuns(sql).filter(({ id }) => !replaced.has(id));
}

function nameOf({ id, outcome, extra }: Run): string {
  return outcome === "unreported" ? estimateId(extra?.reservation ?? "") : id;
}
