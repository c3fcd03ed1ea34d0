import type { UnsettledReason } from "../../contract/lists.ts";
import { type RefusalCode, Refused, SluiceError } from "../errors.ts";
import type { RunInput } from "../generated/types.ts";
import type { Sluice } from "../sluice.ts";

/** Runs of one bulk call, and how many may wait. */
const MOST_AT_ONCE = 500;
/** After a pause, a run waits for a fifth of the time between two bulks. */
const FIRST_SHARE = 0.2;
/** A timer that is so late is not coming. */
const LATE_MS = 1000;
/** Longer than any bulk that is still answered. */
const GIVEN_UP_MS = 60_000;
/** For as long the service takes the run of a reservation that has expired. */
const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;

type WaitUntil = (work: Promise<unknown>) => void;

/** Refusals that say nothing about the runs: another attempt may pass. */
const NOT_OF_RUNS: ReadonlySet<string> = new Set<RefusalCode>([
  "bad_request",
  "unauthorized",
  "key_expired",
  "gone",
  "forbidden",
  "missing_scope",
  "ip_not_allowed",
  "org_suspended",
  "residency_violation",
  "support_scope_denied",
  "rate_limited",
  "idempotency_key_conflict",
  "idempotency_key_processing",
  "internal",
  "service_unavailable",
]);

export interface SettlementOptions {
  readonly flushMs: number;
  readonly mostQueued: number;
  /** Hears of each run that is dropped. */
  readonly onError: (error: unknown, run: RunInput, reservedUsd: string | undefined) => void;
  /** Counts it. */
  readonly dropped: (reason: UnsettledReason) => void;
  /** Runs before each bulk call: what the runs settle should be known by then. */
  readonly before: () => Promise<void>;
  /** Runs when all that was to be sent is sent, or cannot be. */
  readonly after: () => Promise<void>;
}

/**
 * Runs on their way to the service. Each has an id, so that one that is sent twice is recorded once. They wait for a moment
 * and go in bulks. A bulk that is not answered, or a run that is refused for a reason that may pass, goes again, for as long as the
 * service may take it. Nothing else is dropped but what the service says is no run, and what there is no memory for; both are told.
 */
export class Settlements {
  readonly #sluice: Sluice;
  readonly #options: SettlementOptions;
  #queue: WaitingRun[] = [];
  /** The number of waiting runs, from the first on, that are to be sent now. */
  #due = 0;
  #sending: Promise<void> | null = null;
  #sendingSince = 0;
  #armedUntil = 0;
  #failures = 0;
  sent = 0;
  rejected = 0;

  constructor(sluice: Sluice, options: SettlementOptions) {
    this.#sluice = sluice;
    this.#options = options;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get isFull(): boolean {
    return this.#queue.length >= this.#options.mostQueued;
  }

  /** `reservedUsd`: the amount that was reserved for the run, if it is known. It is charged if what was used has no price. */
  add(run: RunInput, waitUntil: WaitUntil | undefined, reservedUsd?: string): void {
    // Runs of calls that were admitted while there was room may still come; at most twice the bound is kept.
    if (this.#queue.length >= this.#options.mostQueued * 2) {
      this.#drop("overflow", new SluiceError("too many runs wait to be sent"), { run, reservedUsd });
      return;
    }
    this.#queue.push({ run, since: Date.now(), reservedUsd });
    const isMany = this.#queue.length >= MOST_AT_ONCE && this.#failures === 0;
    if (isMany && this.#sending === null) this.#inBackground(this.flush(waitUntil), waitUntil);
    // Whoever sends a bulk sees to what comes meanwhile, unless somebody else can.
    else if (waitUntil !== undefined || this.#sending === null) this.#arm(waitUntil);
  }

  /**
   * Sends all that waits; whatever cannot be sent now stays. Runs that come meanwhile wait for the next time, so that
   * bulks stay large while many come.
   */
  async flush(waitUntil?: WaitUntil): Promise<void> {
    const now = Date.now();
    this.#due = this.#queue.length;
    // The request that was sending may be gone, and with it what would have said so.
    if (this.#sending === null || now > this.#sendingSince + GIVEN_UP_MS) {
      this.#sendingSince = now;
      const sending = this.#drain().finally(() => {
        if (this.#sending !== sending) return;
        this.#sending = null;
        if (this.#queue.length > 0) this.#arm(waitUntil);
      });
      this.#sending = sending;
    }
    await this.#sending;
  }

  #waitMs(now: number): number {
    const { flushMs } = this.#options;
    if (this.#failures > 0) return Math.min(30_000, flushMs * 2 ** Math.min(this.#failures, 10));
    const sinceMs = Math.max(0, now - this.#sendingSince);
    return Math.max(flushMs * FIRST_SHARE, flushMs - sinceMs);
  }

  /** A timer of a Worker ends with the request that set it, unless it is waited for. One that never came is set again. */
  #arm(waitUntil: WaitUntil | undefined): void {
    const now = Date.now();
    if (now < this.#armedUntil + LATE_MS) return;
    const waitMs = this.#waitMs(now);
    this.#armedUntil = now + waitMs;
    const waited = new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      if (waitUntil === undefined) (timer as { unref?: () => void }).unref?.();
    });
    const sent = waited.then(() => {
      this.#armedUntil = 0;
      return this.flush(waitUntil);
    });
    this.#inBackground(sent, waitUntil);
  }

  #inBackground(work: Promise<void>, waitUntil: WaitUntil = () => undefined): void {
    waitUntil(work.catch(() => undefined));
  }

