import { SAML, type SamlConfig, ValidateInResponseTo } from "@node-saml/node-saml";

import { certificatesIn } from "../../domain/people/certificate.ts";

export interface SamlConnection {
  readonly idpEntityId: string;
  readonly idpSsoUrl: string;
  /** One or more certificates, as PEM. There are several while the provider rotates them. */
  readonly idpCertificate: string;
}

/** The URLs under which an org's provider knows this service. */
export interface ServiceAddresses {
  readonly entityId: string;
  readonly acsUrl: string;
}

/**
 * The library, configured so that time, request id and recipient are left to the rules in `assertion.ts`: it reads the
 * wall clock, keeps ids in memory and does not know the recipient. It checks signatures and the audience itself.
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
