import { dollarsIn, type EventData, numberIn, textIn } from "./event-data.ts";
import { type EventText, type Fact, foreignText, momentText, quoteText } from "./message.ts";

function listIn(data: EventData, field: string): readonly EventData[] {
  const value = data[field];
  return Array.isArray(value) ? (value as EventData[]) : [];
}

const spentOf = (line: EventData): string =>
  `${dollarsIn(line, "spent_usd") ?? "$0"} (before: ${dollarsIn(line, "previous_usd") ?? "$0"})`;

const nameOf = (line: EventData): string => {
  const name = textIn(line, "name") ?? textIn(line, "limit_id");
  return name === null ? "without a name" : quoteText(name);
};

/** A digest as people read it. */
export function digestText(data: EventData): EventText {
  const facts: Fact[] = [
    ["Spent", spentOf(data)],
    ...listIn(data, "by_model").map((line): Fact => [`Model ${nameOf(line)}`, spentOf(line)]),
    ...listIn(data, "changed_most").map((line): Fact => [
      `Changed: ${foreignText(textIn(line, "kind") ?? "")} ${nameOf(line)}`,
      spentOf(line),
    ]),
    ...listIn(data, "runs_out").map((line): Fact => [
      `Runs out: ${nameOf(line)}`,
      momentText(textIn(line, "runs_out_at") ?? ""),
    ]),
    ...listIn(data, "refused").map((line): Fact => [
      `Refused: ${foreignText(textIn(line, "code") ?? "")}`,
      String(numberIn(line, "count") ?? 0),
    ]),
    ...listIn(data, "unusual").map((line): Fact => [
      `Unusual on ${foreignText(textIn(line, "date") ?? "")}: ${textIn(line, "subject_id") === null ? "the organization" : quoteText(textIn(line, "subject_id") ?? "")}`,
      `${dollarsIn(line, "spent_usd") ?? "$0"} (usual: ${dollarsIn(line, "expected_usd") ?? "$0"})`,
    ]),
  ];
  const [from, to] = [textIn(data, "from") ?? "", textIn(data, "to") ?? ""];
  return {
    title: `What was spent from ${foreignText(from)} until ${foreignText(to)}`,
    facts,
    advice: "The console has what is behind each number.",
    path: "/console",
    severity: "info",
  };
}
