import type { ParsedKey } from "../../domain/key/api-key.ts";
import type { Call } from "../request/call.ts";

/** A key that was given out and that this isolate does not know. */
export interface Stranger extends ParsedKey {
  readonly bearer: string;
  readonly digest: string;
}

/** Asks about a key that this isolate does not know, together with what it asks for. Null if it cannot. */
export type Introduce = (call: Call, stranger: Stranger) => Promise<void> | null;
