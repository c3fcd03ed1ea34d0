import type { ErrorCode } from "../contract/errors.ts";
import { isRefusal, refuse } from "../contract/refusal.ts";
import type { RefusalNote } from "../domain/refusal/note.ts";
import { callerRefusal } from "./caller.ts";
import * as COMMANDS from "./commands.ts";
import { fetchingOrRefusing } from "../storage/needs-fetch.ts";
import type { Command, Envelope, Outcome } from "./kernel/door.ts";
import { claim } from "./kernel/idempotency/records.ts";
import { transaction } from "../storage/transaction.ts";
import { perform } from "./kernel/perform/perform.ts";
import { refuseFrozen } from "./moving/freeze.ts";
import type { ObjectContext } from "./object-context.ts";
import { applySchema } from "./schema.ts";

export type CommandName = keyof typeof COMMANDS;

/** The type makes sure that callers can name nothing else. */
const ALL: Readonly<Record<CommandName, Command<never, ErrorCode>>> = COMMANDS;

export type Reservation = { readonly fence: number; readonly seed: string } | { readonly outcome: Outcome };

/** Commands that let a reader in. Their notes of that need not move. */
const GOES_ON: ReadonlySet<CommandName> = new Set(["admitSession", "admitSupport", "dropBackup"]);

/** One call of a command. */
interface CommandRequest {
  readonly name: CommandName;
  readonly command: Command<unknown, ErrorCode>;
  readonly input: unknown;
  readonly envelope: Envelope;
}

/** Performs commands: what must be waited for before, the change itself, and what follows from it. */
export class CommandHandler {
  readonly #context: ObjectContext;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  async execute(name: CommandName, input: unknown, envelope: Envelope): Promise<Outcome> {
    const command = ALL[name] as unknown as Command<unknown, ErrorCode>;
    const ask = { name, command, input, envelope };
    return this.#context.freeze.through<Outcome>(() => this.#execute(ask), refuseFrozen);
  }

  /** Takes an idempotency key before work that spans more than this object. */
  reserve(envelope: Envelope): Reservation {
    const { isOpened, departure, contexts, storage } = this.#context;
    const ask = envelope.idempotency;
    if (!isOpened || ask === null) return departure.answer({ outcome: refuse("not_found") });
    if (departure.isFrozen) return { outcome: refuseFrozen() };
    const view = contexts.view(envelope);
    const refusal = callerRefusal(view);
    if (refusal !== null) return { outcome: refusal };
    const claimed = transaction(storage, () => claim(view, ask));
    return claimed.kind === "granted"
      ? { fence: claimed.fence, seed: claimed.seed }
      : { outcome: claimed.outcome };
  }

  async #execute(ask: CommandRequest): Promise<Outcome> {
    const { name, command, input, envelope } = ask;
    const { freeze, contexts, gate, book, refusals } = this.#context;
    if (!GOES_ON.has(name)) freeze.check();
    if (!this.#context.isOpened) {
      if (name !== "openOrg") return this.#gone();
      applySchema(this.#context.storage);
      this.#context.isOpened = true;
    }
    // Others are served while it waits, so the org may leave. It does not while slices are in use.
    if (command.waitsForSlices === true) await scheduler.wait(gate.waitOutMs(contexts.clock()));
    if (command.reservations !== undefined) await contexts.holds().wait(command.reservations(input));
    if (!this.#context.isOpened) return this.#gone();
    const unread = await book.load(command.models?.(input) ?? [], contexts.now(), envelope.trace);
    if (!this.#context.isOpened) return this.#gone();
    if (unread !== null) return unread;
    const given = name === "rereadPrices" ? await book.reread(revisionOf(input)) : input;
    if (command.readsRefusals === true) refusals.store();
    const outcome = await this.#perform({ ...ask, input: given });
    if (!this.#context.isOpened || isRefusal(outcome) || envelope.isDryRun === true) return outcome;
    await this.#follow(ask);
    return outcome;
  }

  /** The org is not here: it never was, or its new home is asked. */
  #gone(): Outcome {
    return this.#context.departure.answer<Outcome>(refuse("not_found"));
  }

  /** The change. Refusals noted by a call that fails were never returned, so they are not stored. */
  async #perform({ name, command, input, envelope }: CommandRequest): Promise<Outcome> {
    const { freeze, contexts, refusals, storage } = this.#context;
    let refused: RefusalNote[] = [];
    const performed = fetchingOrRefusing(() => {
      if (!this.#context.isOpened) return this.#gone();
      if (!GOES_ON.has(name)) freeze.check();
      refused = [];
      const view = {
        ...contexts.view(envelope),
        refused: (notes: readonly RefusalNote[]) => void refused.push(...notes),
      };
      return perform(storage, view, { envelope, command, input });
    }, envelope.actor.kind === "operator");
    const outcome = performed instanceof Promise ? await performed : performed;
    if (!this.#context.isOpened) return outcome;
    refusals.note(refused);
    this.#note(name, { command, envelope, outcome });
    if (name === "advanceClock" && !isRefusal(outcome)) await this.#context.due.settle();
    return outcome;
  }

  #note(
    name: CommandName,
    { command, envelope, outcome }: Pick<CommandRequest, "command" | "envelope"> & { outcome: Outcome },
  ): void {
    const { pulse, gate, contexts, due } = this.#context;
    if (command.action !== null) pulse.beat();
    if (envelope.counted !== undefined && isTurnedAway(outcome)) {
      gate.giveBack(envelope.counted, envelope.actor.id, contexts.clock());
    }
    if (name === "openOrg" && !isRefusal(outcome)) this.#context.notePepperChange();
    due.arm();
  }

  /** The caller is answered once what the change replaced is out of use everywhere. */
  async #follow({ command, input }: CommandRequest): Promise<void> {
    const { due, gate, contexts, granted } = this.#context;
    if (command.publishes !== undefined) await due.runNow("publish", command.publishes);
    const { changesLimits = () => false } = command;
    const isChanged = changesLimits === true || changesLimits(input);
    const slicesMs = isChanged ? gate.changed(contexts.clock()) : 0;
    const loser = command.takesAway?.(input) ?? null;
    const ms = Math.max(slicesMs, loser === null ? 0 : granted.outdatedAt(loser) - Date.now());
    if (ms > 0) await scheduler.wait(ms);
  }
}

/** Refused by a limit or rule. A malformed call counts as served. */
function isTurnedAway(outcome: Outcome): boolean {
  return outcome.code !== null && outcome.code !== "validation_failed";
}

function revisionOf(input: unknown): number {
  return (input as { revision: number }).revision;
}
