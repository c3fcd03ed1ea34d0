import { DAY_MS } from "../../contract/durations.ts";
import { parseMoment } from "../../contract/list.ts";
import { invalidField, isRefusal } from "../../contract/refusal.ts";
import { unusualList, unusualQuery } from "../../contract/resources/unusual-spend.ts";
import { dateOfDay, dayOf } from "../../domain/forecast/series.ts";
import { allUnusual } from "../../domain/forecast/unusual-subjects.ts";
import { operation, reply } from "../../edge/request/operation.ts";

const DEFAULT_DAYS = 7;
const MOST_DAYS = 31;

const given = (text: string | undefined) =>
  text === undefined ? null : Math.floor((parseMoment(text) ?? 0) / DAY_MS);

export const listUnusual = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/usage/unusual",
    summary: "List days of unusual spend",
    description:
      "Days on which the organization, one of its 20 most expensive models, 50 most expensive customers, 30 most expensive keys or 30 most expensive users spent far more or less than the forecast from the days before `from` lets expect, or far more in an hour. Each subject and day is listed once. A subject is left out until it has 14 days before `from`; hours, keys and users are known for 35 days. In UTC; today counts only where it is above already.",
    role: "viewer",
    scope: "forecasts:read",
    query: unusualQuery,
    reply: { 200: unusualList },
    refuses: [],
  },
  async (call) => {
    const nowMs = call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0);
    const end = given(call.query.to) ?? dayOf(nowMs) + 1;
    const from = given(call.query.from) ?? end - DEFAULT_DAYS;
    if (end <= from) return invalidField("to", "out_of_range", "must be after from");
    if (end - from > MOST_DAYS) {
      return invalidField("to", "out_of_range", `must be at most ${MOST_DAYS} days after from`);
    }
    const ask = (withHours: boolean) => call.org.query("unusualSubjects", { from, to: end - 1, withHours });
    const first = await ask(true);
    // Days need no run, so they are listed where runs that are archived cannot be read.
    const read = isRefusal(first) && first.code === "service_unavailable" ? await ask(false) : first;
    if (isRefusal(read)) return read;
    const { sensitivity, today, subjects, isComplete, isWorthKeeping } = read.body;
    // While the org moves to another region, nothing is kept.
    if (isWorthKeeping) await call.org.command("keepHours", {});
    const asked = {
      from,
      to: end - 1,
      today,
      sensitivity: sensitivity === "off" ? "normal" : sensitivity,
    } as const;
    return reply(200, {
      from: dateOfDay(from),
      to: dateOfDay(end),
      sensitivity,
      complete: isComplete,
      data: allUnusual(subjects, asked),
    });
  },
);
