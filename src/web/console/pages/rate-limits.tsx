import { refusedPage } from "../page/refused.tsx";
import type { OwnRateLimits } from "../../../contract/resources/rate-limits.ts";
import { EACH } from "../../../contract/dimensions.ts";
import { count } from "../view/format.ts";
import { Badge, Card, Empty, Head, Tile, Tiles } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { show, type Shown, type Visit } from "../visit.ts";

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

function subjectOf({ route, tags = {}, ...named }: Policy["match"]): string {
  const parts = Object.entries(named).map(([name, values]) => partText(name.replace(/_id$/, ""), values));
  const tagged = Object.entries(tags).map(([name, values]) => partText(`tag ${name}`, values));
  return [route, ...parts, ...tagged].filter(Boolean).join(", ") || "The whole org";
}

function partText(name: string, values: string | readonly string[] | undefined): string {
  if (values === undefined) return "";
  if (values === EACH) return `per ${name}`;
  return `${name} ${typeof values === "string" ? values : values.join(" or ")}`;
}

const COLUMNS: readonly Column<Policy>[] = [
  {
    title: "Policy",
    cell: ({ name, id }) => (
      <>
        <strong>{name}</strong>
        <code class="sub">{id}</code>
      </>
    ),
  },
  { title: "Counts", cell: ({ match }) => subjectOf(match) },
  { title: "Limit", kind: "number", cell: ({ limit, unit }) => `${count(limit)} ${unit}` },
  { title: "Per", cell: ({ window_seconds }) => windowText(window_seconds) },
  {
    title: "Window",
    cell: ({ kind }) => <Badge tone="plain">{kind === "rate" ? "sliding" : "fixed"}</Badge>,
  },
];

/** The platform's operator sets these; an org can only read them. */
export async function rateLimits(visit: Visit): Promise<Shown> {
  const answer = await visit.api.get<OwnRateLimits>(`${visit.org}/rate-limits`);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const { read_rpm, effective_read_rpm, policies } = answer.body;
  const content = (
    <>
      <Head
        title="Rate limits"
        about="How many requests and tokens are allowed per window. Your provider sets these limits."
      />
      <Tiles>
        <Tile label="Reads per minute" value={count(effective_read_rpm)}>
          {read_rpm === null ? "Default of the service" : "Set for your organization"}
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
          <Table label="Policies" columns={COLUMNS} rows={policies} />
        )}
      </Card>
    </>
  );
  return show("Rate limits", UNDER, content);
}
