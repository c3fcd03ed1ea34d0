import { beforeAll, onTestFinished } from "vitest";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot.ts";
import { FLUSHING } from "../../src/counters.ts";
import { TELLING } from "../../src/org/gauges/teller.ts";
import { WRITING } from "../../src/org/refusals/desk.ts";

/**
 * How long isolates may act on what an object told them. A change waits that long before it returns, and most tests
 * make several. The Worker under test shares the isolate of its test, so it uses the values set here. No setting and no
 * binding reaches these values.
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

/** Whoever evicts an object waits for its background work. */
function hurryBackground(): void {
  Object.assign(TELLING, { soonMs: 10, everyMs: 50 });
  Object.assign(WRITING, { everyMs: 50 });
  Object.assign(FLUSHING, { everyMs: 50 });
}

export function useShortLives(): void {
  beforeAll(() => {
    goBy(SHORT);
    hurryBackground();
  });
}

/** For a file about what an isolate does by itself: gives it as much time as a real one has. */
export function useRealLives(): void {
  beforeAll(() => goBy(REAL));
}

/**
 * Until the end of the test nothing expires, however busy the machine is. A change would wait as long for its response.
 */
export function lengthenLives(): void {
  goBy(LONG);
  onTestFinished(() => goBy(SHORT));
}
