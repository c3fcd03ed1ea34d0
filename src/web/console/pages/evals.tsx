import type { Resource } from "../page/resource.ts";
import type { EvalResource } from "../../../contract/resources/routing.ts";
import { count, formatMoment } from "../view/format.ts";

export const evals: Resource<EvalResource> = {
  path: "/console/evals",
  api: "evals",
  title: "Eval results",
  about:
    "How models scored on your own eval suites. Routing requires a recent result, on enough samples, above the minimum score.",
  one: "model",
  icon: "evals",
  empty: ["No results yet", "Report an eval result here or with POST /v1/orgs/{id}/evals."],
  role: "admin",
  idOf: ({ model, suite, run_at }) => `${suite} ${model} ${run_at}`,
  nameOf: ({ model }) => model,
  subOf: ({ suite }) => `Suite ${suite}`,
  columns: [
    { title: "Score", kind: "number", cell: ({ score }) => score },
    { title: "Samples", kind: "number", cell: ({ samples }) => count(samples) },
    { title: "Ran", kind: "moment", cell: ({ run_at }) => formatMoment(run_at) },
  ],
  create: {
    title: "Report a result",
    save: "Report",
    fields: [
      {
        name: "suite",
        label: "Suite",
        kind: "text",
        required: true,
        half: true,
        placeholder: "support-answers",
      },
      { name: "model", label: "Model", kind: "text", required: true, half: true, placeholder: "acme/m1" },
      {
        name: "score",
        label: "Score, 0 to 1",
        kind: "number",
        required: true,
        half: true,
        placeholder: "0.93",
      },
      { name: "samples", label: "Samples", kind: "integer", required: true, half: true, placeholder: "400" },
      { name: "run_at", label: "Ran at (UTC)", kind: "moment", required: true, half: true },
    ],
  },
};
