import { decryptAny, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import type { ExportRow } from "./store.ts";

/** For a request to the destination, and for nothing else. */
export function secretOf({ sealed }: ExportRow, settings: Settings): string {
  if (sealed === null) throw new Error("this export has no secret");
  return decryptAny(peppersOf(settings), ENCRYPTED_FOR.exportDestination, sealed);
}

/** Returns what goes with each request to a receiver of spans. */
export function headersOf(row: ExportRow, settings: Settings): Readonly<Record<string, string>> {
  return row.sealed === null ? {} : (JSON.parse(secretOf(row, settings)) as Record<string, string>);
}
