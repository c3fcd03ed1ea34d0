import {
  type CreditPack,
  type CreditPool,
  compareDrawOrder,
  isLive,
  poolOf,
} from "../../domain/meter/credit.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import type { Trait } from "../../contract/dimensions.ts";
import { type Account, countsGroups, type Meter, countedName, subjectOf } from "../../domain/meter/meter.ts";
import { type CallNames, groupOf, traitIn } from "../../domain/meter/traits.ts";
import { ByValidity, ValidityInterval } from "../../domain/time/validity-interval.ts";
import {
  indexMeters,
  type Scopes,
  MATCHED_SCOPES,
  type LimitSetMeter,
  findMeters,
} from "../../domain/meter/limit-set.ts";
import { toPack } from "../credit-packs/store.ts";
import { knownMeters, loadCustomerRows, loadMetersById, toMeter } from "../meters/store.ts";
import { type MeterAccount, loadUsage, newEntry, saveUsage } from "../meters/usage.ts";
import { cached } from "../../domain/cache/cached.ts";

/** The meters' data that one run or decision needs. */
export interface ChargeRequest {
  readonly scopes: Scopes;
  /** The time that selects its windows. */
  readonly atMs: number;
}

/** All asks with the same scopes. */
interface LimitKind {
  readonly scopes: Scopes;
  /** The limits that they touch. Null: not read yet. */
  touched: readonly LimitSetMeter[] | null;
  readonly accounts: ByValidity<readonly Account[]>;
}

/**
 * The working copy of the meters that one command touches. Everything is read first, at once. The rules then work in
 * memory. Each changed meter is written once, however many runs changed it.
 */
export class UnitOfWork {
  readonly #sql: SqlStorage;
  readonly #phase: Phase;
  readonly #nowMs: number;
  readonly #entries = new Map<string, MeterAccount>();
  readonly #latest = new Map<string, Map<string, { readonly atMs: number; readonly entry: MeterAccount }>>();
  readonly #kinds = new Map<string, LimitKind>();
  /** That of the last ask by customer, because most runs of a batch repeat it. */
  readonly #lately = new Map<string | undefined, LimitKind>();
  readonly #pools = new Map<string, CreditPool>();
  /** The meters of holds, by their ids, because many holds have the same. */
  readonly #held = new Map<string, HeldMeters>();

  constructor(sql: SqlStorage, phase: Phase, nowMs: number) {
    this.#sql = sql;
    this.#phase = phase;
    this.#nowMs = nowMs;
  }

