import { unreadPage } from "../page/refusal-page.tsx";
import type { OwnRateLimits } from "../../../contract/resources/rate-limits.ts";
import { EACH } from "../../../contract/dimensions.ts";
import { type NameOf, readNames } from "../names.ts";
import { Meter } from "../view/charts.tsx";
import { count, formatMoment, share, usd } from "../view/format.ts";
import { Badge, Card, Empty, Head, Tile, Tiles } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { show, type PageResponse, type Visit } from "../visit.ts";

type Policy = OwnRateLimits["policies"][number];

const UNDER = "/console/rate-limits";

const UNITS = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** `3600` as `hour`, `7200` as `2 hours`. */
function windowText(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, "second"];
  return seconds === size ? name : `${count(seconds / size)} ${name}s`;
}

function subjectOf(match: Policy["match"], nameOf: NameOf): string {
  const { route, key_id: key, each_key: isEachKey, tags = {}, ...named } = match;
  const parts = Object.entries(named).map(([name, values]) => partText(name.replace(/_id$/, ""), values));
  const tagged = Object.entries(tags).map(([name, values]) => partText(`tag ${name}`, values));
  return (
    [route, key && `key ${nameOf(key)}`, isEachKey && "per key", ...parts, ...tagged]
      .filter(Boolean)
      .join(", ") || "The whole org"
  );
}

function partText(name: string, values: string | readonly string[] | undefined): string {
  if (values === undefined) return "";
  if (values === EACH) return `per ${name}`;
  return `${name} ${typeof values === "string" ? values : values.join(" or ")}`;
}

/** The amount that its window has counted, or the busiest of those that it counts separately. */
function usedNow({ used, used_usd: usedUsd, limit, limit_usd: limitUsd, busiest }: Policy) {
  if (used !== null) return <Used of={usedUsd ?? used} limit={limitUsd ?? limit} />;
  if (busiest.length === 0) return <span class="quiet">Nobody now</span>;
  return busiest.map((one) => (
    <div>
      {one.subject}
      <Used of={one.used_usd ?? one.used} limit={limitUsd ?? limit} />
    </div>
  ));
}

/** Dollars are texts. */
function amount(of: number | string): string {
  return typeof of === "string" ? usd(of) : count(of);
}

function Used({ of, limit }: { of: number | string; limit: number | string }) {
  return (
    <>
      <Meter spent={share(of, limit)} label="Used of this limit" />
      <span class="sub number">
        {amount(of)} of {amount(limit)}
      </span>
    </>
  );
}

const columns = (nameOf: NameOf): readonly Column<Policy>[] => [
  {
    title: "Policy",
    cell: ({ name, id }) => (
      <>
        <strong>{name}</strong>
        <code class="sub">{id}</code>
      </>
    ),
  },
  { title: "Counts", cell: ({ match }) => subjectOf(match, nameOf) },
  { title: "Used now", kind: "meter", cell: usedNow },
  {
    title: "Limit",
    kind: "number",
    cell: ({ limit, limit_usd: exact, unit }) =>
      exact === undefined ? `${count(limit)} ${unit}` : usd(exact),
  },
  {
    title: "Per",
    cell: ({ window_seconds }) => windowText(window_seconds),
    sortBy: ({ window_seconds }) => window_seconds,
  },
  {
    title: "Window",
    cell: ({ kind, resets_at }) => (
      <>
        <Badge tone="plain">{kind === "rate" ? "sliding" : "fixed"}</Badge>
        {resets_at && <span class="sub">resets {formatMoment(resets_at)}</span>}
      </>
    ),
  },
];

/** The platform's operator sets these; an org can only read them. */
export async function rateLimits(visit: Visit): Promise<PageResponse> {
  const answer = await visit.api.get<OwnRateLimits>(`${visit.org}/rate-limits`);
  if (answer.body === null) return unreadPage(answer, UNDER);
  const { read_rpm, effective_read_rpm, read_used, policies } = answer.body;
  const nameOf = await readNames(
    visit,
    policies.map(({ match }) => match.key_id),
  );
  const content = (
    <>
      <Head
        title="Rate limits"
        about="How many requests, tokens and dollars are allowed per window. Your provider sets these limits."
      />
      <Tiles>
        <Tile label="Reads in the last minute" value={count(read_used)}>
          of {count(effective_read_rpm)} (
          {read_rpm === null ? "default of the service" : "set for your organization"})
        </Tile>
        <Tile label="Policies" value={count(policies.length)}>
          Calls over a limit get 429; Retry-After says when to retry
        </Tile>
      </Tiles>
      <Card bare>
        {policies.length === 0 ? (
          <Empty icon="rates" title="No policies yet">
            Only the read limit applies. Ask your provider for a policy by route, key, customer, user or
            model.
          </Empty>
        ) : (
          <Table label="Policies" columns={columns(nameOf)} rows={policies} />
        )}
      </Card>
    </>
  );
  return show("Rate limits", UNDER, content);
}
