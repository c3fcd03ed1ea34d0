import type { RunInput } from "../generated/types.ts";
import type { SluiceOptions } from "../sluice.ts";
import type { GateBinding } from "./binding.ts";

export interface GateOptions extends Pick<SluiceOptions, "url" | "fetch"> {
  /**
   * A key with `decisions:evaluate`. Runs of calls that were allowed while the service was away also need `runs:write`. Default:
   * the environment's `SLUICE_KEY`.
   */
  readonly key?: string | undefined;
  /** The service's `Gate` entrypoint, in place of `url`, for a Worker of the same account. */
  readonly binding?: GateBinding | undefined;
  /**
   * Says what to do while the service cannot be reached and no slice is left: `refuse` (the default), or `allow`, which
   * lets calls pass that no limit has seen. They are counted, and their runs are reported as incurred.
   */
  readonly whenUnreachable?: "refuse" | "allow" | undefined;
  /** How long a decision may wait for the service. Default: 3,000. */
  readonly timeoutMs?: number | undefined;
  /** How long a run may wait before it is sent. After a pause, it waits for a fifth of that. Default: 1,000. */
  readonly flushMs?: number | undefined;
  /** While so many runs wait to be sent, nothing more is allowed. Default: 10,000. */
  readonly mostQueued?: number | undefined;
  /** Keeps work going after a response, such as a Worker's `ctx.waitUntil`. Can also be given with each decision. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /**
   * Hears of each run that will not be recorded: the service rejected it, too many waited, or it could not be sent for 7 days.
   * `reservedUsd` is the amount that was reserved for it, if that is known. Default: a line on the console.
   */
  readonly onError?: ((error: unknown, run: RunInput, reservedUsd: string | undefined) => void) | undefined;
}

export interface GateStats {
  /** Decided by the gate itself. */
  readonly allowedHere: number;
  readonly refusedHere: number;
  /** Decided by the service. */
  readonly asked: number;
  /** Allowed while the service could not be reached. */
  readonly ungoverned: number;
  readonly runsQueued: number;
  readonly runsSent: number;
  /** Runs that will not be recorded, for any reason. */
  readonly runsRejected: number;
  /** Holds that the service did not take. More than none means that slices were used past what was given. */
  readonly holdsRefused: number;
}
