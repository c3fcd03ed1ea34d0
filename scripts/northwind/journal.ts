import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { DataFolder } from "../data-folder.ts";
import { writePrivateFile } from "../private-file.ts";
import { PastClock } from "./clock.ts";
import type { KeyName } from "./company.ts";
import { type Moment, timeline } from "./timeline.ts";

/** What is known of a Northwind that is being made. */
export interface Begun {
  /** All that is made of Northwind depends on this time alone. */
  readonly nowMs: number;
  /** How many moments of its timeline are done. */
  readonly done: number;
  readonly org_id: string | null;
  readonly owner_key: string | null;
  readonly keys: Readonly<Partial<Record<KeyName, string>>>;
}

/** How far Northwind is, so that a seeding that was interrupted continues where it was. */
export class Journal {
  readonly moments: readonly Moment[];
  readonly clock: PastClock;
  readonly #file: string;
  #begun: Begun;

  /** Null if the folder is in use, or had its Northwind: in the past, nothing else may happen in it. */
  static of(folder: DataFolder): Journal | null {
    const isOwn = existsSync(folder.northwind) || readdirSync(folder.state).length === 0;
    return isOwn && !existsSync(folder.demo) ? new Journal(folder.northwind) : null;
  }

  constructor(file: string) {
    this.#file = file;
    this.#begun = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as Begun)
      : { nowMs: Date.now(), done: 0, org_id: null, owner_key: null, keys: {} };
    this.moments = timeline(this.#begun.nowMs);
    this.clock = new PastClock(this.moments[this.#begun.done]?.atMs ?? Date.now());
    this.note({});
  }

  get begun(): Begun {
    return this.#begun;
  }

  note(more: Partial<Begun>): void {
    this.#begun = { ...this.#begun, ...more };
    writePrivateFile(this.#file, JSON.stringify(this.#begun));
  }

  /** It is whole, and its keys are known elsewhere. */
  end(): void {
    rmSync(this.#file, { force: true });
  }
}
