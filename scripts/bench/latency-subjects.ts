/** The proxies whose callers wait, and how many callers there are at once. */
export const GOVERNED = "governed proxy";
export const PLAIN = "plain proxy";
export const COPYING = "copying proxy";
export const PORTKEY = "Portkey's gateway";
export const CONNECTIONS = [1, 32, 256] as const;
