import { Gates } from "../../gate/gates.ts";
import type { Background } from "../../gate/lease/background.ts";
import type { OrgStub } from "../region/remote-org.ts";
import type { DecidedTogether } from "../../gate/decision/decided-together.ts";

/** The gates of this isolate. */
export const gates = new Gates(() => crypto.randomUUID());

/** The gate's background, plus the methods of the object that decisions need. */
export interface ObjectBackground extends Background {
  object(): OrgStub;
  /** True if the org is at home in this region, as far as is known. */
  readonly isHere: boolean;
  /** Asks the object of this region for several decisions in one call. */
  send(asked: string): Promise<DecidedTogether | null>;
}

export function waitFor(ms: number): Promise<void> {
  return scheduler.wait(ms);
}