  /** The accounts that each ask touches, in order of refusal. The same list for the same scopes in the same windows. */
  load(asks: readonly ChargeRequest[]): (readonly Account[])[] {
    const { traits } = knownMeters(this.#sql, this.#nowMs);
    const kinds = asks.map(({ scopes }) => this.#kindOf(scopes, traits));
    const unread = new Set<LimitKind>();
    for (const kind of kinds) if (kind.touched === null) unread.add(kind);
    if (unread.size > 0) this.#read(unread);
    const fresh: MeterAccount[] = [];
    const found = kinds.map((kind, at) => this.#accountsAt(kind, asks[at]?.atMs ?? this.#nowMs, fresh));
    this.#loadUsage(fresh);
    return found;
  }

  #kindOf(scopes: Scopes, traits: readonly Trait[]): LimitKind {
    const lately = this.#lately.get(scopes.customer);
    if (lately !== undefined && isAlike(lately.scopes, scopes, traits)) return lately;
    const key = keyOf(scopes, traits);
    const made = () => ({ scopes, touched: null, accounts: new ByValidity<readonly Account[]>() });
    const kind = cached<string, LimitKind>(this.#kinds, key, made);
    this.#lately.set(scopes.customer, kind);
    return kind;
  }

  accounts(ask: ChargeRequest): readonly Account[] {
    return this.load([ask])[0] ?? [];
  }

  #read(kinds: ReadonlySet<LimitKind>): void {
    const { index, hasCustomerRows } = knownMeters(this.#sql, this.#nowMs);
    const rows = hasCustomerRows ? loadCustomerRows(this.#sql, customersOf(kinds)) : [];
    const limits = rows.filter((row) => row.kind === "customer_limit");
    const combined =
      limits.length === 0
        ? index
        : indexMeters(
            limits.map((row) => toMeter(row, this.#nowMs)),
            index,
          );
    const packs = this.#phase === "run" ? rows.filter((row) => row.kind === "credit_pack").map(toPack) : [];
    const fresh: MeterAccount[] = [];
    for (const pack of packs) this.#entry(pack.meter, "", this.#nowMs, fresh);
    this.#loadUsage(fresh);
    this.#pool(packs);
    for (const kind of kinds) kind.touched = findMeters(combined, kind.scopes, this.#phase);
  }

  #accountsAt(
    { scopes, touched, accounts }: LimitKind,
    atMs: number,
    fresh: MeterAccount[],
  ): readonly Account[] {
    const there = accounts.at(atMs);
    if (there !== undefined) return there;
    const interval = new ValidityInterval(atMs);
    const found: Account[] = [];
    for (const { meter, subject } of touched ?? []) {
      const entry = this.#entry(meter, subject, atMs, fresh);
      interval.withStart(meter).withWindow(entry.window);
      found.push(entry);
    }
    const pool = this.#pools.get(scopes.customer ?? "");
    if (pool !== undefined) found.push(pool);
    return accounts.keep(interval, found);
  }

  /** The accounts of limits that an ask touches and that count from before they were created. */
  backdated({ scopes, atMs }: ChargeRequest): readonly MeterAccount[] {
    const { backdated } = knownMeters(this.#sql, this.#nowMs);
    if (backdated === null) return [];
    const fresh: MeterAccount[] = [];
    const found = findMeters(backdated, scopes, this.#phase).map(({ meter, subject }) =>
      this.#entry(meter, subject, atMs, fresh),
    );
    this.#loadUsage(fresh);
    return found;
  }

  /** The accounts of a hold in the limits of these ids, which spaces separate, without limits that were deleted since. */
  standing(ids: string, whose: CounterOwner, atMs: number): readonly MeterAccount[] {
    const held = this.#heldMeters(ids);
    const isPlain = whose.chain === undefined && whose.groups === undefined && whose.names === undefined;
    const known = isPlain ? held.byCustomer.get(whose.customer) : undefined;
    const there = known?.at(atMs);
    if (there !== undefined) return there;
    const interval = new ValidityInterval(atMs);
    const fresh: MeterAccount[] = [];
    const entries: MeterAccount[] = [];
    for (const meter of held.meters) {
      interval.withStart(meter);
      // A limit that was deleted and recreated is a different one: nothing is held in it.
      if (meter.sinceMs > atMs) continue;
      const entry = this.#entry(meter, subjectOf(meter, someoneIn(meter, whose)), atMs, fresh);
      interval.withWindow(entry.window);
      entries.push(entry);
    }
    this.#loadUsage(fresh);
    if (!isPlain) return entries;
    const kept = known ?? new ByValidity<readonly MeterAccount[]>();
    held.byCustomer.set(whose.customer, kept);
    return kept.keep(interval, entries);
  }

  #heldMeters(ids: string): HeldMeters {
    return cached(this.#held, ids, () => {
      const meters = [...loadMetersById(this.#sql, ids.split(" "), this.#nowMs).values()];
      return { meters, byCustomer: new Map() };
    });
  }

  #loadUsage(fresh: readonly MeterAccount[]): void {
    if (fresh.length > 0) loadUsage(this.#sql, fresh);
  }

  entries(): Iterable<MeterAccount> {
    return this.#entries.values();
  }

  save(): void {
    saveUsage(this.#sql, this.#entries.values());
  }

  /** Most asks of a batch touch the same accounts at the same time. */
  #entry(meter: Meter, subject: string, atMs: number, fresh: MeterAccount[]): MeterAccount {
    let subjects = this.#latest.get(meter.id);
    if (subjects === undefined) this.#latest.set(meter.id, (subjects = new Map()));
    const latest = subjects.get(subject);
    if (latest?.atMs === atMs) return latest.entry;
    const entry = this.#entryOf(meter, subject, atMs, fresh);
    subjects.set(subject, { atMs, entry });
    return entry;
  }

  #entryOf(meter: Meter, subject: string, atMs: number, fresh: MeterAccount[]): MeterAccount {
    const made = newEntry(meter, subject, atMs);
    const key = `${meter.id} ${made.window.startMs} ${subject}`;
    const there = this.#entries.get(key);
    if (there !== undefined) return there;
    this.#entries.set(key, made);
    fresh.push(made);
    return made;
  }

  #pool(packs: readonly CreditPack[]): void {
    const live = packs.filter((pack) => isLive(pack, this.#nowMs)).sort(compareDrawOrder);
    for (const [customerId, own] of Map.groupBy(live, (pack) => pack.meter.scope.id)) {
      if (this.#pools.has(customerId)) continue;
      const accounts = own.map(({ meter }) => this.#entry(meter, "", this.#nowMs, []));
      this.#pools.set(customerId, poolOf(customerId, accounts));
    }
  }
}

/** The limits that holds name, and the counters of those that name only a customer beside. */
interface HeldMeters {
  readonly meters: readonly Meter[];
  readonly byCustomer: Map<string | undefined, ByValidity<readonly MeterAccount[]>>;
}

/** The names of the owner of counters. */
export interface CounterOwner {
  readonly customer?: string | undefined;
  readonly chain?: string | undefined;
  /** By meter, the group of calls. */
  readonly groups?: Readonly<Record<string, string>> | undefined;
  /** The names that tell the group of a meter that is not among them. */
  readonly names?: CallNames;
}

function someoneIn(meter: Meter, { customer, chain, groups, names = {} }: CounterOwner): string {
  if (countsGroups(meter)) return groups?.[meter.id] ?? groupOf(names, meter.match?.groupBy ?? []);
  return countedName(meter, { chain, customer });
}

function isAlike(one: Scopes, other: Scopes, traits: readonly Trait[]): boolean {
  if (one === other) return true;
  for (const kind of MATCHED_SCOPES) if (one[kind] !== other[kind]) return false;
  const [names, others] = [one.beside ?? {}, other.beside ?? {}];
  for (const trait of traits) if (traitIn(names, trait) !== traitIn(others, trait)) return false;
  return true;
}

/** Ids are printable, so a line break cannot be part of one. Other names are written with none. */
function keyOf(scopes: Scopes, traits: readonly Trait[]): string {
  let key = "";
  for (const kind of MATCHED_SCOPES) key += `${scopes[kind] ?? ""}\n`;
  for (const trait of traits) key += `${JSON.stringify(traitIn(scopes.beside ?? {}, trait))}\n`;
  return key;
}

function customersOf(kinds: Iterable<LimitKind>): string[] {
  const ids = new Set<string>();
  for (const { scopes } of kinds) if (scopes.customer !== undefined) ids.add(scopes.customer);
  return [...ids];
}
