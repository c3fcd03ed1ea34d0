import { RATE_COUNTS } from "./meters.ts";
import type { OwnRateLimits } from "../../contract/resources/rate-limits.ts";
import {
  firstBucket,
  quotaWindowEnd,
  type RatePolicy,
  readPolicy,
  showPolicy,
  usdOf,
  wholeOf,
} from "../../domain/rate/policy.ts";
import { countsEach, onlySubject, subjectText } from "../../domain/rate/match.ts";
import { formatInZone } from "../../domain/time/zone.ts";
import { query, type CheckpointedView } from "../kernel/door.ts";
import { loadRateLimits } from "./store.ts";

type InUse = OwnRateLimits["policies"][number];

/** Of the subjects that a policy counts separately, as many as this are shown. */
const MOST_SHOWN = 5;

/** The rate limits with what each has counted in its current window, what isolates have leased included. */
export const rateLimitsInUse = query({
  refuses: [],
  run(view): OwnRateLimits {
    const { read_rpm, policies } = loadRateLimits(view.sql);
    const effective = read_rpm ?? view.settings.SVC_READ_LIMIT_PER_MINUTE;
    const read = readPolicy(effective);
    return {
      read_rpm,
      effective_read_rpm: effective,
      read_used: countUsed(view, read, read.id),
      policies: policies.map((policy) => inUse(view, policy)),
    };
  },
});

function countUsed(view: CheckpointedView, policy: RatePolicy, key: string): number {
  return view.rates().standing({ policy, key }, 0).used;
}

function inUse(view: CheckpointedView, policy: RatePolicy): InUse {
  const isEach = countsEach(policy.match);
  const only = onlySubject(policy.match);
  const used = isEach ? null : countUsed(view, policy, only === "" ? policy.id : `${policy.id} ${only}`);
  return {
    ...showPolicy(policy),
    used: used === null ? null : wholeOf(policy, used),
    ...usdOf(policy, used),
    resets_at: policy.kind === "quota" ? formatInZone("UTC", quotaWindowEnd(policy, view.now)) : null,
    busiest: isEach ? busiestOf(view, policy) : [],
  };
}

/** A counter is named by its policy, a space and whose it is. */
function busiestOf(view: CheckpointedView, policy: RatePolicy): InUse["busiest"] {
  const prefix = `${policy.id} `;
  const rows = view.sql.exec<{ meter: string }>(
    `SELECT c.meter FROM ${RATE_COUNTS.in(view.sql)} AS c, json_each(c.taken) AS t
     WHERE c.meter > ?1 AND c.meter < ?2 AND t.value ->> 0 >= ?3
     GROUP BY c.meter ORDER BY SUM(t.value ->> 1) DESC LIMIT ?4`,
    prefix,
    `${policy.id}!`,
    firstBucket(policy, view.now),
    MOST_SHOWN,
  );
  return rows.toArray().map(({ meter }) => {
    const used = countUsed(view, policy, meter);
    const subject = subjectText(policy.match, meter.slice(prefix.length));
    return { subject, used: wholeOf(policy, used), ...usdOf(policy, used) };
  });
}
