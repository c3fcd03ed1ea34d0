import { SluiceError } from "../client/errors.ts";
import { KeyGate } from "./key-gate.ts";
import type { ProxyOptions } from "./options.ts";

/** An isolate has 128 MiB, of which bodies take half. */
const MOST_BYTES = 16 * 1_048_576;
const MOST_ORG_BYTES = MOST_BYTES / 4;
/** Keys that the service has not accepted yet. Whoever makes keys up pushes out only these. */
const MOST_UNPROVEN = 200;

interface KeptGate {
  readonly gate: KeyGate;
  /** At its last call. */
  readonly bytes: number;
}

/** The gates of the keys that call. */
export class KeyGates {
  readonly #options: ProxyOptions;
  /** Those whose last call is the longest ago come first. */
  readonly #proven = new Map<string, KeptGate>();
  readonly #unproven = new Map<string, KeyGate>();
  readonly #orgBytes = new Map<string, number>();
  #bytes = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Null: the text is no key of an organization. */
  gateOf(key: string): KeyGate | null {
    const known = this.#proven.get(key)?.gate ?? this.#unproven.get(key);
    if (known !== undefined) return known;
    try {
      const gate = new KeyGate(key, this.#options);
      this.#unproven.set(key, gate);
      const [oldest] = this.#unproven.keys();
      // Nothing was decided with it, so it has nothing to send.
      if (this.#unproven.size > MOST_UNPROVEN && oldest !== undefined) this.#unproven.delete(oldest);
      return gate;
    } catch (error) {
      if (error instanceof SluiceError) return null;
      throw error;
    }
  }

  /** False while its organization, or all together, have so many runs to send that their memory is used up. */
  hasRoomFor({ orgId, isIdle }: KeyGate): boolean {
    if (isIdle) return true;
    return this.#bytes <= MOST_BYTES && (this.#orgBytes.get(orgId) ?? 0) <= MOST_ORG_BYTES;
  }

  /**
   * Keeps the gate of a key that was accepted. Over a bound, gates that have nothing left to send go: those of its own
   * organization over its share, and any over all.
   */
  async keep(gate: KeyGate): Promise<void> {
    const { key, orgId } = gate;
    if (!gate.isProven) return;
    this.#unproven.delete(key);
    this.#forget(key);
    const { bytes } = gate;
    this.#proven.set(key, { gate, bytes });
    this.#add(orgId, bytes);
    const closed: Promise<void>[] = [];
    for (const [other, { gate: one }] of this.#proven) {
      const isOrgOver = (this.#orgBytes.get(orgId) ?? 0) > MOST_ORG_BYTES;
      if (!isOrgOver && this.#bytes <= MOST_BYTES) break;
      if (!one.isIdle || (isOrgOver && one.orgId !== orgId)) continue;
      this.#forget(other);
      closed.push(one.close());
    }
    await Promise.all(closed);
  }

  #forget(key: string): void {
    const kept = this.#proven.get(key);
    if (kept === undefined) return;
    this.#proven.delete(key);
    this.#add(kept.gate.orgId, -kept.bytes);
  }

  #add(orgId: string, bytes: number): void {
    this.#bytes += bytes;
    const ofOrg = (this.#orgBytes.get(orgId) ?? 0) + bytes;
    if (ofOrg === 0) this.#orgBytes.delete(orgId);
    else this.#orgBytes.set(orgId, ofOrg);
  }
}
