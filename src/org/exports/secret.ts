import { unseal } from "../../domain/seal.ts";
import type { Settings } from "../../settings.ts";
import type { ExportRow } from "./store.ts";

export const PURPOSE = "export-destination";

/** For signing a request to the storage, and for nothing else. */
export function secretOf({ sealed }: ExportRow, { SVC_KEY_PEPPER }: Settings): string {
  if (sealed === null) throw new Error("this export has no secret");
  return unseal(SVC_KEY_PEPPER, PURPOSE, sealed);
}
