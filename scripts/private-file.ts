import { renameSync, rmSync, writeFileSync } from "node:fs";
import { Complaint } from "./complaint.ts";

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivateFile(file: string, text: string): void {
  const next = `${file}.new`;
  try {
    // One that a crash left may have been open to others: rights are given only to a new file.
    rmSync(next, { force: true });
    writeFileSync(next, text, { mode: 0o600, flag: "wx" });
    renameSync(next, file);
  } catch (error) {
    throw new Complaint(`cannot write ${file}: ${(error as Error).message}`);
  }
}
