import type { History, OrgHistory, ProxyHistory, StoredRun, ViolationKind } from "./history.ts";
import { overspent } from "./overspent.ts";
import { sum } from "./sum.ts";

export interface Violation {
  readonly kind: ViolationKind;
  readonly what: string;
}

/** Every promise that a history breaks. */
export function violationsOf(history: History): Violation[] {
  return [
    ...history.orgs.flatMap((org) =>
      [lost, doubled, skipped, wrongSums, stuck, brokenTrail].flatMap((check) =>
        check(org).map(({ kind, what }) => ({ kind, what: `${org.name}: ${what}` })),
      ),
    ),
    ...history.orgs.flatMap((org) =>
      violations(
        "overspent limit",
        overspent(org).map((what) => `${org.name}: ${what}`),
      ),
    ),
    ...proxied(history.proxy),
    ...history.rounds,
    ...history.secrets.map((what) => ({ kind: "logged secret" as const, what })),
    ...history.unpromised.map((what) => ({ kind: "unpromised answer" as const, what })),
    ...(history.holdsRefused === 0
      ? []
      : [
          { kind: "overspent limit" as const, what: `${history.holdsRefused} holds of gates were not taken` },
        ]),
  ];
}

const violations = (kind: ViolationKind, found: readonly string[]): Violation[] =>
  found.map((what) => ({ kind, what }));

function lost({ runs, stored, allows }: OrgHistory): Violation[] {
  const there = new Map(stored.runs.map((run) => [run.id, run]));
  const missing = runs.filter((run) => run.isAcknowledged && !there.has(run.id));
  const changed = runs.filter((run) => (there.get(run.id)?.nanos ?? run.nanos) !== run.nanos);
  const charged = new Set(stored.runsInTheEnd.map((run) => run.reservation));
  const uncharged = allows.filter((allow) => allow.end === "charged" && !charged.has(allow.reservation));
  return violations("lost report", [
    ...missing.map(({ id }) => `run ${id} was acknowledged and is not there`),
    ...changed.map(({ id }) => `run ${id} is there with another cost`),
    ...uncharged.map(({ reservation }) => `${reservation} expired and was to be charged, and no run says so`),
  ]);
}

function doubled({ runs, allows, stored, unheardNanos }: OrgHistory): Violation[] {
  const sent = new Set(runs.map(({ id }) => id));
  const charged = new Set(allows.flatMap(({ end, reservation }) => (end === "charged" ? [reservation] : [])));
  const isCharge = (run: StoredRun) => run.outcome === "unreported" && charged.has(run.reservation ?? "");
  const known = new Set(allows.map(({ reservation }) => reservation));
  const unheard = [...unheardNanos];
  const isUnheard = ({ outcome, reservation, nanos }: StoredRun) => {
    if (outcome !== "unreported" || reservation === null || known.has(reservation)) return false;
    const at = unheard.indexOf(nanos);
    return at !== -1 && unheard.splice(at, 1).length === 1;
  };
  const unknown = stored.runsInTheEnd.filter((run) => !sent.has(run.id) && !isCharge(run) && !isUnheard(run));
  const settled = stored.runsInTheEnd.flatMap(({ reservation }) =>
    reservation === null ? [] : [reservation],
  );
  const released = new Set(
    allows.flatMap(({ end, reservation }) => (end === "released" ? [reservation] : [])),
  );
  return violations("doubled settlement", [
    ...settled.filter((id) => released.has(id)).map((id) => `${id} was released, and a run settled it`),
    ...repeated(stored.runsInTheEnd.map(({ id }) => id)).map((id) => `run ${id} is there more than once`),
    ...repeated(settled).map((id) => `${id} is settled by more than one run`),
    ...unknown.map(({ id }) => `run ${id} is there, and nobody sent it`),
  ]);
}

function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))];
}

function skipped({ forbidden }: OrgHistory): Violation[] {
  const passed = forbidden.filter(({ status }) => status >= 200 && status < 300);
  return violations(
    "skipped check",
    passed.map(({ what, status }) => `${what} was answered with ${status}`),
  );
}

function wrongSums({ stored }: OrgHistory): Violation[] {
  const cases = [
    ["", stored.spentNanos, stored.runs],
    [" in the end", stored.spentInTheEndNanos, stored.runsInTheEnd],
  ] as const;
  const wrong = cases.flatMap(([when, spent, runs]) => {
    const cost = sum(runs.map(({ nanos }) => nanos));
    return cost === spent ? [] : [`${spent} nano-dollars are spent${when}, and the runs cost ${cost}`];
  });
  const there = new Set(stored.runsInTheEnd.map(({ id }) => id));
  const gone = stored.runs.filter(({ id }) => !there.has(id)).length;
  return violations("wrong sum", gone === 0 ? wrong : [...wrong, `${gone} runs went away`]);
}

function stuck({ allows, stored }: OrgHistory): Violation[] {
  const open = allows.filter(({ end }) => end === "kept" || end === "charged");
  const kept = sum(open.filter(({ heldUntil }) => heldUntil > stored.readAt).map(({ nanos }) => nanos));
  const found =
    stored.reservedNanos < kept
      ? [`${stored.reservedNanos} nano-dollars are reserved, and callers hold ${kept}`]
      : [];
  if (stored.reservedInTheEndNanos !== 0) {
    found.push(
      `${stored.reservedInTheEndNanos} nano-dollars are still reserved after everything has expired`,
    );
  }
  return violations("stuck reservation", found);
}

function brokenTrail({ stored }: OrgHistory): Violation[] {
  const announced = new Set(stored.announced);
  const silent = stored.runs.filter(({ id }) => !announced.has(id));
  return violations("broken trail", [
    ...(stored.isAuditValid ? [] : ["the audit chain does not verify"]),
    ...silent.map(({ id }) => `run ${id} was never announced`),
    ...repeated(stored.announced).map((id) => `run ${id} was announced more than once`),
  ]);
}

function proxied(proxy: ProxyHistory): Violation[] {
  const found: Violation[] = [];
  if (proxy.recorded > proxy.served || proxy.recordedTokens > proxy.servedTokens) {
    found.push({
      kind: "doubled settlement",
      what: `the proxy recorded ${proxy.recorded} calls with ${proxy.recordedTokens} tokens, and the provider served ${proxy.served} with ${proxy.servedTokens}`,
    });
  }
  if (proxy.quietRecorded !== proxy.quietCalls) {
    found.push({
      kind: "lost report",
      what: `of ${proxy.quietCalls} calls through the proxy without a fault, ${proxy.quietRecorded} were recorded`,
    });
  }
  return found;
}
