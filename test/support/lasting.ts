/**
 * How a server of the tests keeps connections: for longer than the runtime that calls it, so that none is ended while a request
 * is on its way.
 */
export const LASTING = { keepAliveTimeout: 60_000 } as const;
