import type { KeyRole } from "../../contract/access.ts";
import { refuse } from "../../contract/refusal.ts";
import { oidcRedirectUri } from "../../domain/redirect-uri.ts";
import { seal, unseal } from "../../domain/seal.ts";
import { command, done, query, type View } from "../door.ts";

/** How the people of an org sign in: one connection, its secret sealed at rest. */

const PURPOSE = "sso-connection";

interface Common {
  readonly defaultRole: Exclude<KeyRole, "owner">;
}
export type OidcSettings = Common & {
  readonly kind: "oidc";
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};
export type SamlSettings = Common & {
  readonly kind: "saml";
  readonly idpEntityId: string;
  readonly idpSsoUrl: string;
  readonly idpCertificate: string;
};
export type SsoSettings = OidcSettings | SamlSettings;

function load(view: View): { settings: SsoSettings; updatedAt: number } | null {
  const [row] = view.sql
    .exec<{ sealed: string; updated_at: number }>("SELECT sealed, updated_at FROM sso")
    .toArray();
  if (row === undefined) return null;
  const text = unseal(view.settings.SVC_KEY_PEPPER, PURPOSE, row.sealed);
  return { settings: JSON.parse(text) as SsoSettings, updatedAt: row.updated_at };
}

function shown(view: View, settings: SsoSettings, updatedAt: number): object {
  const base = view.settings.SVC_BASE_URL;
  const common = {
    kind: settings.kind,
    default_role: settings.defaultRole,
    updated_at: new Date(updatedAt).toISOString(),
  };
  if (settings.kind === "oidc") {
    return {
      ...common,
      issuer: settings.issuer,
      client_id: settings.clientId,
      client_secret_last4: settings.clientSecret.slice(-4),
      sign_in_url: `${base}/sso/login?org=${view.orgId}`,
      redirect_uri: oidcRedirectUri(base, view.orgId),
    };
  }
  return {
    ...common,
    idp_entity_id: settings.idpEntityId,
    idp_sso_url: settings.idpSsoUrl,
    idp_certificate: settings.idpCertificate,
    sign_in_url: `${base}/saml/${view.orgId}/login`,
    metadata_url: `${base}/saml/${view.orgId}/metadata`,
    acs_url: `${base}/saml/${view.orgId}/acs`,
  };
}

export const getSso = query({
  refuses: ["not_found"],
  run(view, _input: object) {
    const stored = load(view);
    return stored === null ? refuse("not_found") : shown(view, stored.settings, stored.updatedAt);
  },
});

/** With the secret: for the sign-in itself, never for an answer of the API. */
export const ssoSettings = query({
  refuses: ["not_found"],
  run(view, _input: object) {
    return load(view)?.settings ?? refuse("not_found");
  },
});

export const putSso = command({
  action: "sso.changed",
  refuses: ["conflict"],
  current(view, _input: SsoSettings) {
    const stored = load(view);
    return stored === null ? null : shown(view, stored.settings, stored.updatedAt);
  },
  run(tx, input) {
    const sealed = seal(tx.settings.SVC_KEY_PEPPER, PURPOSE, JSON.stringify(input));
    tx.sql.exec(
      `INSERT INTO sso (only, kind, sealed, updated_at) VALUES (1, ?, ?, ?)
       ON CONFLICT (only) DO UPDATE SET kind = excluded.kind, sealed = excluded.sealed, updated_at = excluded.updated_at`,
      input.kind,
      sealed,
      tx.now,
    );
    const provider = input.kind === "oidc" ? input.issuer : input.idpEntityId;
    const detail = { kind: input.kind, provider, default_role: input.defaultRole };
    return done(200, shown(tx, input, tx.now), { target: tx.orgId, detail });
  },
});
