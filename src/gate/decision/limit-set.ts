import { SINGLE_SCOPES, type SingleScope } from "../../contract/scopes.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { type Account, hasRoomFor, roomOf, unitOf, type Usage } from "../../domain/meter/meter.ts";
import { type UsdParts, usdParts } from "../../domain/price/money.ts";
import { LEASE } from "../lease/protocol.ts";
import type { Slice } from "../lease/lease-client.ts";
import { needsNoBody, type RateMeter, type RatePolicy, quotaWindowEnd } from "../../domain/rate/policy.ts";
import type { Trait } from "../../contract/dimensions.ts";
import type { RelevantNames, TraitMatters } from "../snapshot/decision-plan.ts";
import type { LimitSetLine } from "../report/limit-set-line.ts";
import { LAST_REPORTED_MS } from "../report/hold-line.ts";

/** The state of a dollar limit when the object was asked. */
export class KnownAccount {
  account: Account;
  askedAt: number;
  /** Its room, as text. */
  room: UsdParts;
  /** The last refusal by it. */
  refusal: { readonly amount: number; readonly given: Refusal } | null = null;
  /** The smallest amount that the object refused by it, while it stays too full for that. */
  #refused: bigint | null = null;

  constructor(account: Account, askedAt: number) {
    this.account = { ...account };
    this.askedAt = askedAt;
    this.room = usdParts(roomOf(account) ?? 0n);
  }

  /** As a decision plan has it: the limit may have changed by itself. */
  mergeAll(account: Account, askedAt: number): void {
    this.account = { ...account };
    this.set(account.usage, askedAt);
  }

