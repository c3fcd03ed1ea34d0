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
  rmSync,
  statSync,
} from "node:fs";

const MEBIBYTE = 1024 * 1024;

export interface LogBounds {
  readonly maxBytes: number;
  /** How many full files are kept beside the one being written. */
  readonly keep: number;
}

export const LOG_BOUNDS: LogBounds = { maxBytes: 64 * MEBIBYTE, keep: 2 };

/** The log files, oldest first. */
export function logFiles(log: string, keep = LOG_BOUNDS.keep): string[] {
  const older = Array.from({ length: keep }, (_, index) => `${log}.${keep - index}`);
  return [...older, log].filter((file) => existsSync(file));
}

/**
 * Rotates a log that has reached its maximum size. workerd keeps the file open for appending and cannot be told to open
 * another, so the content is copied and the file truncated. Lines written between the last read and the truncation,
 * some microseconds, are lost. If there is no room for a copy, the log stays as it is.
 */
export function rotateLog(log: string, bounds = LOG_BOUNDS): void {
  if (!existsSync(log) || statSync(log).size <= bounds.maxBytes) return;
  const copy = `${log}.new`;
  try {
    copyFileSync(log, copy, constants.COPYFILE_FICLONE);
    cutBack(log, copy);
  } catch {
    rmSync(copy, { force: true });
    return;
  }
  for (let age = bounds.keep; age > 1; age -= 1) {
    if (existsSync(`${log}.${age - 1}`)) renameSync(`${log}.${age - 1}`, `${log}.${age}`);
  }
  renameSync(copy, `${log}.1`);
}

/** Truncates the log, after what was added since the copy is in the copy too. */
function cutBack(log: string, copy: string): void {
  const file = openSync(log, "r+");
  try {
    const copied = statSync(copy).size;
    const rest = Buffer.alloc(Math.max(0, fstatSync(file).size - copied));
    const length = readSync(file, rest, 0, rest.length, copied);
    appendFileSync(copy, rest.subarray(0, length));
    ftruncateSync(file, 0);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes the runtime's stderr line by line: the Worker's warnings and errors, which are JSON, and workerd's own
 * messages, which are wrapped so that the log stays JSON lines. If the disk is full, lines are lost, and the next line
 * that is written says how many. The log never ends the server.
 */
export function remarksTo(log: string): (line: string) => void {
  let lost = 0;
  return (line) => {
    const gap = lost === 0 ? "" : `${asJson(`${lost} log lines were lost: they could not be written`)}\n`;
    try {
      appendFileSync(log, `${gap}${line.startsWith("{") ? line : asJson(line)}\n`, { mode: 0o600 });
      lost = 0;
    } catch {
      lost += 1;
    }
  };
}

function asJson(message: string): string {
  return JSON.stringify({ level: "error", source: "workerd", message });
}
