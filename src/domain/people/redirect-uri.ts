/** The OpenID Connect redirect URI of an org. Each org has its own. */
export function oidcRedirectUri(baseUrl: string, orgId: string): string {
  return `${baseUrl}/sso/callback/${orgId}`;
}
