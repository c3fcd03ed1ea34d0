import type { DecisionsDecideBody } from "../client/index.ts";
import { type Command, text, UsageError, wholeNumber } from "./command.ts";
import { CALL_OPTIONS, clientFor } from "./connection.ts";

type NameField = Exclude<Extract<keyof DecisionsDecideBody, `${string}_id`>, "request_id" | "approval_id">;

/** Each is an option of the same name, with hyphens. */
const NAMES = {
  workflow_id: "the workflow that the run belongs to",
  deployment_id: "the deployment that makes it",
  department_id: "the department that pays",
  customer_id: "the customer whom it is for",
  user_id: "the person whom it is for",
} satisfies Record<NameField, string>;

const optionOf = (field: string) => field.replaceAll("_", "-");

export const decide: Command = {
  usage: "[options]",
  summary: "May a run spend this much? If so, it is reserved. Exit status 1: it may not.",
  options: {
    "cost-usd": { type: "string", says: "what it may cost, in dollars: 0.05" },
    model: { type: "string", says: "the model; with it, tokens are priced" },
    "input-tokens": { type: "string", says: "tokens that are sent to the model" },
    "max-output-tokens": { type: "string", says: "the most that the model may write" },
    ...Object.fromEntries(
      Object.entries(NAMES).map(([field, says]) => [optionOf(field), { type: "string", says }]),
    ),
    "dry-run": { type: "boolean", says: "answers, and reserves nothing" },
    ...CALL_OPTIONS,
  },
  async run(given, terminal) {
    if (given.arguments.length > 0) throw new UsageError("decide takes options only");
    const estimate = {
      cost_usd: text(given, "cost-usd"),
      input_tokens: wholeNumber(given, "input-tokens"),
      max_output_tokens: wholeNumber(given, "max-output-tokens"),
    };
    const verdict = await clientFor(given, terminal).decisions.decide({
      model: text(given, "model"),
      ...Object.fromEntries(Object.keys(NAMES).map((field) => [field, text(given, optionOf(field))])),
      estimate,
      ...(given.options["dry-run"] === true ? { dry_run: true } : {}),
    });
    terminal.out(`${JSON.stringify(verdict, null, 2)}\n`);
  },
};
