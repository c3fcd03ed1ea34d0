import { beforeAll, onTestFinished } from "vitest";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot.ts";

/**
 * For how long isolates may act on what an object told them. A change waits that out before it is answered, and most tests
 * make several. The Worker under test shares the isolate of its test, so it goes by what is written here; no setting and
 * no binding reaches these values.
 */
const REAL = { lease: { ...LEASE }, snapshot: { ...SNAPSHOT } };
const SHORT = {
  lease: { ...REAL.lease, lifeMs: 100, standingMs: 100, syncMs: 50 },
  snapshot: { lifeMs: 100 },
};
const LONG = {
  lease: { ...REAL.lease, lifeMs: 600_000, standingMs: 600_000 },
  snapshot: { lifeMs: 600_000 },
};

function goBy({ lease, snapshot }: typeof SHORT): void {
  Object.assign(LEASE, lease);
  Object.assign(SNAPSHOT, snapshot);
}

export function useShortLives(): void {
  beforeAll(() => goBy(SHORT));
}

/** For a file about what an isolate does by itself: it has the time for it that a real one has. */
export function useRealLives(): void {
  beforeAll(() => goBy(REAL));
}

/** To the end of the test nothing expires, however busy the machine is; a change would wait as long for its answer. */
export function lengthenLives(): void {
  goBy(LONG);
  onTestFinished(() => goBy(SHORT));
}
