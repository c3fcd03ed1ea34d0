import type {
  Attempt,
  Limit,
  ModelAdjustment,
  ModelHold,
  ModelRun,
  OverLimit,
  Pack,
  Phase,
  Scopes,
  SettledHold,
  Verdict,
} from "./model-rows.ts";
import { amountOf, inOrder, isAsked, isTouched, subjectOf, windowOf } from "./model-limits.ts";
import { hasSameFingerprint } from "../../../src/domain/reservation/reservation-id.ts";

/** The ledger in its simplest form: every counter is added up again from the rows each time it is read. */

/** Runs that nobody reported are named by their holds. */
export function estimateId(holdId: string): string {
  return `of ${holdId}`;
}

export class Model {
  hour = 0;
  steps = 0;
  limits: Limit[] = [
    {
      id: "plan_runs",
      kind: "plan_runs",
      scopeKind: "org",
      scopeId: "",
      limit: null,
      period: "month",
      zoneMs: 0,
      mode: "count",
      born: 0,
    },
    {
      id: "plan_tokens",
      kind: "plan_tokens",
      scopeKind: "org",
      scopeId: "",
      limit: null,
      period: "month",
      zoneMs: 0,
      mode: "count",
      born: 0,
    },
  ];
  packs: Pack[] = [];
  runs: ModelRun[] = [];
  holds: ModelHold[] = [];
  /** What facts spent past enforced limits, in order. */
  over: OverLimit[] = [];
  adjustments: ModelAdjustment[] = [];

  touched(scopes: Scopes, phase: Phase): Limit[] {
    const asked = this.limits.filter(({ kind }) => isAsked(kind, phase));
    return inOrder(asked.filter((one) => isTouched(one, scopes, this.limits)));
  }

