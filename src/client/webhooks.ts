import { SluiceError } from "./errors.ts";
import type { Event } from "./generated/types.ts";

export type EventKind = Event["type"];

/** An event by its kind: switch on `type`. New kinds may be added, so have a default. */
export type WebhookEvent<K extends EventKind = EventKind> = {
  [T in K]: Omit<Event, "type"> & { readonly type: T };
}[K];

export type WebhookProblem =
  | "missing_signature"
  | "malformed_signature"
  | "wrong_version"
  | "too_old"
  | "too_new"
  | "no_match"
  | "malformed_body";

/** Why a delivery must not be trusted. Answer it with 400. */
export class WebhookError extends SluiceError {
  override name = "WebhookError";
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

export interface VerifyOptions {
  /** How far the time of a signature may be from now. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** 2 is signed with the webhook's own secret; 1, which is deprecated and has no time in it, with the org's. Default: both. */
  readonly versions?: readonly (1 | 2)[] | undefined;
  /** Milliseconds since the epoch. Default: the clock's. */
  readonly now?: number | undefined;
}

type RawBody = string | ArrayBuffer | Uint8Array;
type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const HEADER = "x-svc-signature";
const TIME = /^\d{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;
/** A delivery carries one for each secret that lives, and few do at a time. */
const MOST_SIGNATURES = 20;

/**
 * Checks that a delivery comes from Sluice and is new, and returns its event. The body is the raw one, as it came. The secret
 * is the whole text that starts with `whsec_`; while you move from one to another, pass both.
 */
export async function verify(
  body: RawBody,
  headers: GivenHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const { time, signatures } = signatureIn(headers);
  if (!(options.versions ?? [1, 2]).includes(time === null ? 1 : 2)) {
    throw new WebhookError(
      "wrong_version",
      `signatures of version ${time === null ? 1 : 2} are not accepted`,
    );
  }
  if (time !== null) checkTime(Number(time), options);
  const signed = time === null ? bytes : joined(new TextEncoder().encode(`${time}.`), bytes);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    if (await isSigned(one, signed, signatures)) return eventIn(bytes);
  }
  const hint = "check that the secret is this webhook's and that the body is the raw one";
  throw new WebhookError("no_match", `no signature matches: ${hint}`);
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return Uint8Array.from(new TextEncoder().encode(body));
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookError(
    "malformed_body",
    "the body must be the raw text or bytes, as they came, not parsed",
  );
}

function headerIn(headers: GivenHeaders): string {
  if (headers instanceof Headers) return headers.get(HEADER) ?? "";
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
  return typeof found === "string" ? found : (found?.join(",") ?? "");
}

function signatureIn(headers: GivenHeaders): { time: string | null; signatures: readonly string[] } {
  const header = headerIn(headers);
  if (header === "")
    throw new WebhookError("missing_signature", "the delivery has no X-Svc-Signature header");
  const parts = header.split(",").map((part) => part.trim().split("="));
  const times = parts.filter(([name]) => name === "t").map(([, value = ""]) => value);
  const signatures = parts.filter(([name]) => name === "v1").map(([, value = ""]) => value);
  const isWhole =
    times.length <= 1 &&
    times.every((time) => TIME.test(time)) &&
    signatures.length > 0 &&
    signatures.length <= MOST_SIGNATURES &&
    signatures.every((signature) => SIGNATURE.test(signature));
  if (isWhole) return { time: times[0] ?? null, signatures };
  const forms = "t=<seconds>,v1=<hex> or v1=<hex>";
  throw new WebhookError("malformed_signature", `X-Svc-Signature is not of the form ${forms}`);
}

function checkTime(seconds: number, { toleranceSeconds = 300, now = Date.now() }: VerifyOptions): void {
  const age = now / 1000 - seconds;
  const said = `signed ${Math.abs(Math.round(age))} s ${age < 0 ? "ahead of this clock" : "ago"}`;
  if (age > toleranceSeconds)
    throw new WebhookError("too_old", `${said}, and at most ${toleranceSeconds} s count`);
  if (age < -toleranceSeconds) throw new WebhookError("too_new", `${said}: is the clock right?`);
}

/** The runtime compares in constant time. */
async function isSigned(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, [
    "verify",
  ]);
  let isAny = false;
  for (const signature of signatures) {
    const matches = await crypto.subtle.verify("HMAC", key, fromHex(signature), signed);
    isAny ||= matches;
  }
  return isAny;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  );
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

function eventIn(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  } catch {
    throw new WebhookError("malformed_body", "the body is signed, and is not JSON");
  }
}
