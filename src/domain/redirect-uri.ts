/** Where an org's OpenID Connect provider sends people back to: one address for each org, so that none stands for two. */
export function oidcRedirectUri(baseUrl: string, orgId: string): string {
  return `${baseUrl}/sso/callback/${orgId}`;
}
