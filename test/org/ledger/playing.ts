import { agree } from "./agree.ts";
import { Play } from "./play.ts";
import type { Step } from "./steps.ts";

/**
 * Sequences of calls for each property; set VITE_LEDGER_RUNS for a long run. Of twenty, none notices a run that is charged
 * to its own customer instead of that of its reservation.
 */
export const RUNS = Number((import.meta as { env?: Record<string, string> }).env?.["VITE_LEDGER_RUNS"] ?? 25);

/** As long as a long one may take. */
export const PATIENCE_MS = 3_600_000;

/** A new org and its model. */
export async function opened(): Promise<Play> {
  const play = new Play();
  await play.world.open();
  return play;
}

/** Compares the two after each step. */
export async function playAll(steps: readonly Step[]): Promise<Play> {
  const play = await opened();
  for (const next of steps) {
    await play.step(next);
    await agree(play);
  }
  return play;
}
