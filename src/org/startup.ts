import { PLATFORM_ORG_ID } from "../contract/platform-org.ts";
import { logFailure } from "../log.ts";
import { Arrival } from "./backup/arrival.ts";
import { publishGrants } from "./backup/import.ts";
import type { CommandHandler } from "./command-handler.ts";
import type { View } from "./kernel/door.ts";
import { type ObjectContext, SYSTEM } from "./object-context.ts";
import { readMissedPlanTerms } from "./plans/reread.ts";
import { isOpened, stepsOf } from "./schema.ts";

/** The work of an object when it comes into memory, and when its org has just come from an archive. */
export class Startup {
  readonly #context: ObjectContext;
  readonly #commandHandler: CommandHandler;

  constructor(context: ObjectContext, commandHandler: CommandHandler) {
    this.#context = context;
    this.#commandHandler = commandHandler;
  }

  wake(): void {
    const { ctx, departure, due, id, isOpened: isHere, isUpgraded } = this.#context;
    if (!isHere) ctx.waitUntil(departure.unlist().catch((error) => logFailure("moved", error)));
    const isChanged = isHere && !departure.isFrozen && this.#context.notePepperChange();
    // An upgrade may leave work that is due at once, even if only reads arrive.
    if (isUpgraded || isChanged) due.arm();
    if (isHere && id !== PLATFORM_ORG_ID) ctx.waitUntil(this.#rereadPlatform());
  }

  arrival(): Arrival {
    const { storage, id, settings, contexts } = this.#context;
    return new Arrival(storage, {
      orgId: id,
      settings,
      isOpened: () => this.#context.isOpened,
      setOpened: (opened) => (this.#context.isOpened = opened),
      holdsOrg: () => isOpened(storage.sql),
      steps: () => stepsOf(storage),
      view: (envelope) => contexts.view(envelope),
      arrived: (view) => this.#arrived(view),
    });
  }

  async #arrived(view: View): Promise<void> {
    const { departure, due, env, ctx, gate, granted } = this.#context;
    const now = Date.now();
    gate.begin(now);
    granted.begin(now);
    departure.returned();
    due.arm();
    await publishGrants(env, view);
    await due.runNow("publish", "profile");
    ctx.waitUntil(this.#rereadPlatform());
  }

  /** Changes that were pushed while the object was unreachable are found when it wakes. No call waits for that. */
  async #rereadPlatform(): Promise<void> {
    const { book, env, contexts } = this.#context;
    const trace = `wake-${crypto.randomUUID()}`;
    const alone = { actor: SYSTEM, trace, idempotency: null, ifMatch: null };
    try {
      const revision = await book.hasMissed();
      if (revision !== null) await this.#commandHandler.execute("rereadPrices", { revision }, alone);
      const terms = await readMissedPlanTerms(env.DB, contexts.view(alone));
      if (terms === null) return;
      await this.#commandHandler.execute("setPlanTerms", terms, alone);
    } catch (error) {
      logFailure(trace, error);
    }
  }
}
