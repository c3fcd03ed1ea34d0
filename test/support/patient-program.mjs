/**
 * Loaded before a program of the docs. Its client and its gate wait for seconds, as those of callers do. On a busy machine an
 * answer takes longer, so those waits are as long as any other of a test.
 */

const USUAL_MS = [3000, 30_000];
const PATIENCE_MS = 300_000;
const real = globalThis.setTimeout;
const patient = (work, ms, ...given) => real(work, USUAL_MS.includes(ms) ? PATIENCE_MS : ms, ...given);
globalThis.setTimeout = Object.defineProperties(patient, Object.getOwnPropertyDescriptors(real));
