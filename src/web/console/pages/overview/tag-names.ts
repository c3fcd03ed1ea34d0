import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import type { ListOf, Visit } from "../../visit.ts";

/** The latest runs say which tags are in use. */
const LOOKED_AT = 100;
const MOST_OFFERED = 20;

/** The tags of the latest runs, as names and as `name=value`, the most frequent first. */
export async function readTags(
  visit: Visit,
): Promise<{ readonly names: string[]; readonly pairs: string[] }> {
  const { body } = await visit.api.get<ListOf<RunResource>>(`/v1/runs?limit=${LOOKED_AT}`);
  const tags = (body?.data ?? []).flatMap((run) => Object.entries(run.tags));
  return {
    names: mostFrequent(tags.map(([name]) => name)),
    pairs: mostFrequent(tags.map(([name, value]) => `${name}=${value}`)),
  };
}

function mostFrequent(all: readonly string[]): string[] {
  const counts = Map.groupBy(all, (one) => one);
  return [...counts]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, MOST_OFFERED)
    .map(([name]) => name);
}
