import type { Sluice } from "../client/index.ts";
import { type Change, changesOf } from "./changes.ts";
import { Failure, type CommandInput, type Terminal, text, UsageError } from "./command.ts";
import { clientFor } from "./connection.ts";
import { type Complaints, sectionsOf } from "./declarations.ts";
import { KINDS } from "./kinds.ts";
import { tryChanges } from "./try-changes.ts";
import { MOST_FILE_BYTES } from "./yaml-bounds.ts";
import { SettingsFile } from "./yaml-file.ts";

export interface SettingsPlan {
  readonly sluice: Sluice;
  readonly changes: readonly Change[];
  /** The sections with changes that this key may not make. */
  readonly closed: ReadonlySet<string>;
}

/** Returns what a file would change. Throws all that is wrong with it, after the service has checked every change. */
export async function planOf(given: CommandInput, terminal: Terminal): Promise<SettingsPlan> {
  if (given.arguments.length > 0) throw new UsageError("takes options only: the file is given with -f");
  const name = text(given, "file");
  if (name === undefined) throw new UsageError("-f FILE is required: - is the standard input");
  const file = new SettingsFile(name, readFile(name, terminal));
  const complaints: Complaints = { file, env: terminal.env, lines: [] };
  const refuseWrong = () => {
    if (complaints.lines.length > 0) throw new Failure(complaints.lines);
  };
  const sections = sectionsOf(KINDS, complaints);
  refuseWrong();
  const sluice = clientFor(given, terminal);
  const changes: Change[] = [];
  for (const section of sections) changes.push(...(await changesOf(section, sluice, complaints)));
  refuseWrong();
  const closed = await tryChanges(changes, sluice, complaints);
  refuseWrong();
  return { sluice, changes, closed };
}

function readFile(name: string, { read }: Terminal): string {
  try {
    return read(name, MOST_FILE_BYTES);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure([`${name}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
