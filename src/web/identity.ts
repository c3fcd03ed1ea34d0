/** The person that a provider identified, read only from signed data. */
export interface Identity {
  /** The provider's id for the person: stable and never reused. */
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
  /** The value of `svc_role` from the provider, if any. It may not be a valid role. */
  readonly role: string | null;
}

/** Why a sign-in created no session. A closed list, so that a log line never contains what was sent. */
export type SignInFailure =
  | "address_refused"
  | "attempt_unknown"
  | "callback_without_org"
  | "connection_changed"
  | "link_unknown"
  | "provider_unreachable"
  | "provider_refused"
  | "response_malformed"
  | "response_not_for_us"
  | "signature_invalid"
  | "token_invalid";

export interface SignInRefused {
  readonly ok: false;
  readonly failure: SignInFailure;
}

export type SignIn = { readonly ok: true; readonly identity: Identity } | SignInRefused;

/** A subject is kept unchanged or not at all. Display texts are truncated, possibly within a character. */
export function acceptIdentity({ subject, email, name, role }: Identity): SignIn {
  if (!subject.isWellFormed()) return signInRefused("response_malformed");
  const shown = { email: email?.toWellFormed() ?? null, name: name?.toWellFormed() ?? null };
  return { ok: true, identity: { subject, ...shown, role } };
}

export function signInRefused(failure: SignInFailure): SignInRefused {
  return { ok: false, failure };
}
