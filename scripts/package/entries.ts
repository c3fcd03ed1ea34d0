import manifest from "../../package.json" with { type: "json" };

/** What the package exports: the name, and the file of `src` that it is built from. */
export interface PackageEntry {
  readonly name: string;
  readonly source: string;
}

/** The command of the package, which exports nothing. */
export const COMMAND: PackageEntry = { name: "cli", source: "src/cli/main.ts" };

const TYPES = /^\.\/dist\/types\/(.+)\.d\.ts$/;

/** Read from `exports`, so that nothing is published that is not built. */
export function packageEntries(): PackageEntry[] {
  return Object.entries(manifest.exports).map(([name, { types }]) => {
    const source = TYPES.exec(types)?.[1];
    if (source === undefined) throw new Error(`package.json: ${name} names its types at ${types}`);
    return { name: name === "." ? "index" : name.slice("./".length), source: `src/${source}.ts` };
  });
}
