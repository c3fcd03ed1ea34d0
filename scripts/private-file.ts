import { renameSync, rmSync, writeFileSync } from "node:fs";
import { Complaint } from "./complaint.ts";

/** Writes a file that only its owner can read, completely or not at all. */
export function writePrivateFile(file: string, text: string): void {
  const next = `${file}.new`;
  try {
    // A file left by a crash may have been readable by others. Permissions apply only to a new file.
    rmSync(next, { force: true });
    writeFileSync(next, text, { mode: 0o600, flag: "wx" });
    renameSync(next, file);
  } catch (error) {
    throw new Complaint(`cannot write ${file}: ${(error as Error).message}`);
  }
}
