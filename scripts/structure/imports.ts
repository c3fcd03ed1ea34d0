import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type Edge = readonly [from: string, to: string];

/** Which file of `src` imports which, from the text of its imports. */
export function importsUnder(root: string): Edge[] {
  return globSync("src/**/*.{ts,tsx}", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path = ""]): Edge => [
      file,
      normalize(join(dirname(file), path)),
    ]);
  });
}

/** The groups of places that import each other in a cycle. `placeOf` maps a file to its place. */
export function circlesOf(edges: readonly Edge[], placeOf: (file: string) => string | null): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    const [here, there] = [placeOf(from), placeOf(to)];
    if (here === null || there === null || here === there) continue;
    next.set(here, (next.get(here) ?? new Set()).add(there));
  }
  const circles = new Map<string, string[]>();
  for (const place of next.keys()) {
    const reached = reachedFrom(place, next);
    if (!reached.has(place)) continue;
    const circle = [...reached].filter((other) => reachedFrom(other, next).has(place)).sort();
    circles.set(circle.join(" "), circle);
  }
  return [...circles.values()];
}

function reachedFrom(place: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [...(next.get(place) ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    for (const further of next.get(at) ?? []) open.push(further);
  }
  return reached;
}
