import {
  type BodyHold,
  BodyMemory,
  type BodyOwner,
  LEAST_BODIES,
  unprovenOwner,
} from "../domain/body/body-memory.ts";
import { firstBytes, readWhole } from "../domain/body/read.ts";
import { type Timer, UnreadBody } from "../domain/body/timed.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { SluiceError } from "../client/errors.ts";
import type { KeyGate } from "./key-gate.ts";
import type { ProxyOptions } from "./options.ts";

const USUAL = {
  mostBodyBytes: 33_554_432,
  mostBodiesBytes: 67_108_864,
  bodyTimeoutMs: 60_000,
} as const;

/** Longer than a provider takes to begin its answer. */
const LONGEST_HOLD_MS = 900_000;
/** A runtime ends a call half a minute after its caller has left. */
const AFTER_LEAVE_MS = 30_000;

/** A body that was read whole. */
export interface HeldBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gives its memory back. */
  release(): void;
}

type ProvenKey = Pick<KeyGate, "orgId" | "keyId" | "isProven" | "prove">;

/** The bodies of the calls that a proxy serves at once. */
export class ProxyBodies {
  readonly #mostBytes: number;
  readonly #deadlineMs: number;
  readonly #timer: Timer;
  readonly #memory: BodyMemory;

  constructor(options: ProxyOptions, timer: Timer) {
    const { mostBodyBytes, mostBodiesBytes, bodyTimeoutMs } = { ...USUAL, ...given(options) };
    if (mostBodiesBytes < LEAST_BODIES * mostBodyBytes)
      throw new SluiceError(
        "mostBodiesBytes (PROXY_MAX_BODIES_BYTES) must be at least twice mostBodyBytes (PROXY_MAX_BODY_BYTES)",
      );
    this.#mostBytes = mostBodyBytes;
    this.#deadlineMs = bodyTimeoutMs;
    this.#timer = timer;
    this.#memory = new BodyMemory(mostBodiesBytes, {
      longestHoldMs: LONGEST_HOLD_MS,
      now: () => timer.now(),
    });
  }

  /**
   * The whole body, which counts for its key once that is proven, and until then for its caller's address. Rejects with
   * what a proof rejects with. An upload that breaks off, or is too slow, is refused like any other body that cannot be read.
   */
  async read(request: Request, gate: ProvenKey): Promise<HeldBody | WireRefusal> {
    const owner = { org: gate.orgId, key: gate.keyId };
    const prove = async (): Promise<BodyOwner> => {
      await gate.prove();
      return owner;
    };
    const address = request.headers.get("cf-connecting-ip") ?? "";
    const hold = this.#memory.hold(gate.isProven ? owner : unprovenOwner(address), firstBytes(request));
    if (hold === null) return refuseUnread("full", this.#deadlineMs);
    try {
      const bounds = { mostBytes: this.#mostBytes, deadlineMs: this.#deadlineMs, timer: this.#timer };
      const bytes = await readWhole(request, { ...bounds, hold, prove });
      if (bytes !== null) return { bytes, release: this.#releaseWith(request, hold) };
      hold.release();
      return tooLarge(this.#mostBytes);
    } catch (error) {
      hold.release();
      if (error instanceof UnreadBody) return refuseUnread(error.reason, this.#deadlineMs);
      throw error;
    }
  }

  #releaseWith({ signal }: Request, hold: BodyHold): () => void {
    const onLeave = () => hold.endBy(this.#timer.now() + AFTER_LEAVE_MS);
    signal.addEventListener("abort", onLeave, { once: true });
    return () => {
      signal.removeEventListener("abort", onLeave);
      hold.release();
    };
  }
}

/** The options that are set: one that is undefined is not. */
function given({
  mostBodyBytes,
  mostBodiesBytes,
  bodyTimeoutMs,
}: ProxyOptions): Partial<Record<keyof typeof USUAL, number>> {
  return {
    ...(mostBodyBytes === undefined ? {} : { mostBodyBytes }),
    ...(mostBodiesBytes === undefined ? {} : { mostBodiesBytes }),
    ...(bodyTimeoutMs === undefined ? {} : { bodyTimeoutMs }),
  };
}

function tooLarge(mostBytes: number): WireRefusal {
  const message = `The body is larger than ${mostBytes} bytes, which is the most that this proxy takes.`;
  return { status: 413, code: "payload_too_large", message, details: {} };
}

function refuseUnread(reason: UnreadBody["reason"], deadlineMs: number): WireRefusal {
  if (reason === "full") {
    const message = "This proxy holds as many bodies as it has memory for. Try again in a moment.";
    return { status: 503, code: "service_unavailable", message, details: {}, retryAfterMs: 1000 };
  }
  const message =
    reason === "broken"
      ? "The body was broken off before its end. Send the call again."
      : `The body took too long to arrive: send at least 4 KiB a second, and all of it within ${deadlineMs / 1000} seconds.`;
  return { status: 400, code: "bad_request", message, details: {} };
}
