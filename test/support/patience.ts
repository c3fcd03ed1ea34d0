/** How long a test waits for what must come. It comes late on a busy machine: only what never comes is a failure. */
export const PATIENCE_MS = 300_000;

/** For `vi.waitFor` and `vi.waitUntil`, which have no setting of the project. */
export const PATIENT = { timeout: PATIENCE_MS };

/** How long a test may take, which may wait more than once. */
export const TEST_MS = 6 * PATIENCE_MS;
