import type { CallGate } from "../adapters/governed-call.ts";
import { createGate, type EmbeddedGate } from "../client/gate/index.ts";
import type { RunInput } from "../client/generated/types.ts";
import type { ProxyOptions } from "./options.ts";
import { type OrgKey, OrgKeys } from "./org-keys.ts";

/** Of a key whose runs cannot be sent. */
const MOST_QUEUED = 2000;
const KEY = /^svc_(?:live|test)_(.{26})(.{26})_/;

/** The gate of one key. A run that the service does not take as it is goes again with what was reserved for it: it did happen. */
export class KeyGate implements CallGate {
  readonly key: string;
  readonly orgId: string;
  readonly keyId: string;
  readonly #gate: EmbeddedGate;
  /** The keys of providers that its org has set. */
  readonly #orgKeys: OrgKeys;
  readonly #log: ProxyOptions["log"];
  /** True once the service has accepted the key. */
  isProven = false;

  constructor(key: string, { url, binding, log, decisionTimeoutMs: timeoutMs }: ProxyOptions) {
    const onError = (error: unknown, run: RunInput, reservedUsd: string | undefined) =>
      this.#sendAgain(error, run, reservedUsd);
    this.#gate = createGate({ key, url, binding, onError, timeoutMs, mostQueued: MOST_QUEUED });
    this.#orgKeys = new OrgKeys(key, binding);
    this.#log = log;
    this.key = key;
    const [, org, id] = KEY.exec(key) ?? [];
    this.orgId = `org_${org}`;
    this.keyId = `key_${id}`;
  }

  get isIdle(): boolean {
    return this.#gate.stats.runsQueued === 0;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#gate.bytes + this.#orgKeys.bytes;
  }

  /** Rejects if the service does not accept the key. */
  async prove(): Promise<void> {
    if (!this.isProven) await this.#facts();
  }

  /** Its org's own key of a provider. Null: there is none. A service that hands keys over has accepted this one first. */
  async orgKey(name: string): Promise<OrgKey | null> {
    const found = await this.#orgKeys.get(name);
    this.isProven ||= this.#orgKeys.areServed;
    return found;
  }

  /** The names that limits of the org count by. */
  async countedBy(): Promise<ReadonlySet<string>> {
    return (await this.#facts()).countedBy;
  }

  get knownFacts(): EmbeddedGate["knownFacts"] {
    return this.#gate.knownFacts;
  }

  readonly fallbacksOf: NonNullable<CallGate["fallbacksOf"]> = (ask) => this.#gate.fallbacksOf(ask);

  get beginsWithFallbacks(): boolean | null {
    return this.#gate.beginsWithFallbacks;
  }

  async #facts(): ReturnType<EmbeddedGate["facts"]> {
    const facts = await this.#gate.facts();
    this.isProven = true;
    return facts;
  }

  /**
   * A reservation is for one call, and every call reaches the provider. One whose request id came before, here or in another
   * isolate, is reserved by itself.
   */
  readonly decide: CallGate["decide"] = async (ask, options) => {
    const { request_id: _, ...unnamed } = ask;
    const allowed = await this.#gate.decide(unnamed, options);
    this.isProven = true;
    return allowed;
  };

  readonly settle: CallGate["settle"] = (allowed, run, options) => this.#gate.settle(allowed, run, options);

  async release(allowed: Parameters<CallGate["release"]>[0]): Promise<void> {
    await this.#gate.release(allowed);
  }

  async close(): Promise<void> {
    await this.#gate.close();
  }

  /** The reservation was settled by another call with its id, or there is no price for what was used. */
  #sendAgain(error: unknown, run: RunInput, reservedUsd: string | undefined): void {
    const { id = "", reservation_id: reservation, ...rest } = run;
    if (reservedUsd === undefined) {
      this.#logUnsettled(error, id);
      return;
    }
    const isSettled = (error as { code?: unknown }).code === "conflict";
    const { input_tokens, output_tokens } = run.usage;
    const { variant: _, ...plain } = rest;
    const again = { ...plain, id: `${id}-again`, usage: { input_tokens, output_tokens } };
    if (isSettled || reservation === undefined) this.#gate.settle({ reservation: null }, again);
    else this.#gate.settle(reservation, { ...again, cost_usd: run.cost_usd ?? reservedUsd });
  }

  #logUnsettled(error: unknown, run: string): void {
    this.#log?.({
      at: new Date().toISOString(),
      source: "proxy",
      code: "unsettled_call",
      run,
      org: this.orgId,
      key: this.keyId,
      reason: error instanceof Error ? error.name : String((error as { code?: unknown }).code),
    });
  }
}
