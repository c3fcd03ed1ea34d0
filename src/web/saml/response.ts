import { type SignIn, acceptIdentity, signInRefused } from "../identity.ts";
import { assertionHolds, readAttribute, readSubject } from "./assertion.ts";
import { samlLibrary, type SamlConnection, type ServiceAddresses } from "./connection.ts";
import { readEnvelope } from "./envelope.ts";
import type { SamlAttempt } from "./request.ts";

const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";

const EMAIL = [
  "email",
  "mail",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  "urn:oid:0.9.2342.19200300.100.1.3",
];
const NAME = [
  "name",
  "displayName",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
  "urn:oid:2.16.840.1.113730.3.1.241",
];

/** Checks a posted response. Only a response to this sign-in is accepted, never an unsolicited one. */
export async function finishSaml({
  connection,
  service,
  attempt,
  sent,
  nowMs,
}: {
  readonly connection: SamlConnection;
  readonly service: ServiceAddresses;
  readonly attempt: SamlAttempt;
  readonly sent: string;
  readonly nowMs: number;
}): Promise<SignIn> {
  if (attempt.idpEntityId !== connection.idpEntityId) return signInRefused("connection_changed");
  const envelope = readEnvelope(sent);
  if (envelope === null) return signInRefused("response_malformed");
  if (envelope.status !== SUCCESS) return signInRefused("provider_refused");
  if (envelope.destination !== service.acsUrl || envelope.inResponseTo !== attempt.requestId) {
    return signInRefused("response_not_for_us");
  }
  const verified = await verifiedAssertion(connection, service, envelope.xml);
  if (verified === null) return signInRefused("signature_invalid");
  const holds = assertionHolds(verified, {
    idpEntityId: connection.idpEntityId,
    audience: service.entityId,
    recipient: service.acsUrl,
    requestId: attempt.requestId,
    nowMs,
  });
  if (!holds) return signInRefused("response_not_for_us");
  const subject = readSubject(verified);
  const email = readAttribute(verified, EMAIL) ?? (subject.includes("@") ? subject : null);
  const [name, role] = [readAttribute(verified, NAME), readAttribute(verified, ["svc_role"])];
  return acceptIdentity({ subject, email, name, role });
}

/** The assertion, parsed again from exactly the bytes that the signature covers. */
async function verifiedAssertion(
  connection: SamlConnection,
  service: ServiceAddresses,
  xml: string,
): Promise<unknown> {
  const SAMLResponse = Buffer.from(xml).toString("base64");
  try {
    const { profile } = await samlLibrary(connection, service).validatePostResponseAsync({ SAMLResponse });
    return profile?.getAssertion?.() ?? null;
  } catch {
    return null;
  }
}
