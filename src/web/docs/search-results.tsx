import type { FoundSection } from "./guide-search.ts";

/** Shows what a search of the guides found. */
export function SearchResults({ query, of }: { query: string; of: readonly FoundSection[] }) {
  return (
    <>
      <h1>Search the guides</h1>
      {of.length === 0 ? (
        <p>
          No guide has “{query}”. The <a href="/docs">API reference</a> has a search of its own.
        </p>
      ) : (
        <>
          <p>
            {of.length} {of.length === 1 ? "part has" : "parts have"} “{query}”.
          </p>
          <ul class="found">
            {of.map(({ guide, heading, href, excerpt }) => (
              <li>
                <a href={href}>{guide === heading ? guide : `${guide}: ${heading}`}</a>
                <p>{excerpt}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
