import { beforeAll, onTestFinished } from "vitest";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { SNAPSHOT } from "../../src/gate/snapshot/snapshot.ts";
import { FLUSHING } from "../../src/counters.ts";
import { TELLING } from "../../src/org/gauges/teller.ts";
import { WRITING } from "../../src/org/refusals/desk.ts";
import { SCRAPING } from "../../src/web/scrapes.ts";
import { REPORTING } from "../../src/org/unreported-holds.ts";

/**
 * How long isolates may act on what an object told them. A change waits that long before it returns, and most tests
 * make several. The Worker under test shares the isolate of its test, so it uses the values set here. No setting and no
 * binding reaches these values.
 */
const REAL = { lease: { ...LEASE }, snapshot: { ...SNAPSHOT }, reporting: { ...REPORTING } };
const SHORT = {
  lease: { ...REAL.lease, lifeMs: 100, standingMs: 100, syncMs: 50, quietMs: 150 },
  snapshot: { lifeMs: 100 },
  // Several reports long, as the real one is.
  reporting: { patienceMs: 300 },
};
const NEVER_MS = 600_000;

/** Long enough for an isolate to decide by itself on a busy machine, short enough to wait for. */
export const BUSY_MS = 5000;

function goBy({ lease, snapshot, reporting }: typeof SHORT): void {
  Object.assign(LEASE, lease);
  Object.assign(SNAPSHOT, snapshot);
  Object.assign(REPORTING, reporting);
}

/** How long objects and isolates gather what they tell, store and count. Whoever evicts an object waits for it. */
const DEPLOYED = {
  telling: { ...TELLING },
  writing: { ...WRITING },
  flushing: { ...FLUSHING },
  scraping: { ...SCRAPING },
};
const HURRIED = {
  // What an org tells of itself costs as much as some calls of it, and few tests read it.
  telling: { soonMs: 100, everyMs: 1000 },
  writing: { everyMs: 50 },
  flushing: { everyMs: 50 },
  scraping: { everyMs: 0 },
};

function gatherBy({ telling, writing, flushing, scraping }: typeof HURRIED): void {
  Object.assign(TELLING, telling);
  Object.assign(WRITING, writing);
  Object.assign(FLUSHING, flushing);
  Object.assign(SCRAPING, scraping);
}

/** Until the end of the file, objects tell what they have to tell at once, so that an eviction waits for little. */
export function tellAtOnce(): void {
  Object.assign(TELLING, { soonMs: 10, everyMs: 50 });
}

/** Until the end of the test, objects and isolates gather as long as deployed ones. */
export function gatherAsDeployed(): void {
  gatherBy(DEPLOYED);
  onTestFinished(() => gatherBy(HURRIED));
}

export function useShortLives(): void {
  beforeAll(() => {
    goBy(SHORT);
    gatherBy(HURRIED);
  });
}

/** For a file about what an isolate does by itself: gives it as much time as a real one has. */
export function useRealLives(): void {
  beforeAll(() => goBy(REAL));
}

/**
 * Until the end of the test nothing expires for so long, by default never, however busy the machine is. A change waits as long for
 * its response.
 */
export function lengthenLives(lifeMs = NEVER_MS): void {
  const before = { lease: { ...LEASE }, snapshot: { ...SNAPSHOT }, reporting: { ...REPORTING } };
  goBy({ ...REAL, lease: { ...REAL.lease, lifeMs, standingMs: lifeMs }, snapshot: { lifeMs } });
  onTestFinished(() => goBy(before));
}
