import { createHash } from "node:crypto";
import type { KeyRole } from "../../contract/access.ts";
import { refuse } from "../../contract/refusal.ts";
import type { SsoConnection } from "../../contract/resources/sso.ts";
import { ENTRY_PROBLEMS } from "../../domain/network/access.ts";
import { oidcRedirectUri } from "../../domain/people/redirect-uri.ts";
import { encrypt, decryptAny, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { trustsAsBefore } from "../../domain/people/sso-trust.ts";
import { peppersOf } from "../../settings.ts";
import { command, done, query, type Tx, type View } from "../kernel/door.ts";
import { entryProblemOf } from "./entry.ts";
import { saveRow } from "../../storage/rows.ts";

/** How the people of an org sign in: one connection, with its secret encrypted at rest. */

/** Shown instead of a secret's last characters, because no part of it is ever returned. */
const HIDDEN = "****";

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

interface StoredConnection {
  readonly settings: SsoSettings;
  readonly updatedAt: number;
  /** Changes with each change of the connection, so that sign-ins of the old and the new one are distinguished. */
  readonly mark: string;
}

function load(view: View): StoredConnection | null {
  const [row] = view.sql
    .exec<{ sealed: string; updated_at: number }>("SELECT sealed, updated_at FROM sso")
    .toArray();
  if (row === undefined) return null;
  const text = decryptAny(peppersOf(view.settings), ENCRYPTED_FOR.ssoConnection, row.sealed);
  const mark = createHash("sha256").update(`${row.updated_at} ${text}`).digest("hex");
  return { settings: JSON.parse(text) as SsoSettings, updatedAt: row.updated_at, mark };
}

/** The text by which sessions name the connection. */
function providerOf(settings: SsoSettings): string {
  return settings.kind === "oidc" ? settings.issuer : settings.idpEntityId;
}

function endSessionsOf(tx: Tx, settings: SsoSettings): number {
  const ended = tx.sql.exec(
    "UPDATE sessions SET revoked_at = ? WHERE provider = ? AND revoked_at IS NULL RETURNING id",
    tx.now,
    providerOf(settings),
  );
  return ended.toArray().length;
}

function shown(view: View, settings: SsoSettings, updatedAt: number): SsoConnection {
  const base = view.settings.SVC_BASE_URL;
  const common = {
    default_role: settings.defaultRole,
    updated_at: new Date(updatedAt).toISOString(),
  };
  if (settings.kind === "oidc") {
    return {
      kind: "oidc",
      ...common,
      issuer: settings.issuer,
      client_id: settings.clientId,
      client_secret_last4: HIDDEN,
      sign_in_url: `${base}/sso/login?org=${view.orgId}`,
      redirect_uri: oidcRedirectUri(base, view.orgId),
    };
  }
  return {
    kind: "saml",
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

/** The mark of the current connection. Null if there is none. */
export function connectionMark(view: View): string | null {
  return load(view)?.mark ?? null;
}

export type SignInConnection = SsoSettings & Pick<StoredConnection, "mark">;

/** Includes the secret: for the sign-in itself, never for an API response, and not if no one may sign in from here. */
export const ssoSettings = query({
  refuses: ["not_found", ...ENTRY_PROBLEMS],
  run(view, input: { region: string }) {
    const stored = load(view);
    if (stored === null) return refuse("not_found");
    const problem = entryProblemOf(view, input.region);
    return problem === null ? { ...stored.settings, mark: stored.mark } : refuse(problem);
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
    const before = load(tx)?.settings;
    const ended = before === undefined || trustsAsBefore(before, input) ? 0 : endSessionsOf(tx, before);
    const sealed = encrypt(tx.settings.SVC_KEY_PEPPER, ENCRYPTED_FOR.ssoConnection, JSON.stringify(input));
    saveRow(tx.sql, "sso", { only: 1, kind: input.kind, sealed, updated_at: tx.now });
    const detail = {
      kind: input.kind,
      provider: providerOf(input),
      default_role: input.defaultRole,
      sessions_ended: ended,
    };
    return done(200, shown(tx, input, tx.now), { target: tx.orgId, detail });
  },
});
