import type { RefusalNote } from "../domain/refusal-note.ts";
import type { DecisionVerdict } from "../gate/object-verdict.ts";
import { logFailure } from "../log.ts";
import { type Answer, ASK_ALONE, type DecidedTogether, FAILED } from "../gate/decided-together.ts";
import type { DecisionCall, Deciding, Noted } from "./deciding.ts";
import { modelsOf } from "./decisions/decide.ts";
import { Absent } from "./kernel/absent.ts";
import type { Parts } from "./parts.ts";
import type { Clock } from "./rate-limits/meters.ts";

/** Decisions that an isolate asks for in one call. Each stands or fails alone, and they are stored as one. */
export class DecidingTogether {
  readonly #parts: Parts;
  readonly #deciding: Deciding;

  constructor(parts: Parts, deciding: Deciding) {
    this.#parts = parts;
    this.#deciding = deciding;
  }

  /** `text` is the JSON of a list of `DecisionCall`. Null if all of them must be asked alone. */
  decide(text: string): DecidedTogether | null {
    const { departure, views, gate, refusals, due } = this.#parts;
    if (!this.#parts.isOpened || departure.isFrozen) return null;
    const calls = JSON.parse(text) as readonly DecisionCall[];
    const clock = views.clock();
    const notes: RefusalNote[] = [];
    const noted = (refused: readonly RefusalNote[]) => void notes.push(...refused);
    const verdicts = gate.together(() => calls.map((call) => this.#one(call, clock, noted)));
    refusals.note(notes);
    due.arm();
    // A report may read the tables, so it comes after what was decided is stored.
    const answers = verdicts.map((verdict, index) => this.#withReport(verdict, calls[index]));
    return { orgNow: clock.org, version: gate.version, answers };
  }

  #one(call: DecisionCall, clock: Clock, noted: Noted): DecisionVerdict | typeof ASK_ALONE | typeof FAILED {
    const { ask, envelope } = call;
    try {
      if (this.#parts.book.missing(modelsOf(ask), clock.org).length > 0) return ASK_ALONE;
      return this.#deciding.verdict(call, { clock, unlearned: null, noted });
    } catch (error) {
      if (error instanceof Absent) return ASK_ALONE;
      logFailure(envelope.trace, error);
      return FAILED;
    }
  }

  #withReport(
    verdict: DecisionVerdict | typeof ASK_ALONE | typeof FAILED,
    call: DecisionCall | undefined,
  ): Answer {
    if (verdict === ASK_ALONE || verdict === FAILED) return verdict;
    const report = call?.report ?? null;
    if (report !== null) {
      return { ...verdict, leases: this.#deciding.carriedReport(report, call?.envelope.trace ?? "") };
    }
    return isPlain(verdict) ? verdict.text : { ...verdict, leases: null };
  }
}

function isPlain(verdict: DecisionVerdict): verdict is DecisionVerdict & { readonly text: string } {
  const { text, lesson, fullLesson, rates } = verdict;
  return text !== null && lesson === null && fullLesson === undefined && rates.length === 0;
}
