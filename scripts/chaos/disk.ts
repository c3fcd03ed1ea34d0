import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for data, on a disk that can be filled. */
export interface Disk {
  readonly path: string;
  /** How it is filled. Null: this machine has no way. */
  readonly how: string | null;
  /** The runtime that writes to it is `pid`. */
  fill(pid: number): void;
  empty(pid: number): void;
  remove(): void;
}

const SIZE_MIB = 192;
const PIECE = Buffer.alloc(65_536);
const BALLAST = "ballast";

/**
 * A small file system in memory, where one can be mounted; it is full when its last byte is used. Elsewhere a limit on the size of
 * files: none of the runtime's may grow, which it sees as a full disk.
 */
export function openDisk(): Disk {
  const path = mkdtempSync(join(tmpdir(), "sluice-chaos-"));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MIB}m,mode=0700`, "tmpfs", path]).status === 0) {
    const ballast = join(path, BALLAST);
    return {
      path,
      how: `a file system of ${SIZE_MIB} MiB`,
      fill: () => fillUp(ballast),
      empty: () => rmSync(ballast, { force: true }),
      remove: () => {
        spawnSync("umount", ["--lazy", path]);
        remove();
      },
    };
  }
  const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
  return {
    path,
    how: canLimit ? "a limit on the size of files" : null,
    fill: (pid) => (canLimit ? limit(pid, "0:") : undefined),
    empty: (pid) => (canLimit ? limit(pid, "unlimited:unlimited") : undefined),
    remove,
  };
}

function fillUp(file: string): void {
  const open = openSync(file, "a");
  try {
    for (let written = 0; written < SIZE_MIB * 16 * 16; written += 1) writeSync(open, PIECE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(open);
  }
}

function limit(pid: number, size: string): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}`]);
}
