import type { Child } from "hono/jsx";
import { type Fallback, FALLBACK_CONDITIONS } from "../../../contract/resources/fallbacks.ts";
import type { RunResource } from "../../../contract/resources/runs/runs.ts";
import type { ResolvedPrice } from "../../../contract/resources/prices/resolved-price.ts";
import { formatUsd, parseUsd } from "../../../domain/price/money.ts";
import { DELETE, type Resource } from "../page/resource.ts";
import { count, formatMoment } from "../view/format.ts";
import { Usd } from "../view/money.tsx";
import { Card } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { type Failed, Unread } from "../view/unread.tsx";
import type { PageRequest, ListOf, Visit } from "../visit.ts";

const PATH = "/console/fallbacks";
/** Of the latest runs, those are shown that a rule chose the model of. */
const LOOKED_AT = 200;

const WHEN: Readonly<Record<(typeof FALLBACK_CONDITIONS)[number], string>> = {
  limit: "A limit refuses the call",
  provider_error: "Its provider fails",
  no_price: "Its model has no price",
};

const nextOf = ({ then }: Fallback) =>
  then.map(({ model, provider }) => (provider === null ? model : `${model} at ${provider}`)).join(", then ");

const modelsOf = ({ match: { model } }: Fallback) => (typeof model === "string" ? model : model.join(", "));

function whenOf({ on, budget_share: share }: Fallback): string {
  const shares = share === null ? [] : [`Budgets are used up to ${share}`];
  return [...on.map((condition) => WHEN[condition]), ...shares].join("; ");
}

/** Each line is a model, with ` at ` and a provider where it is another one. */
function modelsIn(text: unknown): object[] {
  const lines = typeof text === "string" ? text.split(/\n|, */) : [];
  return lines
    .map((line) => line.trim().split(/\s+at\s+/))
    .filter(([model]) => model !== "")
    .map(([model, provider]) => ({ model, ...(provider === undefined ? {} : { provider }) }));
}

interface FallbackSaving {
  readonly run: RunResource;
  /** The amount that it saved, in nano-dollars. Null: the requested model has no price by which that could be told. */
  readonly savedNanos: bigint | null;
}

const COLUMNS: readonly Column<FallbackSaving>[] = [
  {
    title: "Run",
    cell: ({ run }) => (
      <a href={`/console/runs/${encodeURIComponent(run.id)}`}>{formatMoment(run.started_at)}</a>
    ),
  },
  { title: "Asked for", cell: ({ run }) => run.requested_model },
  { title: "Model", cell: ({ run }) => run.model },
  { title: "Cost", kind: "number", cell: ({ run }) => <Usd of={run.cost_usd} /> },
  {
    title: "Saved",
    kind: "number",
    cell: ({ savedNanos }) => (savedNanos === null ? "Not known" : <Usd of={formatUsd(savedNanos)} />),
  },
];

const MTOK = 1_000_000n;

/** Returns the cost of a run's usage at the base rates of a model, less the cost of the run. Never less than nothing. */
function savedBy({ usage, cost_usd: cost }: RunResource, price: Rates): bigint {
  const input = costAt(usage.input_tokens, price.input_usd_per_mtok);
  const saved = input + costAt(usage.output_tokens, price.output_usd_per_mtok) - (parseUsd(cost) ?? 0n);
  return saved > 0n ? saved : 0n;
}

function costAt(tokens: number, usdPerMtok: string): bigint {
  return (BigInt(tokens) * (parseUsd(usdPerMtok) ?? 0n)) / MTOK;
}

interface Rates {
  readonly input_usd_per_mtok: string;
  readonly output_usd_per_mtok: string;
}

async function ratesOf(visit: Visit, model: string): Promise<Rates | null> {
  const query = new URLSearchParams({ model });
  const { body } = await visit.api.get<ResolvedPrice>(`${visit.org}/prices/resolve?${query}`);
  return body?.price ?? null;
}

async function actedBy(visit: Visit, name: string): Promise<readonly FallbackSaving[] | Failed> {
  const answer = await visit.api.get<ListOf<RunResource>>(`/v1/runs?limit=${LOOKED_AT}`);
  if (answer.body === null) return answer;
  const runs = answer.body.data.filter(({ fallback }) => fallback === name);
  const models = [...new Set(runs.map(({ requested_model: model }) => model ?? ""))];
  const rates = new Map(
    await Promise.all(models.map(async (model) => [model, await ratesOf(visit, model)] as const)),
  );
  return runs.map((run) => {
    const price = rates.get(run.requested_model ?? "") ?? null;
    return { run, savedNanos: price === null ? null : savedBy(run, price) };
  });
}

async function acted(visit: Visit, _: PageRequest, { name }: Fallback): Promise<Child> {
  const rows = await actedBy(visit, name);
  if ("trace" in rows) {
    return (
      <Card title="Where it acted" bare>
        <Unread of={rows} />
      </Card>
    );
  }
  const saved = rows.reduce((sum, { savedNanos }) => sum + (savedNanos ?? 0n), 0n);
  const note = (
    <>
      {count(rows.length)} of the latest {count(LOOKED_AT)} runs, <Usd of={formatUsd(saved)} /> saved
    </>
  );
  return (
    <Card title="Where it acted" note={note} bare>
      {rows.length === 0 ? (
        <p class="note-line">It has not acted lately.</p>
      ) : (
        <Table label="Runs" columns={COLUMNS} rows={rows} />
      )}
    </Card>
  );
}

export const fallbacks: Resource<Fallback> = {
  path: PATH,
  api: "fallbacks",
  title: "Fallbacks",
  about: "Which model is tried next when a limit refuses a call, its provider fails, or its budget runs low.",
  one: "fallback",
  icon: "routing",
  empty: ["No fallbacks yet", "A call that a limit refuses, or whose provider fails, is answered with that."],
  role: "admin",
  idOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  sort: "name",
  columns: [
    { title: "For", cell: modelsOf },
    { title: "Then", cell: nextOf },
    { title: "When", cell: whenOf },
  ],
  factsOf: (row) => [
    ["For", modelsOf(row)],
    ["Then", nextOf(row)],
    ["When", whenOf(row)],
    ["Set", formatMoment(row.updated_at)],
  ],
  create: {
    title: "New fallback",
    save: "Set fallback",
    fields: [
      { name: "name", label: "Name", kind: "text", required: true, inPath: true, placeholder: "cheaper" },
      {
        name: "match.model",
        label: "For the model",
        kind: "text",
        required: true,
        half: true,
        placeholder: "gpt-4o",
        hint: "May end in * for any ending.",
      },
      { name: "match.workflow_id", label: "Only for the workflow", kind: "text", half: true },
      {
        name: "then",
        label: "Models to try, one on each line",
        kind: "area",
        required: true,
        placeholder: "gpt-4o-mini\nllama-3.3-70b-versatile at groq",
      },
      {
        name: "on",
        label: "When",
        kind: "checks",
        options: FALLBACK_CONDITIONS.map((condition) => [condition, WHEN[condition]] as const),
      },
      {
        name: "budget_share",
        label: "From the start, while budgets are used up to this share",
        kind: "text",
        placeholder: "0.9",
      },
    ],
    bodyOf: (body) => ({ on: [], ...body, then: modelsIn(body["then"]) }),
    complaintAt: (field) => (field.startsWith("then") ? "then" : field),
    put: (form) => `fallbacks/${encodeURIComponent(form.get("name")?.trim() ?? "")}`,
  },
  actions: [
    { ...DELETE, confirm: ({ name }) => `Calls that ${name} applied to are no longer tried elsewhere.` },
  ],
  below: acted,
};
