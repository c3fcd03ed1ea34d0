import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";

const MEBIBYTE = 1024 * 1024;

export interface LogBounds {
  readonly maxBytes: number;
  /** How many full files are kept beside the one being written. */
  readonly keep: number;
}

export const LOG_BOUNDS: LogBounds = { maxBytes: 64 * MEBIBYTE, keep: 2 };

/** The log's files, oldest first. */
export function logFiles(log: string, keep = LOG_BOUNDS.keep): string[] {
  const older = Array.from({ length: keep }, (_, index) => `${log}.${keep - index}`);
  return [...older, log].filter((file) => existsSync(file));
}

/**
 * Moves a log that has grown past its bound aside. workerd keeps the file open for appending and cannot be
 * told to open another, so the content is copied and the file cut back: what is written between the last read
 * and the cut, some microseconds, is lost.
 */
export function rotateLog(log: string, bounds = LOG_BOUNDS): void {
  if (!existsSync(log) || statSync(log).size <= bounds.maxBytes) return;
  for (let age = bounds.keep; age > 1; age -= 1) {
    if (existsSync(`${log}.${age - 1}`)) renameSync(`${log}.${age - 1}`, `${log}.${age}`);
  }
  const aside = `${log}.1`;
  copyFileSync(log, aside, constants.COPYFILE_FICLONE);
  const file = openSync(log, "r+");
  try {
    moveRest(file, aside, statSync(aside).size);
  } finally {
    closeSync(file);
  }
}

function moveRest(file: number, aside: string, copied: number): void {
  const rest = Buffer.alloc(Math.max(0, fstatSync(file).size - copied));
  const length = readSync(file, rest, 0, rest.length, copied);
  ftruncateSync(file, 0);
  appendFileSync(aside, rest.subarray(0, length));
}

/**
 * What the runtime says on stderr, a line at a time: the Worker's warnings and errors, which are JSON, and
 * workerd's own remarks, which are wrapped so that the log stays JSON lines.
 */
export function appendRemark(log: string, line: string): void {
  const json = line.startsWith("{")
    ? line
    : JSON.stringify({ level: "error", source: "workerd", message: line });
  appendFileSync(log, `${json}\n`);
}
