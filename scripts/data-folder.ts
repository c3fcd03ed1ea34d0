import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Complaint } from "./complaint.ts";
import { keepPrivate } from "./private-folder.ts";

const LOCK = "lock";
/** Its folders: the databases, and the data folder of `npm run regions`. */
const FOLDERS = { state: "state", regions: "regions" };
/** It says which form the databases have. A folder of a version from before the first release has none. */
const FORMAT_FILE = "format";
const FORMAT = "1";

export interface DataFolder {
  readonly path: string;
  /** The databases, laid out as `wrangler dev --persist-to` expects them. */
  readonly state: string;
  readonly log: string;
  readonly demo: string;
  /** How far Northwind is, while it is being made. */
  readonly northwind: string;
  readonly secrets: string;
  readonly pepperMark: string;
  close(): void;
}

export function dataFolderPath(environment: NodeJS.ProcessEnv): string {
  return resolve(environment["SLUICE_DATA_DIR"] || ".sluice");
}

export function regionsFolderPath(environment: NodeJS.ProcessEnv): string {
  return join(dataFolderPath(environment), FOLDERS.regions);
}

/**
 * Opens the folder for this process alone. Creates it if it does not exist. One whose databases this version does not read
 * is refused and not changed.
 */
export function openDataFolder(path: string): DataFolder {
  if (!isReadable(path)) {
    throw new Complaint(
      `the data folder ${path} is of a version from before the first release, which this version does not read: empty it with npm run reset, or set SLUICE_DATA_DIR`,
    );
  }
  const unlock = lock(path);
  writeFileSync(join(path, FORMAT_FILE), FORMAT, { mode: 0o600 });
  return {
    path,
    state: join(path, FOLDERS.state),
    log: join(path, "sluice.log"),
    demo: join(path, "demo.json"),
    northwind: join(path, "northwind.json"),
    secrets: join(path, "secrets.env"),
    pepperMark: join(path, "pepper.mark"),
    close: unlock,
  };
}

/** Deletes what is in the folder, whichever version it is of. */
export function emptyDataFolder(path: string): void {
  const unlock = lock(path);
  for (const name of readdirSync(path)) {
    if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true });
  }
  unlock();
}

/** Whether there are no databases yet, or those of this form. */
function isReadable(path: string): boolean {
  const [state, format] = [join(path, FOLDERS.state), join(path, FORMAT_FILE)];
  if (!existsSync(state) || readdirSync(state).length === 0) return true;
  return existsSync(format) && readFileSync(format, "utf8") === FORMAT;
}

/** SQLite's lock belongs to the process, so the system releases it however the process ends. */
function lock(path: string): () => void {
  try {
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    keepPrivate(path, new Set(Object.values(FOLDERS)));
    const database = new DatabaseSync(join(path, LOCK));
    try {
      database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      throw error;
    }
    chmodSync(join(path, LOCK), 0o600);
    mkdirSync(join(path, FOLDERS.state), { recursive: true, mode: 0o700 });
    return () => database.close();
  } catch (error) {
    if (error instanceof Complaint) throw error;
    throw new Complaint(
      isBusy(error)
        ? `another server is using the data folder ${path}: stop it, or set SLUICE_DATA_DIR`
        : `cannot write to the data folder ${path}: make it writable or set SLUICE_DATA_DIR (${(error as Error).message})`,
    );
  }
}

/** Node's own recursive mkdir never returns on a file system that answers "no such file" to every attempt. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}
