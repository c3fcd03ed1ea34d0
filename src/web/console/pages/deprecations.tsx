import { count, day } from "../view/format.ts";
import { Card, Empty, Head, Table } from "../view/parts.tsx";
import { show, type Shown, type Visit } from "../visit.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/deprecations";
const COLUMNS = [
  { title: "Route" },
  { title: "Since" },
  { title: "Sunset" },
  { title: "Use instead" },
  { title: "Who still calls it" },
];

interface Deprecation {
  readonly method?: string;
  readonly route: string;
  readonly since: string;
  readonly sunset: string;
  readonly replacement?: string;
  readonly documentation: string;
}

interface Callers {
  readonly data: readonly {
    readonly method: string;
    readonly route: string;
    readonly key_id: string;
    readonly calls: number;
    readonly last_called_at: string;
  }[];
}

export async function listDeprecations(visit: Visit): Promise<Shown> {
  const [answer, callers] = await Promise.all([
    visit.api.get<readonly Deprecation[]>("/v1/meta/deprecations"),
    visit.api.get<Callers>(`${visit.org}/deprecated-calls`),
  ]);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const content = (
    <>
      <Head
        title="Deprecations"
        about="Routes that have a successor, until when each is served at least, and which of your keys still call them."
      />
      <Card bare>
        {answer.body.length === 0 ? (
          <Empty icon="deprecations" title="Nothing is deprecated">
            Every route that you may call is here to stay.
          </Empty>
        ) : (
          <Table label="Deprecated routes" columns={COLUMNS}>
            {answer.body.map((entry) => (
              <DeprecationRow entry={entry} callers={callers.body?.data ?? []} />
            ))}
          </Table>
        )}
      </Card>
    </>
  );
  return show("Deprecations", UNDER, content);
}

function DeprecationRow({ entry, callers }: { entry: Deprecation; callers: Callers["data"] }) {
  const name = `${entry.method ?? ""} ${entry.route}`.trim();
  const own = callers.filter(({ method, route }) => `${method} ${route}` === name);
  return (
    <tr>
      <td>
        <a class="mono" href={entry.documentation}>
          {name}
        </a>
      </td>
      <td class="nowrap">
        {day(entry.since)} {entry.since.slice(0, 4)}
      </td>
      <td class="nowrap">{entry.sunset.replace(/ \d\d:\d\d:\d\d GMT$/, "")}</td>
      <td class="mono small">{entry.replacement ?? "–"}</td>
      <td>
        {own.length === 0 ? (
          <span class="quiet">None of your keys</span>
        ) : (
          own.map(({ key_id, calls, last_called_at }) => (
            <span class="sub">
              <code>{key_id}</code> {count(calls)} {calls === 1 ? "call" : "calls"}, last{" "}
              {day(last_called_at)}
            </span>
          ))
        )}
      </td>
    </tr>
  );
}
