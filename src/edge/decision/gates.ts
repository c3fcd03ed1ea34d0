import { Gates } from "../../gate/gates.ts";
import type { Background } from "../../gate/background.ts";
import type { OrgStub } from "../region/remote-org.ts";

/** The gates of this isolate. */
export const gates = new Gates(() => crypto.randomUUID());

/** The gate's background, plus the methods of the object that decisions need. */
export interface ObjectBackground extends Background {
  object(): OrgStub;
}

export function waitFor(ms: number): Promise<void> {
  return scheduler.wait(ms);
}
