/** What decides whether a key that is proven may be used, at a moment of its org's clock. */
export interface KeyState {
  readonly revoked: boolean;
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** Revoked comes first: it is for good, whatever the times say. */
export function keyProblem(
  { revoked, notBefore, expiresAt }: KeyState,
  now: number,
): "gone" | "key_expired" | null {
  if (revoked) return "gone";
  if (expiresAt !== null && expiresAt <= now) return "key_expired";
  return notBefore !== null && notBefore > now ? "key_expired" : null;
}
