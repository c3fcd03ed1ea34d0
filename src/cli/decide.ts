import { type Command, text, UsageError, wholeNumber } from "./command.ts";

export const decide: Command = {
  usage: "[options]",
  summary: "May a run spend this much? If so, it is reserved. Exit status 1: it may not.",
  options: {
    "cost-usd": { type: "string", says: "what it may cost, in dollars: 0.05" },
    model: { type: "string", says: "the model; with it, tokens are priced" },
    "input-tokens": { type: "string", says: "tokens that are sent to the model" },
    "max-output-tokens": { type: "string", says: "the most that the model may write" },
    "workflow-id": { type: "string", says: "the workflow that the run belongs to" },
    "customer-id": { type: "string", says: "the customer whom it is for" },
    "user-id": { type: "string", says: "the person whom it is for" },
    "dry-run": { type: "boolean", says: "answers, and reserves nothing" },
  },
  async run(given, { client, out }) {
    if (given.arguments.length > 0) throw new UsageError("decide takes options only");
    const estimate = {
      cost_usd: text(given, "cost-usd"),
      input_tokens: wholeNumber(given, "input-tokens"),
      max_output_tokens: wholeNumber(given, "max-output-tokens"),
    };
    const verdict = await client().decisions.decide({
      model: text(given, "model"),
      workflow_id: text(given, "workflow-id"),
      customer_id: text(given, "customer-id"),
      user_id: text(given, "user-id"),
      estimate,
      ...(given.options["dry-run"] === true ? { dry_run: true } : {}),
    });
    out(`${JSON.stringify(verdict, null, 2)}\n`);
  },
};
