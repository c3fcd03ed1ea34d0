import { EmbeddedGate } from "./embedded-gate.ts";
import type { GateOptions } from "./options.ts";

export { Refused, SluiceError, Unreachable } from "../errors.ts";
export type { GateAnswer, GateBinding } from "./binding.ts";
export type { Allowed, DecideOptions, EmbeddedGate, SettledRun } from "./embedded-gate.ts";
export type { OrgFacts } from "./org-facts.ts";
export type { ModelBounds } from "./model-bounds.ts";
export type { GateOptions, GateStats } from "./options.ts";

/**
 * A gate in this process: it decides from slices of the limits that the service leases to it, and asks where it has none.
 * Create one for each key and process, and keep it. Address and key are those of the environment (`SLUICE_URL`, `SLUICE_KEY`)
 * unless they are given.
 */
export function createGate(options: GateOptions = {}): EmbeddedGate {
  return new EmbeddedGate(options);
}
