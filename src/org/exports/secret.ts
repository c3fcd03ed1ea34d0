import { unsealAny, SEALED_FOR } from "../../domain/key/encrypt.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import type { ExportRow } from "./store.ts";

/** For signing a request to the storage, and for nothing else. */
export function secretOf({ sealed }: ExportRow, settings: Settings): string {
  if (sealed === null) throw new Error("this export has no secret");
  return unsealAny(peppersOf(settings), SEALED_FOR.exportDestination, sealed);
}
