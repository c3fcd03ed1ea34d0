import { type Refusal, refuse } from "../../contract/refusal.ts";
import {
  type BodyHold,
  BodyMemory,
  type BodyOwner,
  LEAST_BODIES,
  unprovenOwner,
} from "../../domain/body/body-memory.ts";
import { firstBytes, readWhole } from "../../domain/body/read.ts";
import { UnreadBody } from "../../domain/body/timed.ts";
import { bodyTimer } from "../../body-timer.ts";
import type { Settings } from "../../settings.ts";
import { callerAddress } from "./call.ts";

/** How long a body may take to arrive, however fast it comes. */
export const BODY_BOUNDS = { timer: bodyTimer, deadlineMs: 60_000 } as const;
/** Longer than a call takes, its body included. */
const LONGEST_HOLD_MS = 120_000;
/** A call takes about three times its body, and an isolate has 128 MiB for everything. */
const MEMORY_BYTES = 32 * 1_048_576;
const BUSY_SECONDS = 1;

const memories = new WeakMap<Settings, BodyMemory>();

function memoryOf(settings: Settings): BodyMemory {
  const known = memories.get(settings);
  if (known !== undefined) return known;
  const { SVC_MAX_BODY_BYTES: body, SVC_MAX_BULK_BODY_BYTES: bulk } = settings;
  const bytes = Math.max(MEMORY_BYTES, LEAST_BODIES * Math.max(body, bulk));
  const made = new BodyMemory(bytes, { longestHoldMs: LONGEST_HOLD_MS, now: () => bodyTimer.now() });
  memories.set(settings, made);
  return made;
}

/** Takes memory for a body before it is read. Throws `UnreadBody` if there is none. */
export function holdBody(request: Request, settings: Settings, owner: BodyOwner): BodyHold {
  const hold = memoryOf(settings).hold(owner, firstBytes(request));
  if (hold === null) throw new UnreadBody("full");
  return hold;
}

export function readHeld(
  request: Request,
  mostBytes: number,
  hold: BodyHold,
): Promise<Uint8Array<ArrayBuffer> | null> {
  return readWhole(request, { ...BODY_BOUNDS, mostBytes, hold });
}

/** The body of a request whose caller is not known yet. Null if it is longer than `mostBytes`. Throws `UnreadBody`. */
export async function readBounded(
  request: Request,
  mostBytes: number,
  settings: Settings,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const hold = holdBody(request, settings, unprovenOwner(callerAddress(request)));
  try {
    return await readHeld(request, mostBytes, hold);
  } finally {
    hold.release();
  }
}

const UNREAD: Readonly<Record<"broken" | "late", string>> = {
  // Mostly for the log, because the client is usually gone. It is not a failure of the service.
  broken: "The request body was cut off. Send the request again.",
  late: "The request body took too long to arrive: send at least 4 KiB a second, and all of it within 60 seconds.",
};

export function refuseUnread({ reason }: UnreadBody): Refusal<"bad_request" | "service_unavailable"> {
  if (reason !== "full") return refuse("bad_request", {}, { message: UNREAD[reason] });
  const message = "Too many request bodies are in flight here. Try again in a moment.";
  return refuse("service_unavailable", {}, { message, retryAfterSeconds: BUSY_SECONDS });
}
