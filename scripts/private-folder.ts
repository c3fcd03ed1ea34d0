import { accessSync, chmodSync, constants, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { Complaint } from "./complaint.ts";

const FOR_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Removes other users' permissions from a data folder and its own contents, and from nothing else. A folder that is
 * shared, or that contains other folders, is refused and not changed.
 */
export function keepPrivate(path: string, ownFolders: ReadonlySet<string>): void {
  const folder = statSync(path);
  const entries = readdirSync(path).map((name) => ({ name, at: join(path, name) }));
  const isOpen = (folder.mode & FOR_OTHERS) !== 0;
  const foreign = entries.find(({ name, at }) => !ownFolders.has(name) && lstatSync(at).isDirectory());
  if (isOpen && ((folder.mode & STICKY) !== 0 || foreign !== undefined)) {
    throw new Complaint(
      `${path} is accessible to other users and contains other files: set SLUICE_DATA_DIR to a folder for Sluice only`,
    );
  }
  checkOwner(path);
  tighten(path, folder);
  for (const { at } of entries) {
    const target = statSync(at, { throwIfNoEntry: false });
    if (target === undefined) continue;
    checkOwner(at);
    tighten(at, target);
    accessSync(at, constants.R_OK | constants.W_OK);
  }
}

/** Another user's file could be read, or was written, by that user. */
function checkOwner(path: string): void {
  const self = process.getuid?.() ?? 0;
  if (self === 0 || lstatSync(path).uid === self) return;
  throw new Complaint(`${path} belongs to another user: set SLUICE_DATA_DIR to your own folder`);
}

function tighten(path: string, { mode }: Stats): void {
  if ((mode & FOR_OTHERS) !== 0) chmodSync(path, mode & 0o7777 & ~FOR_OTHERS);
}
