import type { IntroductionReply, Introduction } from "../gate/snapshot/introduction.ts";
import type { Snapshot } from "../gate/snapshot/snapshot.ts";
import { callerRefusal } from "./caller.ts";
import type { DecisionHandler } from "./decision-handler.ts";
import { envelopeOf, isServedWhereItArrived } from "./decisions/introduction.ts";
import { rehash } from "./keys/rehash.ts";
import { noteUse } from "./keys/uses.ts";
import { isMoved } from "./moving/moved.ts";
import { loadProfile } from "./orgs/store.ts";
import type { ObjectContext } from "./object-context.ts";
import { keySnapshot, orgSnapshot } from "./snapshots/snapshot.ts";

/** Tells isolates which keys there are. */
export class Authenticator {
  readonly #context: ObjectContext;
  readonly #decisionHandler: DecisionHandler;

  constructor(context: ObjectContext, decisionHandler: DecisionHandler) {
    this.#context = context;
    this.#decisionHandler = decisionHandler;
  }

  authenticate(keyId: string, digest: string): Snapshot | null {
    const { storage, departure, settings, granted, publisher } = this.#context;
    const asked = Date.now();
    const profile = this.#context.isOpened ? loadProfile(storage.sql) : null;
    if (profile === null) return departure.answer(null);
    const key = keySnapshot(storage.sql, asked + profile.clockOffsetMs, keyId, digest);
    if (key === null) return null;
    const { isFrozen } = departure;
    if (!isFrozen) rehash(storage, keyId, digest, settings);
    granted.note(keyId, asked);
    if (!key.revoked && !isFrozen) noteUse(storage.sql, keyId, asked + profile.clockOffsetMs);
    publisher.called(asked);
    return { org: orgSnapshot({ sql: storage.sql, settings }, profile), key };
  }

  async introduce(keyId: string, digest: string, asked: Introduction): Promise<IntroductionReply | null> {
    const snapshot = this.authenticate(keyId, digest);
    if (snapshot === null) return null;
    if (isMoved(snapshot)) return this.#context.departure.answer(null);
    const envelope = envelopeOf(snapshot, digest, asked);
    const isRefused = callerRefusal(this.#context.contexts.view(envelope)) !== null;
    if (isRefused || !isServedWhereItArrived(snapshot, asked)) return { snapshot, reply: null };
    const { ask } = asked;
    const reply = await this.#decisionHandler.decide({
      ask,
      keyId,
      wantsPlan: false,
      envelope,
      report: null,
    });
    // The org may have left while the decision waited. Its new home knows the key, too.
    return isMoved(reply) ? this.#context.departure.answer(null) : { snapshot, reply };
  }
}
