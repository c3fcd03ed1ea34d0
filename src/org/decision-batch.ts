import type { RefusalNote } from "../domain/refusal/note.ts";
import { type Answer, ASK_ALONE, type DecidedTogether, FAILED } from "../gate/decision/decided-together.ts";
import type { DecisionVerdict } from "../gate/decision/object-verdict.ts";
import { logFailure } from "../log.ts";
import type { DecisionHandler, DecisionCall, NoteRefusals } from "./decision-handler.ts";
import { modelsOf } from "./decisions/decide.ts";
import { NeedsFetch, withoutFetching } from "../storage/needs-fetch.ts";
import type { ObjectContext } from "./object-context.ts";
import type { Clock } from "./rate-limits/meters.ts";

/** A decision that brings the isolate its answer, and what it learns from it. */
export type PlainCall = Pick<DecisionCall, "ask" | "keyId" | "wantsPlan" | "envelope">;

/** Decisions that an isolate asks for in one call. Each stands or fails alone, and they are stored as one. */
export class DecisionBatch {
  readonly #context: ObjectContext;
  readonly #decisionHandler: DecisionHandler;

  constructor(context: ObjectContext, decisionHandler: DecisionHandler) {
    this.#context = context;
    this.#decisionHandler = decisionHandler;
  }

  /** `text` is the JSON of a list of `PlainCall`. Null if all of them must be asked alone. */
  decide(text: string): DecidedTogether | null {
    const { departure, contexts, gate, refusals, due } = this.#context;
    if (!this.#context.isOpened || departure.isFrozen) return null;
    const calls = JSON.parse(text) as readonly PlainCall[];
    const clock = contexts.clock();
    const notes: RefusalNote[] = [];
    const noted = (refused: readonly RefusalNote[]) => void notes.push(...refused);
    const answers = gate.together(() => calls.map((call) => this.#one(call, clock, noted)));
    refusals.note(notes);
    due.arm();
    return { orgNow: clock.org, version: gate.version, answers };
  }

  #one({ ask, keyId, wantsPlan, envelope }: PlainCall, clock: Clock, noted: NoteRefusals): Answer {
    const call = { ask, keyId, envelope, wantsPlan, report: null };
    try {
      if (this.#context.book.missing(modelsOf(ask), clock.org).length > 0) return ASK_ALONE;
      const verdict = withoutFetching(() =>
        this.#decisionHandler.verdict(call, { clock, bookRefusal: null, noted }),
      );
      if (verdict instanceof NeedsFetch) return ASK_ALONE;
      return isPlain(verdict) ? verdict.text : { ...verdict, leases: null };
    } catch (error) {
      logFailure(envelope.trace, error);
      return FAILED;
    }
  }
}

function isPlain(verdict: DecisionVerdict): verdict is DecisionVerdict & { readonly text: string } {
  const { text, decisionPlan, rates } = verdict;
  return text !== null && decisionPlan === null && rates.length === 0;
}
