import { SluiceError } from "../client/errors.ts";
import { KeyGate } from "./key-gate.ts";
import type { ProxyOptions } from "./options.ts";

const MOST_GATES = 1000;
/** Keys that the service has not accepted yet. Whoever makes keys up pushes out only these. */
const MOST_UNPROVEN = 200;

/** The gates of the keys that call. */
export class KeyGates {
  readonly #options: ProxyOptions;
  readonly #proven = new Map<string, KeyGate>();
  readonly #unproven = new Map<string, KeyGate>();

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Null: the text is no key of an organization. */
  gateOf(key: string): KeyGate | null {
    const known = this.#proven.get(key) ?? this.#unproven.get(key);
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

  /** Keeps the gate of a key that was accepted. Over the bound, the oldest that has nothing left to send goes. */
  async keep(gate: KeyGate): Promise<void> {
    const { key } = gate;
    if (!gate.isProven || this.#proven.has(key)) return;
    this.#unproven.delete(key);
    this.#proven.set(key, gate);
    if (this.#proven.size <= MOST_GATES) return;
    for (const [other, one] of this.#proven) {
      if (other === key || !one.isIdle) continue;
      this.#proven.delete(other);
      await one.close();
      return;
    }
  }
}