  #whoseRun(limit: Limit, run: ModelRun): string {
    const { scopes, limits } = run.heldFor;
    return subjectOf(limit, limits.includes(limit.id) ? scopes : run.scopes);
  }

  spent(limit: Limit, subject: string, hour: number): bigint {
    const window = windowOf(limit, hour);
    const adjusted = this.adjustments
      .filter(({ charged, hour: at }) => charged.includes(limit.id) && windowOf(limit, at) === window)
      .filter(({ run }) => this.#whoseRun(limit, run) === subject)
      .reduce((sum, { amount }) => sum + amount, 0n);
    return this.runs
      .filter((run) => run.charged.includes(limit.id) && windowOf(limit, run.hour) === window)
      .filter((run) => this.#whoseRun(limit, run) === subject)
      .reduce((sum, run) => sum + amountOf(limit, run), adjusted);
  }

  held(limit: Limit, subject: string, hour: number): bigint {
    const window = windowOf(limit, hour);
    return this.holds
      .filter((hold) => hold.status === "open" && hold.held.includes(limit.id))
      .filter(
        (hold) => windowOf(limit, hold.hour) === window && subjectOf(limit, hold.attempt.scopes) === subject,
      )
      .reduce((sum, { attempt }) => sum + amountOf(limit, attempt), 0n);
  }

  /** What each subject has spent and reserved now, without those that have neither. */
  counters(limit: Limit): [subject: string, spent: bigint, held: bigint][] {
    const all = [
      ...this.runs.flatMap((run) => [run.scopes, run.heldFor.scopes]),
      ...this.holds.map((hold) => hold.attempt.scopes),
    ];
    const subjects = [...new Set(all.map((scopes) => subjectOf(limit, scopes)))].sort();
    return subjects
      .map((one): [string, bigint, bigint] => [
        one,
        this.spent(limit, one, this.hour),
        this.held(limit, one, this.hour),
      ])
      .filter(([, spent, held]) => spent !== 0n || held !== 0n);
  }

  /** In all windows, for all subjects. */
  heldAtAll(limit: Limit): bigint {
    if (limit.kind === "chain_depth") return 0n;
    return this.holds
      .filter((hold) => hold.status === "open" && hold.held.includes(limit.id))
      .reduce((sum, { attempt }) => sum + amountOf(limit, attempt), 0n);
  }

  drawn(pack: Pack): bigint {
    return [...this.runs, ...this.adjustments].reduce(
      (sum, { draws }) => sum + (draws.get(pack.id) ?? 0n),
      0n,
    );
  }

  reserved(pack: Pack): bigint {
    return this.holds
      .filter(({ status }) => status === "open")
      .reduce((sum, { packs }) => sum + (packs.get(pack.id) ?? 0n), 0n);
  }

  remaining(pack: Pack): bigint {
    return pack.amount - this.drawn(pack) - this.reserved(pack);
  }

  livePacks(customer: string | undefined): Pack[] {
    return this.packs
      .filter((pack) => pack.customer === customer && !pack.voided)
      .filter((pack) => pack.expiresHour === null || pack.expiresHour > this.hour)
      .sort(
        (a, b) =>
          a.priority - b.priority ||
          (a.expiresHour ?? Infinity) - (b.expiresHour ?? Infinity) ||
          a.age - b.age,
      );
  }

  judge(attempt: Attempt, phase: Phase): Verdict {
    for (const limit of this.touched(attempt.scopes, phase)) {
      if (limit.mode !== "enforce" || limit.limit === null) continue;
      if (limit.kind === "chain_depth") {
        if (BigInt(attempt.depth) > limit.limit) return { refusedBy: limit };
        continue;
      }
      const amount = amountOf(limit, attempt);
      const subject = subjectOf(limit, attempt.scopes);
      const used = this.spent(limit, subject, this.hour) + this.held(limit, subject, this.hour);
      if (amount > 0n && used + amount > limit.limit) return { refusedBy: limit };
    }
    if (phase === "decision") return { refusedBy: null };
    const packs = this.livePacks(attempt.scopes.customer);
    const left = packs.reduce((sum, pack) => sum + this.remaining(pack), 0n);
    return { refusedBy: packs.length > 0 && attempt.cost > left ? "credits" : null };
  }

  /** Settles a hold: its packs pay first. */
  settle(id: string, attempt: Attempt, hold: ModelHold): ModelRun {
    const stands = hold.status === "open" || hold.charge;
    const packs = stands ? hold.packs : new Map<string, bigint>();
    this.runs = this.runs.filter((run) => run.id !== estimateId(hold.id));
    this.end(hold, "settled");
    const first = new Map<string, bigint>();
    let rest = attempt.cost;
    for (const [pack, most] of packs) {
      const taken = most < rest ? most : rest;
      if (taken > 0n) first.set(pack, taken);
      rest -= taken;
    }
    return this.recordFact(id, attempt, hold, first);
  }

  /** Records a run that was admitted or is a fact. `first` is what reserved packs pay of it. */
  record(
    id: string,
    attempt: Attempt,
    hold: SettledHold | null,
    first: ReadonlyMap<string, bigint> = new Map(),
  ): ModelRun {
    const customer = attempt.scopes.customer ?? hold?.attempt.scopes.customer;
    const scopes = customer === undefined ? attempt.scopes : { ...attempt.scopes, customer };
    const held = hold?.held ?? [];
    const touched = this.touched(scopes, "run")
      .filter(({ kind, born }) => hold === null || born <= hold.born || !isAsked(kind, hold.phase))
      .map((limit) => limit.id);
    const charged = [...new Set([...touched, ...held])];
    const heldFor = { scopes: hold?.attempt.scopes ?? {}, limits: held };
    const hour = hold?.hour ?? this.hour;
    const run = {
      id,
      ...attempt,
      scopes,
      hour,
      charged,
      heldFor,
      ...this.#draw(customer, attempt.cost, first),
    };
    this.runs.push(run);
    return run;
  }

  #draw(customer: string | undefined, amount: bigint, first: ReadonlyMap<string, bigint> = new Map()) {
    const draws = new Map(first);
    const packs = this.livePacks(customer);
    let rest = [...first.values()].reduce((left, paid) => left - paid, amount);
    for (const pack of packs) {
      const left = this.remaining(pack) - (first.get(pack.id) ?? 0n);
      const taken = left < rest ? left : rest;
      if (taken > 0n) draws.set(pack.id, taken + (first.get(pack.id) ?? 0n));
      rest -= taken;
    }
    return { draws, uncovered: packs.length === 0 ? 0n : rest };
  }

  /** How much an amount takes from which packs. */
  drawsOf(customer: string | undefined, amount: bigint): ReadonlyMap<string, bigint> {
    return this.#draw(customer, amount).draws;
  }

  /** What the run costs with all its adjustments. */
  net(run: ModelRun): bigint {
    return this.adjustments.reduce((sum, one) => (one.run === run ? sum + one.amount : sum), run.cost);
  }

  adjust(run: ModelRun, amount: bigint): void {
    const isInDollars = ({ id, unit = "usd" }: Limit) =>
      unit === "usd" && !/^plan_|_tokens$|_depth$/.test(id);
    const charged = run.charged.filter((id) => this.limits.some((one) => one.id === id && isInDollars(one)));
    const credited = run.draws.size > 0 || run.uncovered > 0n;
    const none = { draws: new Map<string, bigint>(), uncovered: 0n };
    const back = amount < 0n ? this.#giveBack(run, -amount) : this.#draw(run.scopes.customer, amount);
    this.adjustments.push({ run, hour: this.hour, amount, charged, ...(credited ? back : none) });
  }

  #giveBack(run: ModelRun, amount: bigint) {
    const own = [run, ...this.adjustments.filter((one) => one.run === run)];
    const uncovered = own.reduce((sum, one) => sum + one.uncovered, 0n);
    const open = uncovered < amount ? uncovered : amount;
    const packs = [...new Set(own.flatMap(({ draws }) => [...draws.keys()]))].reverse();
    let rest = amount - open;
    const draws = new Map<string, bigint>();
    for (const pack of packs) {
      const drawn = own.reduce((sum, one) => sum + (one.draws.get(pack) ?? 0n), 0n);
      const part = drawn < rest ? drawn : rest;
      if (part > 0n) draws.set(pack, -part);
      rest -= part;
    }
    return { draws, uncovered: -open };
  }

  /** The same for a fact, with what is then spent past each limit. Holds are not spending. */
  recordFact(
    id: string,
    attempt: Attempt,
    hold: SettledHold | null,
    first?: ReadonlyMap<string, bigint>,
  ): ModelRun {
    const run = this.record(id, attempt, hold, first);
    this.#noteOver(run);
    return run;
  }

  #noteOver(run: ModelRun): void {
    const { id, hour } = run;
    for (const chargedId of run.charged) {
      const limit = this.limits.find((one) => one.id === chargedId);
      if (limit === undefined) continue;
      if (limit.mode !== "enforce" || limit.limit === null || limit.kind === "chain_depth") continue;
      const past = this.spent(limit, this.#whoseRun(limit, run), hour) - limit.limit;
      const own = amountOf(limit, run);
      const amount = past < own ? past : own;
      if (amount > 0n) this.over.push({ run: id, limit: limit.id, window: windowOf(limit, hour), amount });
    }
  }

  expire(): void {
    const over = this.holds.filter(
      ({ status, expiresHour }) => status === "open" && expiresHour <= this.hour,
    );
    for (const hold of over.sort((a, b) => a.expiresHour - b.expiresHour)) {
      hold.status = "expired";
      if (hold.charge) this.#estimate(hold);
    }
  }

  /** Charged where it was held, and nowhere else. */
  #estimate({ id, attempt, hour, held, packs: draws }: ModelHold): void {
    const heldFor = { scopes: attempt.scopes, limits: held };
    const run = { id: estimateId(id), ...attempt, hour, charged: held, heldFor, draws, uncovered: 0n };
    this.runs.push(run);
    this.#noteOver(run);
  }

  /** The run that stands in for a hold's own, if it does. */
  estimateOf(run: ModelRun): ModelHold | undefined {
    return this.holds.find(({ id }) => run.id === estimateId(id));
  }

  end(hold: ModelHold, status: "settled" | "released"): void {
    hold.status = status;
    hold.endedHour = this.hour;
  }

  /** The holds of a request that answer for it. Another fingerprint is a conflict. */
  standing(requestId: string): ModelHold[] {
    return this.holds.filter(
      ({ request, status, charge }) =>
        request?.ask.request_id === requestId &&
        (status === "open" || status === "settled" || (status === "expired" && charge)),
    );
  }

  /** Settled holds of the same fingerprint under the same request id. They have other ids if they are of other half days. */
  settledAlike(hold: ModelHold): ModelHold[] {
    return this.holds.filter((one) => one.status === "settled" && hasSameFingerprint(one.id, hold.id));
  }

  /** A day after its end, or a week after it expired, a hold may be deleted. */
  remembers(hold: ModelHold): boolean {
    if (hold.endedHour !== null) return this.hour - hold.endedHour < 24;
    return this.hour - hold.expiresHour < 7 * 24;
  }
}
