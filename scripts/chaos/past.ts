import { setTimeout as sleep } from "node:timers/promises";
import type { Body, Caller } from "./caller.ts";
import type { Finding, Rounds, RoundSetting } from "./findings.ts";
import { tablesWith } from "./leftovers.ts";
import { endObjectAfterFile, inNanos, inUsd, type World } from "./world.ts";

const DAY_SECONDS = 86_400;
/** Work that failed is tried again by then, so that the runs are in the archive when they are sent again. */
const RETRY_SECONDS = 120;
/** The shortest that an org can have. */
const RETENTION = { runs_days: 3, audit_days: 365, deliveries_days: 7 };
/** So many that their sums are kept beside them once they are archived. */
const RUNS = 1500;
const BULK = 750;
const AGAIN = 100;
/** How long archive and retention may take before what is left counts. */
const PATIENCE_SECONDS = 60;
const POLL_MS = 500;

/**
 * An org whose runs go to the archive, while its object dies, and are deleted in the end, again and again. Runs of the archive that are sent once more are known,
 * also when they are deleted. Sums stay, a report tells only of what is still stored, and nothing of the person whose they were is left.
 */
export class Past implements Rounds {
  readonly name = "of the past";
  readonly #given: RoundSetting;
  readonly #below: string;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#below = `/v1/orgs/${given.org.id}`;
  }

  async open(): Promise<void> {
    await this.#given.caller.send("PUT", `${this.#below}/retention-policy`, RETENTION);
  }

  async round(): Promise<void> {
    const { org, world, findings } = this.#given;
    const at = await this.#pass(DAY_SECONDS);
    const round = this.#rounds++;
    const names = Array.from({ length: RUNS }, (_, index) => `old-${round}-${index}`);
    const same = { at, person: `person-${crypto.randomUUID()}` };
    await this.#record(names, same);
    await endObjectAfterFile(world, org);
    await this.#archive(at);
    await this.#listedOnce(names, at);
    const fresh = Array.from({ length: AGAIN }, (_, index) => `new-${round}-${index}`);
    // Known ones between new ones: what was begun when one has to be fetched is undone.
    const mixed = fresh.flatMap((name, index) => [name, names[index * 7] ?? ""]);
    await this.#record(mixed, same);
    await this.#spent("after some were sent again");
    await this.#pass((RETENTION.runs_days + 2) * DAY_SECONDS);
    await this.#deleted(at);
    await this.#record(mixed, same);
    await this.#spent("after deleted ones were sent again");
    for (const found of [await wrongDay(this.#given, at), ...(await keptOf(world, same.person))]) {
      if (found !== null) findings.add(found.kind, `${org.name}: ${found.what}`);
    }
  }

  /** Two days later. The object ends between a file and the row that says so, and with it the call that moved its clock. */
  async #archive(at: number): Promise<void> {
    const { org, operator } = this.#given;
    const path = `/v1/admin/orgs/${org.id}/test-clock`;
    await operator.try("POST", path, { advance_seconds: 2 * DAY_SECONDS });
    if ((await this.#pass(RETRY_SECONDS)) < at + 2 * DAY_SECONDS * 1000) await this.#pass(2 * DAY_SECONDS);
  }

  async #listedOnce(names: readonly string[], at: number): Promise<void> {
    const { org, caller, findings } = this.#given;
    const range = `from=${new Date(at - 1000).toISOString()}&to=${new Date(at + 1000).toISOString()}`;
    const listed = (await caller.all(`/v1/runs?${range}&`)).map(({ id }) => String(id));
    const there = new Set(listed);
    // A call that was sent twice has moved the clock further, and then retention has deleted them.
    if ((await this.#pass(1)) >= at + RETENTION.runs_days * DAY_SECONDS * 1000) return;
    const missing = names.filter((name) => !there.has(name)).length;
    if (missing > 0)
      findings.add("lost report", `${org.name}: ${missing} runs are gone after they were archived`);
    const again = listed.length - there.size;
    if (again > 0) findings.add("doubled settlement", `${org.name}: ${again} archived runs are listed twice`);
  }

  /** A report tells nothing of a day whose runs are all deleted. */
  async #deleted(at: number): Promise<void> {
    const { org, caller, findings, world } = this.#given;
    const isOver = world.pace.after(PATIENCE_SECONDS);
    const range = `from=${new Date(at - 1000).toISOString()}&to=${new Date(at + 1000).toISOString()}`;
    const report = `${this.#below}/usage/report?group_by=user_id&${range}`;
    for (; ; await sleep(POLL_MS)) {
      const { runs } = (await caller.send("GET", report)).body["totals"] as { runs: number };
      const { data } = (await caller.send("GET", `/v1/runs?${range}&limit=1`)).body as { data: Body[] };
      if (runs === 0 && data.length === 0) return;
      if (!isOver()) continue;
      if (data.length > 0) {
        findings.add(
          "kept data",
          `${org.name}: runs whose time is over are there after ${PATIENCE_SECONDS} seconds`,
        );
      } else findings.add("wrong sum", `${org.name}: a report counts ${runs} runs that are deleted`);
      return;
    }
  }

  async #record(names: readonly string[], same: { at: number; person: string }): Promise<void> {
    const { org, findings } = this.#given;
    const found = await record(this.#given.caller, names, same);
    if (found !== null) findings.add(found.kind, `${org.name}: ${found.what}`);
  }

  async #pass(seconds: number): Promise<number> {
    const { org, operator, traffic } = this.#given;
    const path = `/v1/admin/orgs/${org.id}/test-clock`;
    const { body } = await operator.send("POST", path, { advance_seconds: seconds });
    traffic.answers += 1;
    return Date.parse(String(body["now"]));
  }

  async #spent(when: string): Promise<void> {
    const { org, findings, caller } = this.#given;
    const { body } = await caller.send("GET", `${this.#below}/budgets/${org.budgetId}`);
    const [nanos, cost] = [inNanos(body["spent_usd"]), this.#rounds * (RUNS + AGAIN)];
    if (nanos === cost) return;
    const what = `${nanos} nano-dollars are spent ${when}, and the runs cost ${cost}`;
    findings.add("wrong sum", `${org.name}: ${what}`);
  }
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Sums of a day outlive its runs. */
async function wrongDay({ caller, org }: RoundSetting, at: number): Promise<Finding | null> {
  const range = `from=${day(at)}&to=${day(at + DAY_SECONDS * 1000)}`;
  const { body } = await caller.send("GET", `/v1/orgs/${org.id}/usage/report?group_by=day&${range}`);
  const { runs } = body["totals"] as { runs: number };
  if (runs === RUNS + AGAIN) return null;
  return { kind: "wrong sum", what: `${runs} runs are reported of a day that had ${RUNS + AGAIN}` };
}

async function keptOf({ eu, pace }: World, person: string): Promise<Finding[]> {
  const isOver = pace.after(PATIENCE_SECONDS);
  for (; ; await sleep(POLL_MS)) {
    try {
      return tablesWith(eu.server.folder.state, person).map((table) => ({
        kind: "kept data",
        what: `${table} still names somebody whose runs are deleted`,
      }));
    } catch (error) {
      // A reader needs room for its own file beside the database, and the disk may be full on purpose.
      if (!isDiskError(error) || isOver()) throw error;
    }
  }
}

const SQLITE_IOERR = 10;

function isDiskError(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === SQLITE_IOERR;
}

/**
 * Each is recorded once, however often it is sent. The call has a key of its own: what it began before a run had to be fetched is undone,
 * and so is that it has taken the key.
 */
async function record(
  caller: Caller,
  names: readonly string[],
  { at, person }: { at: number; person: string },
): Promise<Finding | null> {
  const same = { started_at: new Date(at).toISOString(), model: "m", user_id: person, cost_usd: inUsd(1) };
  const usage = { input_tokens: 1, output_tokens: 1 };
  for (let first = 0; first < names.length; first += BULK) {
    const runs = names.slice(first, first + BULK).map((id) => ({ id, usage, ...same }));
    const { status } = await caller.send("POST", "/v1/runs/bulk", { runs }, crypto.randomUUID());
    if (status !== 200) return { kind: "unpromised answer", what: `a bulk was answered with ${status}` };
  }
  return null;
}
