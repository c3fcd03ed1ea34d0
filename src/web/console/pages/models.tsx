import { DELETE, type Resource } from "../page/resource.ts";
import type { Model } from "../../../contract/resources/models.ts";
import type { Field } from "../view/field.ts";
import { moment, usd } from "../view/format.ts";

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
    name: "regions",
    label: "Regions",
    kind: "list",
    placeholder: "eu, us",
    hint: "Regions that routing may use this model in. Leave empty for all regions.",
  },
];

export const models: Resource<Model> = {
  path: "/console/models",
  api: "models",
  title: "Price book",
  about:
    "What each model costs. Decisions and runs that report tokens instead of dollars are priced from it. A model without a price is refused, never free.",
  one: "model",
  icon: "models",
  empty: ["No prices yet", "Add the models you use, so that calls can report tokens instead of dollars."],
  role: "admin",
  idOf: ({ model }) => model,
  nameOf: ({ model }) => model,
  columns: [
    { title: "Input, per million", kind: "number", cell: (row) => usd(row.input_usd_per_mtok) },
    { title: "Output, per million", kind: "number", cell: (row) => usd(row.output_usd_per_mtok) },
    { title: "Regions", cell: (row) => row.regions?.join(", ") ?? "Everywhere" },
    { title: "Changed", kind: "moment", cell: (row) => moment(row.updated_at) },
  ],
  create: {
    title: "Add a model",
    save: "Add model",
    fields: [
      { name: "model", label: "Model", kind: "text", required: true, inPath: true, placeholder: "acme/m1" },
      ...TERMS,
    ],
    put: (form) => `models/${encodeURIComponent(form.get("model")?.trim() ?? "")}`,
  },
  change: { method: "PUT", fields: TERMS, note: "Applies to decisions and runs from now on." },
  actions: [
    { ...DELETE, confirm: ({ model }) => `Calls that price ${model} by tokens are refused from now on.` },
  ],
};
