import { type CreditPack, type CreditPool, inDrawOrder, isLive, poolOf } from "../../domain/credit.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import type { Trait } from "../../contract/dimensions.ts";
import { type Account, countsGroups, type Meter, subjectOf } from "../../domain/meter.ts";
import { type CallNames, groupOf, traitIn } from "../../domain/traits.ts";
import { indexMeters, type Scopes, TOUCHING_SCOPES, touchedBy } from "../../domain/touch.ts";
import { toPack } from "../credit-packs/store.ts";
import { knownMeters, loadCustomerRows, loadMetersById, toMeter } from "../meters/store.ts";
import { type Entry, loadUsage, newEntry, saveUsage } from "../meters/usage.ts";

/** What one run or decision needs from the meters. */
export interface Ask {
  readonly scopes: Scopes;
  /** The time that selects its windows. */
  readonly atMs: number;
}

/**
 * The working copy of the meters that one command touches. Everything is read first, at once. The rules then work in
 * memory. Each changed meter is written once, however many runs changed it.
 */
export class Draft {
  readonly #sql: SqlStorage;
  readonly #phase: Phase;
  readonly #nowMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #latest = new Map<string, Map<string, { readonly atMs: number; readonly entry: Entry }>>();
  readonly #asked = new Map<string, readonly Account[]>();
  /** The last ask by customer, because most runs of a batch repeat it. */
  readonly #lately = new Map<string | undefined, { readonly ask: Ask; readonly key: string }>();
  readonly #pools = new Map<string, CreditPool>();
  /** The meters of holds, by their ids, because many holds have the same. */
  readonly #held = new Map<string, ReadonlyMap<string, Meter>>();

  constructor(sql: SqlStorage, phase: Phase, nowMs: number) {
    this.#sql = sql;
    this.#phase = phase;
    this.#nowMs = nowMs;
  }

