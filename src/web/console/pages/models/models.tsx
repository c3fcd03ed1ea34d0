import { DELETE, type Resource } from "../../page/resource.ts";
import type { Model } from "../../../../contract/resources/models.ts";
import type { TokenClass } from "../../../../contract/token-classes.ts";
import type { Field } from "../../view/field.ts";
import { formatMoment, usd } from "../../view/format.ts";
import type { Column } from "../../view/table.tsx";
import { priceFacts, priceHistory, sampleCost, sourceAndStart } from "./model-prices.tsx";

const CLASSES: readonly (readonly [name: TokenClass, label: string])[] = [
  ["cache_read", "Read from the cache"],
  ["cache_write", "Written to the cache"],
  ["cache_write_1h", "Written to the cache for an hour"],
  ["reasoning", "Reasoning"],
  ["audio_input", "Audio input"],
  ["audio_output", "Audio output"],
  ["image_input", "Image input"],
  ["image_output", "Image output"],
];

const TERMS: readonly Field[] = [
  {
    name: "input_usd_per_mtok",
    label: "Input, dollars per million tokens",
    kind: "money",
    required: true,
    half: true,
    placeholder: "3.00",
  },
  {
    name: "output_usd_per_mtok",
    label: "Output, dollars per million tokens",
    kind: "money",
    required: true,
    half: true,
    placeholder: "15.00",
  },
  {
    name: "classes",
    label: "Rates for classes of tokens. Leave empty to use the input or output rate.",
    kind: "heading",
  },
  ...CLASSES.map(([name, label]): Field => ({
    name: `${name}_usd_per_mtok`,
    label,
    kind: "money",
    half: true,
  })),
  {
    name: "provider",
    label: "Provider",
    kind: "text",
    half: true,
    placeholder: "openai",
    hint: "Also finds the model as provider/model.",
  },
  {
    name: "regions",
    label: "Regions",
    kind: "list",
    half: true,
    placeholder: "eu, us",
    hint: "Regions that routing may use this model in. Leave empty for all regions.",
  },
];

const columnsAt = (nowMs: number): readonly Column<Model>[] => [
  { title: "Price from", cell: (row) => sourceAndStart(row, nowMs) },
  { title: "Input, per million", kind: "number", cell: (row) => usd(row.input_usd_per_mtok) },
  { title: "Output, per million", kind: "number", cell: (row) => usd(row.output_usd_per_mtok) },
  { title: "1,000 in, 500 out", kind: "number", cell: sampleCost },
  { title: "Regions", cell: (row) => row.regions?.join(", ") ?? <span class="nowrap">Everywhere</span> },
  { title: "Changed", kind: "moment", cell: (row) => formatMoment(row.updated_at) },
];

export const models: Resource<Model> = {
  path: "/console/models",
  api: "models",
  title: "Price book",
  about:
    "What each model costs. Your own prices apply first, then the platform's, which are listed once you have used them. A model without a price is refused, never free.",
  one: "model",
  icon: "models",
  empty: ["No prices yet", "Add the models you use, so that calls can report tokens instead of dollars."],
  role: "admin",
  idOf: ({ model }) => model,
  nameOf: ({ model }) => model,
  columns: [],
  moreColumns: ({ nowMs }) => Promise.resolve(columnsAt(nowMs)),
  factsOf: priceFacts,
  below: priceHistory,
  create: {
    title: "Add a model",
    save: "Add model",
    fields: [
      { name: "model", label: "Model", kind: "text", required: true, inPath: true, placeholder: "acme/m1" },
      ...TERMS,
      {
        name: "effective_at",
        label: "From (UTC)",
        kind: "moment",
        half: true,
        hint: "Leave empty to start now.",
      },
    ],
    put: (form) => `models/${encodeURIComponent(form.get("model")?.trim() ?? "")}`,
  },
  change: {
    method: "PUT",
    fields: TERMS,
    keeps: ["units", "tiers", "variants", "context_window", "max_output_tokens"],
    note: "Applies to decisions and runs from now on. Units, tiers and variants stay as they are.",
  },
  actions: [
    {
      ...DELETE,
      isFor: ({ source }) => source === "org",
      confirm: ({ model }) =>
        `From now on ${model} costs what the platform's price book says. If it says nothing, calls that report tokens are refused.`,
    },
  ],
};
