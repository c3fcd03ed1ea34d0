const ROUNDS = 6;

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  // The runtime's clock may stand still while it computes.
  return Math.max(1, performance.now() - begun);
}

/**
 * How many times as long one takes as another, each at its fastest of a few runs. They run in turns, so that a busy machine slows
 * down both, and not in every round. It stops at the first result below the bound.
 */
export async function timesAsLong(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  bound: number,
): Promise<number> {
  let [oneMs, otherMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS && !(oneMs < bound * otherMs); round += 1) {
    otherMs = Math.min(otherMs, await msOf(other));
    oneMs = Math.min(oneMs, await msOf(one));
  }
  return oneMs / otherMs;
}
