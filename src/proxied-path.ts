/** Every first segment that no route of the service has is a prefix of the governed proxy. */
export const PROXIED = /^https?:\/\/[^/?#]+\/(?!(?:v1|docs|console|operator|sso|saml|internal)\/)[^/?#]+\//;
