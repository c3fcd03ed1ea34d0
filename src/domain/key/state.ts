import { DAY_MS } from "../../contract/durations.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";

/** Decides whether an authenticated key may be used at a time of its org's clock. */
export interface KeyState {
  readonly revoked: boolean;
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** Revocation comes first, because it is permanent. */
export function keyProblem(
  { revoked, notBefore, expiresAt }: KeyState,
  now: number,
): "gone" | "key_expired" | null {
  if (revoked) return "gone";
  if (expiresAt !== null && expiresAt <= now) return "key_expired";
  return notBefore !== null && notBefore > now ? "key_expired" : null;
}

/** Returns whether a key could be used once and no longer can. One that is not valid yet has not ended. */
export function hasEnded({ revoked, expiresAt }: Omit<KeyState, "notBefore">, now: number): boolean {
  return revoked || (expiresAt !== null && expiresAt <= now);
}

/** How long a key may finish what it began, after it expired or was revoked. */
const FINISHING_MS = DAY_MS;

/** Returns whether a key that has ended may still finish what it began. */
export function mayFinish(
  { revokedAt, expiresAt }: { readonly revokedAt: number | null; readonly expiresAt: number | null },
  now: number,
): boolean {
  const ends = [revokedAt, expiresAt].filter((at) => at !== null);
  const end = ends.length === 0 ? null : Math.min(...ends);
  return end !== null && end <= now && now < end + FINISHING_MS;
}

export function refuseKey(problem: "gone" | "key_expired"): Refusal<"gone" | "key_expired"> {
  return problem === "gone"
    ? refuse("gone", {}, { message: "This API key is revoked." })
    : refuse("key_expired");
}