  /** The accounts that each ask touches, in order of refusal. The same list for the same ask. */
  load(asks: readonly Ask[]): (readonly Account[])[] {
    const keys = new Map<Ask, string>();
    const wanted = new Map<string, Ask>();
    for (const ask of asks) {
      if (keys.has(ask)) continue;
      const key = this.#keyOf(ask);
      keys.set(ask, key);
      if (!this.#asked.has(key)) wanted.set(key, ask);
    }
    if (wanted.size > 0) this.#read(wanted);
    const found = new Map(Array.from(keys, ([ask, key]) => [ask, this.#asked.get(key) ?? []]));
    return asks.map((ask) => found.get(ask) ?? []);
  }

  #keyOf(ask: Ask): string {
    const { traits } = knownMeters(this.#sql, this.#nowMs);
    const lately = this.#lately.get(ask.scopes.customer);
    if (lately !== undefined && isAlike(lately.ask, ask, traits)) return lately.key;
    const key = keyOf(ask, traits);
    this.#lately.set(ask.scopes.customer, { ask, key });
    return key;
  }

  accounts(ask: Ask): readonly Account[] {
    return this.load([ask])[0] ?? [];
  }

  #read(wanted: ReadonlyMap<string, Ask>): void {
    const { index, hasCustomerRows } = knownMeters(this.#sql, this.#nowMs);
    const rows = hasCustomerRows ? loadCustomerRows(this.#sql, customersOf(wanted.values())) : [];
    const limits = rows.filter((row) => row.kind === "customer_limit");
    const combined =
      limits.length === 0
        ? index
        : indexMeters(
            limits.map((row) => toMeter(row, this.#nowMs)),
            index,
          );
    const fresh: Entry[] = [];
    const packs = this.#phase === "run" ? rows.filter((row) => row.kind === "credit_pack").map(toPack) : [];
    for (const pack of packs) this.#entry(pack.meter, "", this.#nowMs, fresh);
    const found = new Map<string, Entry[]>();
    for (const [key, ask] of wanted) {
      const touched = touchedBy(combined, ask.scopes, this.#phase);
      found.set(
        key,
        touched.map(({ meter, subject }) => this.#entry(meter, subject, ask.atMs, fresh)),
      );
    }
    loadUsage(this.#sql, fresh);
    this.#pool(packs);
    for (const [key, ask] of wanted) {
      const pool = this.#pools.get(ask.scopes.customer ?? "");
      const entries: Account[] = found.get(key) ?? [];
      this.#asked.set(key, pool === undefined ? entries : [...entries, pool]);
    }
  }

  /** The accounts of a hold, without limits that were deleted since. */
  standing(meterIds: readonly string[], whose: Whose, atMs: number): Entry[] {
    const fresh: Entry[] = [];
    const ids = meterIds.join(" ");
    const meters = this.#held.get(ids) ?? loadMetersById(this.#sql, meterIds, this.#nowMs);
    this.#held.set(ids, meters);
    // A limit that was deleted and recreated is a different one: nothing is held in it.
    const standing = [...meters.values()].filter((meter) => meter.sinceMs <= atMs);
    const entries = standing.map((meter) => {
      return this.#entry(meter, subjectOf(meter, someoneIn(meter, whose)), atMs, fresh);
    });
    loadUsage(this.#sql, fresh);
    return entries;
  }

  entries(): Iterable<Entry> {
    return this.#entries.values();
  }

  save(): void {
    saveUsage(this.#sql, this.#entries.values());
  }

  /** Most asks of a batch touch the same accounts at the same time. */
  #entry(meter: Meter, subject: string, atMs: number, fresh: Entry[]): Entry {
    let subjects = this.#latest.get(meter.id);
    if (subjects === undefined) this.#latest.set(meter.id, (subjects = new Map()));
    const latest = subjects.get(subject);
    if (latest?.atMs === atMs) return latest.entry;
    const entry = this.#entryOf(meter, subject, atMs, fresh);
    subjects.set(subject, { atMs, entry });
    return entry;
  }

  #entryOf(meter: Meter, subject: string, atMs: number, fresh: Entry[]): Entry {
    const made = newEntry(meter, subject, atMs);
    const key = `${meter.id} ${made.window.startMs} ${subject}`;
    const there = this.#entries.get(key);
    if (there !== undefined) return there;
    this.#entries.set(key, made);
    fresh.push(made);
    return made;
  }

  #pool(packs: readonly CreditPack[]): void {
    const live = packs.filter((pack) => isLive(pack, this.#nowMs)).sort(inDrawOrder);
    for (const [customerId, own] of Map.groupBy(live, (pack) => pack.meter.scope.id)) {
      if (this.#pools.has(customerId)) continue;
      const accounts = own.map(({ meter }) => this.#entry(meter, "", this.#nowMs, []));
      this.#pools.set(customerId, poolOf(customerId, accounts));
    }
  }
}

/** Whose counters are meant. */
export interface Whose {
  readonly customer?: string | undefined;
  readonly chain?: string | undefined;
  /** By meter, the group of calls. */
  readonly groups?: Readonly<Record<string, string>> | undefined;
  /** What tells the group of a meter that is not among them. */
  readonly names?: CallNames;
}

function someoneIn(meter: Meter, { customer, chain, groups, names = {} }: Whose): string {
  if (countsGroups(meter)) return groups?.[meter.id] ?? groupOf(names, meter.match?.groupBy ?? []);
  return (meter.scope.kind === "chain" ? chain : customer) ?? "";
}

function isAlike(one: Ask, other: Ask, traits: readonly Trait[]): boolean {
  if (one.atMs !== other.atMs) return false;
  for (const kind of TOUCHING_SCOPES) if (one.scopes[kind] !== other.scopes[kind]) return false;
  const [names, others] = [one.scopes.beside ?? {}, other.scopes.beside ?? {}];
  for (const trait of traits) if (traitIn(names, trait) !== traitIn(others, trait)) return false;
  return true;
}

/** Ids are printable, so a line break cannot be part of one. Other names are written with none. */
function keyOf({ scopes, atMs }: Ask, traits: readonly Trait[]): string {
  let key = String(atMs);
  for (const kind of TOUCHING_SCOPES) key += `\n${scopes[kind] ?? ""}`;
  for (const trait of traits) key += `\n${JSON.stringify(traitIn(scopes.beside ?? {}, trait))}`;
  return key;
}

function customersOf(asks: Iterable<Ask>): string[] {
  const ids = new Set<string>();
  for (const { scopes } of asks) if (scopes.customer !== undefined) ids.add(scopes.customer);
  return [...ids];
}
