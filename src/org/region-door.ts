import type { RegionPass } from "../domain/region-pass.ts";

/** What an isolate may ask of an org's object, wherever that object is. */
export const OBJECT_METHODS = [
  "authenticate",
  "whereabouts",
  "execute",
  "ask",
  "reserve",
  "decide",
  "admitRequest",
  "syncLeases",
  "lookAtLimits",
] as const;
export type ObjectMethod = (typeof OBJECT_METHODS)[number];

/** What another region's call came to: `taken` false, and its pass was not taken, nor anything done. */
export interface Passed {
  readonly epoch: string;
  readonly taken: boolean;
  readonly result?: unknown;
}

/** What other regions call. The types of the runtime cannot say what results of any method become on the way. */
export interface RegionDoor {
  fromRegion(
    pass: Pick<RegionPass, "nonce" | "epoch">,
    method: ObjectMethod,
    args: readonly unknown[],
  ): Promise<Passed>;
}