  set(usage: Usage, askedAt: number): void {
    this.account.usage = usage;
    this.askedAt = askedAt;
    this.room = usdParts(roomOf(this.account) ?? 0n);
    this.refusal = null;
    if (this.#refused !== null && hasRoomFor(this.account, this.#refused)) this.#refused = null;
  }

  /** The object, which announces the first refusal of each window, has refused an amount by it. */
  refusedThere(amount: bigint): void {
    if (this.#refused === null || amount < this.#refused) this.#refused = amount;
  }

  /** Returns whether the object has refused this amount, or less, by it. */
  hasRefused(amount: number): boolean {
    return this.#refused !== null && amount >= this.#refused;
  }
}

/** A dollar limit as the isolate knows it: its state when the object was last asked, and the isolate's own slice. */
export interface LimitSetAccount {
  readonly known: KnownAccount;
  readonly slice: Slice;
  /** Its part of a response's `limits`, up to the amount. */
  readonly opening: string;
  /** Else it counts runs or tokens. */
  readonly isUsd: boolean;
}

export interface LimitSetRate {
  readonly meter: RateMeter;
  /** As a response's `limits` has it. */
  readonly kind: "rate_limit" | "quota_window";
  readonly key: string;
  readonly slice: Slice;
  readonly opening: string;
  readonly isUsd: boolean;
}

/** The limits that calls of one kind touch: found once, used for all with the same names. */
export interface LimitSet {
  readonly rates: readonly LimitSetRate[];
  readonly accounts: readonly LimitSetAccount[];
  /** Slices of both, rates first. */
  readonly slices: readonly Slice[];
  /** The amounts that a call takes from each. */
  readonly takes: readonly Take[];
  readonly reported: LimitSetLine;
  /** When the first of its windows ends, by the org's clock. Then another window is touched. */
  readonly endsAt: number;
}

type Take = "one" | "tokens" | "nanos" | "nothing";
const RATE_TAKES = { requests: "one", tokens: "tokens", usd: "nanos" } as const;

/** The names that matter, in a form that is fast to check. */
export class KnownLimits {
  readonly #named = new Map<SingleScope, ReadonlySet<string> | null>();
  readonly customer: boolean;
  /** Without the key, which always matters. */
  readonly traits: readonly { readonly trait: Trait; readonly isMatter: (value: string) => boolean }[];

  constructor(matters: RelevantNames) {
    const { traits = [] } = matters;
    this.traits = traits.filter(({ trait }) => trait !== "key_id").map(knownTrait);
    for (const kind of SINGLE_SCOPES) this.#named.set(kind, asSet(matters[kind]));
    this.customer = matters.customer;
  }

  /** For a scope that the object says nothing about, every name matters. */
  has(kind: SingleScope, name: string): boolean {
    return this.#named.get(kind)?.has(name) ?? true;
  }
}

function knownTrait({ trait, names, prefixes }: TraitMatters) {
  const named = asSet(names);
  const isMatter = (value: string) =>
    named === null || named.has(value) || prefixes.some((prefix) => value.startsWith(prefix));
  return { trait, isMatter };
}

export function newLimitSet({
  accounts,
  rates,
  customer,
  keyId,
  isWhole,
  mark = null,
  orgNow,
  sliceOf,
}: {
  readonly accounts: readonly { readonly key: string; readonly known: KnownAccount }[];
  readonly rates: readonly { readonly key: string; readonly meter: RateMeter }[];
  readonly customer: string | undefined;
  readonly keyId: string;
  /** True for calls that are checked against everything. */
  readonly isWhole: boolean;
  readonly mark?: string | null;
  readonly orgNow: number;
  readonly sliceOf: (key: string) => Slice;
}): LimitSet {
  const touchedRates = rates.map(({ key, meter }): LimitSetRate => {
    const kind = meter.policy.kind === "rate" ? "rate_limit" : "quota_window";
    const isUsd = meter.policy.unit === "usd";
    const opening = `{"kind":"${kind}","id":"${meter.policy.id}",${isUsd ? '"available_usd":"' : '"available":'}`;
    return { meter, kind, key, slice: sliceOf(key), opening, isUsd };
  });
  const touchedAccounts = accounts.map(({ key, known }) => ({
    known,
    slice: sliceOf(key),
    opening: openingOf(known.account),
    isUsd: unitOf(known.account.meter) === "usd",
  }));
  return {
    rates: touchedRates,
    accounts: touchedAccounts,
    slices: [...touchedRates, ...touchedAccounts].map(({ slice }) => slice),
    takes: [
      ...rates.map(({ meter }) => RATE_TAKES[meter.policy.unit]),
      ...accounts.map(({ known }) => takeOf(known)),
    ],
    reported: {
      keys: accounts.map(({ key }) => key),
      meters: accounts.map(({ known }) => known.account.meter.id).join(" "),
      customer: customer ?? null,
      keyId,
      rates: rates.flatMap(({ key, meter }) => (needsNoBody(meter.policy) ? [] : [key])),
      ...(isWhole ? { isWhole } : {}),
      ...(mark === null ? {} : { mark }),
    },
    endsAt: firstEnd(accounts, rates, orgNow),
  };
}

function takeOf({ account: { meter } }: KnownAccount): Take {
  const unit = unitOf(meter);
  if (unit === "usd") return "nanos";
  if (unit === "tokens") return unit;
  return unit === "runs" ? "one" : "nothing";
}

function openingOf({ meter }: Account): string {
  const available = unitOf(meter) === "usd" ? '"available_usd":"' : '"available":';
  return `{"kind":"${meter.kind}","id":"${meter.id}",${available}`;
}

function firstEnd(
  accounts: readonly { readonly known: KnownAccount }[],
  rates: readonly { readonly meter: RateMeter }[],
  orgNow: number,
): number {
  let first = LAST_REPORTED_MS - LEASE.longestHoldMs;
  for (const { known } of accounts) {
    const { window, meter } = known.account;
    first = Math.min(first, window.endMs ?? first, meter.limitUntilMs ?? first);
  }
  for (const { meter } of rates) first = Math.min(first, endOf(meter.policy, orgNow));
  return first;
}

function endOf(policy: RatePolicy, orgNow: number): number {
  return policy.kind === "quota" ? quotaWindowEnd(policy, orgNow) : Number.POSITIVE_INFINITY;
}

/** Returns what a call takes from each slice, in order. */
export function amountsOf(
  { takes }: LimitSet,
  { nanos, tokens }: { readonly nanos: number; readonly tokens: number },
): number[] {
  const amounts: number[] = [];
  for (const take of takes) {
    if (take === "nanos") amounts.push(nanos);
    else if (take === "one") amounts.push(1);
    else amounts.push(take === "tokens" ? tokens : 0);
  }
  return amounts;
}

function asSet(names: readonly string[] | null): ReadonlySet<string> | null {
  return names === null ? null : new Set(names);
}