  async #drain(): Promise<void> {
    await this.#sendDue();
    await this.#options.after();
  }

  async #sendDue(): Promise<void> {
    this.#dropOld();
    while (this.#due > 0) {
      const bulk = this.#queue.slice(0, Math.min(MOST_AT_ONCE, this.#due));
      await this.#options.before();
      const again = await this.#send(bulk);
      if (again === null) {
        this.#failures += 1;
        return;
      }
      const sent = new Set(bulk);
      // The runs that go again wait for the next time, behind the others.
      this.#queue = [...this.#queue.filter((one) => !sent.has(one)), ...again];
      this.#due = Math.max(0, this.#due - bulk.length);
      this.#failures = again.length > 0 ? this.#failures + 1 : 0;
    }
  }

  /** Sends a bulk. Returns the runs that go again. Null if nothing is known of any of them. */
  async #send(bulk: readonly WaitingRun[]): Promise<readonly WaitingRun[] | null> {
    try {
      const { results } = await this.#sluice.runs.recordBulk({ runs: bulk.map(({ run }) => run) });
      return this.#toSendAgain(bulk, results);
    } catch (error) {
      const [first] = bulk;
      if (!(error instanceof Refused) || mayPass(error) || first === undefined) return null;
      // One malformed run has the whole bulk refused: it is found by halves.
      if (bulk.length === 1) {
        this.#drop("rejected", error, first);
        return [];
      }
      const half = Math.ceil(bulk.length / 2);
      const [one, other] = [await this.#send(bulk.slice(0, half)), await this.#send(bulk.slice(half))];
      return one === null && other === null
        ? null
        : [...(one ?? bulk.slice(0, half)), ...(other ?? bulk.slice(half))];
    }
  }

  #toSendAgain(bulk: readonly WaitingRun[], results: Results): readonly WaitingRun[] {
    const again: WaitingRun[] = [];
    for (const { index, status, error } of results) {
      const one = bulk[index];
      if (status !== "rejected") this.sent += 1;
      else if (one === undefined) continue;
      else if (error !== undefined && mayPass(error)) again.push(one);
      else if (isUnpriced(error) && one.run.cost_usd === undefined && one.reservedUsd !== undefined)
        again.push(atReserved(one, one.reservedUsd));
      else this.#drop("rejected", error ?? new SluiceError("the run was rejected"), one);
    }
    return again;
  }

  /** The service takes them no longer, whatever is said of them. */
  #dropOld(): void {
    const last = Date.now() - LONGEST_WAIT_MS;
    if ((this.#queue[0]?.since ?? last) >= last && this.#failures === 0) return;
    const old = this.#queue.filter(({ since }) => since < last);
    if (old.length === 0) return;
    this.#queue = this.#queue.filter(({ since }) => since >= last);
    this.#due = Math.min(this.#due, this.#queue.length);
    for (const one of old)
      this.#drop("expired", new SluiceError("the run could not be sent for 7 days"), one);
  }

  #drop(reason: UnsettledReason, error: unknown, { run, reservedUsd }: Omit<WaitingRun, "since">): void {
    this.rejected += 1;
    this.#options.dropped(reason);
    this.#options.onError(error, run, reservedUsd);
  }
}

/** Returns whether a refusal says nothing about a run. One that names a field of it does. */
function mayPass({ code, details = {} }: { readonly code: string; readonly details?: object }): boolean {
  return NOT_OF_RUNS.has(code) && !("field" in details);
}

type Results = Awaited<ReturnType<Sluice["runs"]["recordBulk"]>>["results"];

/** A run on its way, and since when. */
interface WaitingRun {
  readonly run: RunInput;
  readonly since: number;
  /** Undefined if nothing was reserved, or the amount is not known. */
  readonly reservedUsd: string | undefined;
}

/** Returns whether all that is wrong with a run is that what it used has no price. */
function isUnpriced(error: Results[number]["error"]): boolean {
  const { fields } = (error?.details ?? {}) as { readonly fields?: readonly { readonly code?: string }[] };
  return fields !== undefined && fields.length > 0 && fields.every(({ code }) => code === "no_price");
}

/** The run of a call that was served in a way without a price, such as another tier. It keeps its id and its tier. */
function atReserved(one: WaitingRun, cost_usd: string): WaitingRun {
  return { ...one, run: { ...one.run, cost_usd, estimated: true } };
}
