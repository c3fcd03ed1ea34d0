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
    hint: "Where it may run, for routing. Left empty: everywhere.",
  },
];

export const models: Resource<Model> = {
  path: "/console/models",
  api: "models",
  title: "Price book",
  about:
    "What each model costs. A decision or run that says tokens instead of dollars is priced from it; a model without a price is refused, never free.",
  one: "model",
  icon: "models",
  empty: [
    "No model has a price",
    "Add the models that you use, so that calls may say tokens instead of dollars.",
  ],
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
    save: "Add to the price book",
    fields: [
      { name: "model", label: "Model", kind: "text", required: true, inPath: true, placeholder: "acme/m1" },
      ...TERMS,
    ],
    put: (form) => `models/${encodeURIComponent(form.get("model")?.trim() ?? "")}`,
  },
  change: { method: "PUT", fields: TERMS, note: "Holds for decisions and runs from now on." },
  actions: [
    { ...DELETE, confirm: ({ model }) => `Calls that ask for ${model} by tokens are refused from now on.` },
  ],
};
