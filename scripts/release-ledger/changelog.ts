/** A changelog in the form of Keep a Changelog: lines under a heading such as `Deprecated`, under a version. */
export type Changelog = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

export function parseChangelog(text: string): Changelog {
  const versions = new Map<string, Map<string, string[]>>();
  let sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const version = /^## \[([^\]]+)\]/.exec(line)?.[1];
    const heading = /^### (\S+)/.exec(line)?.[1];
    if (version !== undefined) {
      sections = new Map();
      versions.set(version, sections);
      lines = [];
    } else if (heading !== undefined) {
      lines = [];
      sections.set(heading, lines);
    } else if (line.startsWith("- ")) {
      lines.push(line.slice(2));
    } else if (line.startsWith("  ") && lines.length > 0) {
      lines.push(`${lines.pop()} ${line.trim()}`);
    }
  }
  return versions;
}

/** The line that announces a surface starts with its name. */
export function lineOf(
  changelog: Changelog,
  version: string,
  heading: string,
  surface: string,
): string | undefined {
  return changelog
    .get(version)
    ?.get(heading)
    ?.find((line) => line.startsWith(`\`${surface}\``));
}
