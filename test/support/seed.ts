import { configureGlobal, readConfigureGlobal } from "fast-check";

/** Properties are tried with the same cases at each run: what passed passes again. `VITE_SEED=0` draws new ones. */
const SEED = Number((import.meta as { env?: Record<string, string> }).env?.["VITE_SEED"] ?? 20_261);

if (SEED !== 0) configureGlobal({ ...readConfigureGlobal(), seed: SEED });
