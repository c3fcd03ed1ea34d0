import { type Refusal, refuse } from "../contract/refusal.ts";

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

export function refuseKey(problem: "gone" | "key_expired"): Refusal<"gone" | "key_expired"> {
  return problem === "gone"
    ? refuse("gone", {}, { message: "This API key is revoked." })
    : refuse("key_expired");
}
