import type { RegionPass } from "../domain/region/pass.ts";

/** The methods that an isolate can call on an org's object, in any region. */
export const OBJECT_METHODS = [
  "authenticate",
  "introduce",
  "whereabouts",
  "execute",
  "ask",
  "reserve",
  "decide",
  "admitRequest",
  "syncLeases",
  "lookAtLimits",
  "exchangeLeases",
  "restore",
  "watch",
  "unwatch",
  "beginImport",
  "stageImport",
  "finishImport",
  "abandonImport",
  "arriving",
] as const;
export type ObjectMethod = (typeof OBJECT_METHODS)[number];

/** The result of another region's call. If `taken` is false, the pass was not accepted and nothing was done. */
export interface PassedReply {
  readonly epoch: string;
  readonly taken: boolean;
  readonly result?: unknown;
}

/** The methods that other regions call. The runtime's types cannot express the results of any method. */
export interface RegionDoor {
  fromRegion(
    pass: Pick<RegionPass, "nonce" | "epoch">,
    method: ObjectMethod,
    args: readonly unknown[],
  ): Promise<PassedReply>;
}
