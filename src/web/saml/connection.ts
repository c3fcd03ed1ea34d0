import { SAML, type SamlConfig, ValidateInResponseTo } from "@node-saml/node-saml";

import { certificatesIn } from "../../domain/certificate.ts";

export interface SamlConnection {
  readonly idpEntityId: string;
  readonly idpSsoUrl: string;
  /** One certificate or several, as PEM: several while the provider changes from one to the next. */
  readonly idpCertificate: string;
}

/** The addresses under which this service is known to an org's provider. */
export interface ServiceAddresses {
  readonly entityId: string;
  readonly acsUrl: string;
}

/**
 * The library, set so that time, the request's id and the recipient are left to the rules in `assertion.ts`: it reads
 * the wall clock, keeps ids in memory and does not know the recipient. Signatures and the audience are its own.
 */
export function samlLibrary(
  connection: SamlConnection,
  service: ServiceAddresses,
  extra: Partial<SamlConfig> = {},
): SAML {
  return new SAML({
    issuer: service.entityId,
    audience: service.entityId,
    callbackUrl: service.acsUrl,
    entryPoint: connection.idpSsoUrl,
    idpCert: certificatesIn(connection.idpCertificate),
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: -1,
    ...extra,
  });
}
