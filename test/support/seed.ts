import { configureGlobal, readConfigureGlobal } from "fast-check";

/** Property tests use the same cases at each run, so that results are repeatable. `VITE_SEED=0` draws new ones. */
const SEED = Number(
  (import.meta as { env?: Record<string, string> }).env?.["VITE_SEED"] ?? process.env["VITE_SEED"] ?? 20_261,
);

if (SEED !== 0) configureGlobal({ ...readConfigureGlobal(), seed: SEED });
