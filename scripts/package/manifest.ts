/** The fields of package.json that whoever installs the package needs. What the Worker is built with is none of theirs. */
const PUBLISHED = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "engines",
  "bin",
  "exports",
  "files",
  // Of others' packages, all optional: which of their versions the adapters work with.
  "peerDependencies",
  "peerDependenciesMeta",
] as const;

export function publishedManifest(text: string): string {
  const manifest = JSON.parse(text) as Record<string, unknown>;
  const published = Object.fromEntries(PUBLISHED.map((field) => [field, manifest[field]]));
  return `${JSON.stringify({ ...published, sideEffects: false }, null, 2)}\n`;
}
