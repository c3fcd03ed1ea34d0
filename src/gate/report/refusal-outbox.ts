import { type WireBatch, writeBatch } from "../../domain/refusal/batch.ts";
import type { RefusalNote } from "../../domain/refusal/note.ts";
import { namesOf } from "../../domain/refusal/names.ts";
import { RefusalSums } from "../../domain/refusal/sums.ts";

/** The longest wait before refusals are reported. */
const REPORT_AFTER_MS = 1000;
/** The maximum of one org that waits to be reported in detail. The rest is counted. */
const MOST_NOTES = 2000;
const MOST_BYTES = 524_288;
const MOST_GROUPS = 500;
/** The maximum for all orgs of a host: about 10 MB. */
const MOST_OF_ALL = 20_000;
const NOTE_BYTES = 120;

/** A batch as it is sent, with its number: the object takes each once. */
export interface NumberedBatch {
  readonly number: number;
  readonly batch: WireBatch;
}

/** How many refusals all gates of a host keep waiting. */
export class WaitingTotal {
  notes = 0;
}

/**
 * One org's refusals in an isolate that are not reported yet. Above the maximum they are counted exactly, and no longer
 * stored one by one. One batch is in transit at a time, and is sent again until the object confirms it.
 */
export class RefusalOutbox {
  #notes: RefusalNote[] = [];
  #more = new RefusalSums(MOST_GROUPS);
  #bytes = 0;
  #since: number | null = null;
  #sent: NumberedBatch | null = null;
  #number = 0;
  readonly #total: WaitingTotal;

  constructor(total: WaitingTotal) {
    this.#total = total;
  }

  get isEmpty(): boolean {
    return this.#sent === null && this.#since === null;
  }

  isDue(now: number): boolean {
    if (this.#sent !== null || this.isPressing) return true;
    return this.#since !== null && now >= this.#since + REPORT_AFTER_MS;
  }

  /** Returns whether half of the maximum is waiting. While a batch is in transit, nothing can be done about it. */
  get isPressing(): boolean {
    if (this.#sent !== null) return false;
    return (
      this.#notes.length * 2 >= MOST_NOTES ||
      this.#bytes * 2 >= MOST_BYTES ||
      this.#more.size * 2 >= MOST_GROUPS
    );
  }

  note(note: RefusalNote, now: number): void {
    this.#since ??= now;
    const bytes = weigh(note);
    const fits = this.#notes.length < MOST_NOTES && this.#bytes + bytes <= MOST_BYTES;
    if (!fits || this.#total.notes >= MOST_OF_ALL) {
      this.#more.addNote(note);
      return;
    }
    this.#notes.push(note);
    this.#bytes += bytes;
    this.#total.notes += 1;
  }

  /** Returns what to report now: the batch in transit, otherwise everything that waits. */
  batch(): NumberedBatch | null {
    if (this.#sent !== null || this.#since === null) return this.#sent;
    this.#number += 1;
    const batch = writeBatch({ notes: this.#notes, more: [...this.#more.entries()] });
    this.#sent = { number: this.#number, batch };
    this.#notes = [];
    this.#more = new RefusalSums(MOST_GROUPS);
    this.#bytes = 0;
    this.#since = null;
    return this.#sent;
  }

  /** The object has the batch with this number. */
  acknowledged(number: number): void {
    if (this.#sent === null || number < this.#sent.number) return;
    this.#total.notes -= this.#sent.batch.notes.length;
    this.#sent = null;
  }
}

function weigh(note: RefusalNote): number {
  let bytes = NOTE_BYTES + note.details.length + note.limit.length;
  for (const text of Object.values(namesOf(note, ""))) bytes += text.length;
  return bytes;
}
