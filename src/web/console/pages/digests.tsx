import type { Child } from "hono/jsx";
import { DIGEST_PERIODS } from "../../../contract/lists.ts";
import type { Digest, DigestSettings } from "../../../contract/resources/digests.ts";
import { DELETE, type Resource } from "../page/resource.ts";
import { Change } from "../view/change.tsx";
import type { Field } from "../view/field.ts";
import { count, formatMoment, percent, toWords } from "../view/format.ts";
import { pageOf } from "../view/links.ts";
import { Usd } from "../view/money.tsx";
import { Card, Tile, Tiles } from "../view/parts.tsx";
import { daysIn } from "../view/range.ts";
import { Unread } from "../view/unread.tsx";
import type { Visit } from "../visit.ts";
import { unusualReason } from "./overview/unusual.tsx";

const EVERY = { day: "Day", week: "Week, from Monday", month: "Month" } as const;

const FIELDS: readonly Field[] = [
  {
    name: "every",
    label: "Of each",
    kind: "choice",
    half: true,
    options: DIGEST_PERIODS.toReversed().map((period) => [period, EVERY[period]] as const),
  },
  { name: "at", label: "Sent at", kind: "text", half: true, required: true, placeholder: "09:00" },
  { name: "timezone", label: "Time zone", kind: "text", half: true, placeholder: "Europe/Berlin" },
  {
    name: "to",
    label: "To",
    kind: "list",
    placeholder: "maya@example.com",
    hint: "Mail addresses, which confirm themselves first, and ids of webhooks.",
  },
];

/** The content of the next one, made now and sent to nobody. */
async function preview(visit: Visit, { name }: DigestSettings): Promise<Child> {
  const path = `${visit.org}/digests/${encodeURIComponent(name)}/preview`;
  const answer = await visit.api.send<Digest>("POST", path, null, visit.once());
  const { body } = answer;
  if (body === null) {
    return (
      <Card title="Preview" bare>
        <Unread of={answer} />
      </Card>
    );
  }
  return (
    <Card title="Preview" note={`The last one: ${daysIn(body)}`}>
      <div class="stack">
        <Tiles>
          <Tile
            label="Spent"
            value={
              <>
                <Usd of={body.spent_usd} /> <Change now={body.spent_usd} before={body.previous_usd} />
              </>
            }
          >
            before: <Usd of={body.previous_usd} />
          </Tile>
        </Tiles>
        <Lines title="By model" of={body.by_model} />
        <Lines title="Changed most" of={body.changed_most} />
        <Facts of={body} />
      </div>
    </Card>
  );
}

function Lines({ title, of }: { title: string; of: Digest["by_model"] }) {
  if (of.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="bullets">
        {of.map(({ kind, name, spent_usd, previous_usd }) => (
          <li>
            {name ?? `Without a ${kind}`}: <Usd of={spent_usd} />{" "}
            <Change now={spent_usd} before={previous_usd} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Facts({ of }: { of: Digest }) {
  const lines: Child[] = [
    ...of.runs_out.map(({ limit_id, name, used, runs_out_at }) => (
      <>
        <a href={pageOf(limit_id)}>{name ?? limit_id}</a> is used to {percent(used)}, and runs out{" "}
        {formatMoment(runs_out_at)}.
      </>
    )),
    ...of.refused.map(({ code, count: some }) => `${toWords(code)}: ${count(some)} refused.`),
    ...of.unusual.map(
      (one) => `${one.subject_id ?? "Whole organization"}, ${one.date}: ${unusualReason(one)}`,
    ),
  ];
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>What to look at</h3>
      <ul class="bullets">
        {lines.map((line) => (
          <li>{line}</li>
        ))}
      </ul>
    </div>
  );
}

const receivers = ({ to }: DigestSettings) => to.join(", ") || "An event only";

export const digests: Resource<DigestSettings> = {
  path: "/console/digests",
  api: "digests",
  title: "Digests",
  about: "What was spent, what changed, what runs out and what was refused: by mail or to a webhook.",
  one: "digest",
  icon: "events",
  empty: ["No digest yet", "A digest says each week what was spent, beside the week before."],
  role: "admin",
  idOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  sort: "name",
  columns: [
    { title: "Of each", cell: ({ every }) => EVERY[every] },
    { title: "Sent at", cell: ({ at, timezone }) => `${at} ${timezone}` },
    { title: "To", cell: receivers },
    { title: "Next", kind: "moment", cell: ({ next_at }) => formatMoment(next_at) },
  ],
  create: {
    title: "New digest",
    save: "Set digest",
    fields: [
      { name: "name", label: "Name", kind: "text", required: true, inPath: true, placeholder: "weekly" },
      ...FIELDS,
    ],
    put: (form) => `digests/${encodeURIComponent(form.get("name")?.trim() ?? "")}`,
  },
  change: { method: "PUT", fields: FIELDS },
  actions: [{ ...DELETE, confirm: ({ name }) => `${name} is no longer sent.` }],
  above: preview,
};
