import { Complaint } from "../complaint.ts";

/** The text of wrangler.toml with the id of a database in it. Everything else stays as it is, comments included. */
export function withDatabaseId(text: string, environment: string, name: string, id: string): string {
  const heading = environment === "" ? "[[d1_databases]]" : `[[env.${environment}.d1_databases]]`;
  const lines = text.split("\n");
  for (let at = lines.indexOf(heading); at !== -1; at = lines.indexOf(heading, at + 1)) {
    const next = lines.findIndex((line, index) => index > at && line.startsWith("["));
    const end = next === -1 ? lines.length : next;
    const table = lines.slice(at, end);
    if (!table.some((line) => line.replaceAll(" ", "") === `database_name="${name}"`)) continue;
    const index = table.findIndex((line) => /^database_id\s*=/.test(line));
    if (index === -1) break;
    lines[at + index] = `database_id = "${id}"`;
    return lines.join("\n");
  }
  throw new Complaint(`wrangler.toml has no ${heading} with database_name = "${name}" and a database_id`);
}
