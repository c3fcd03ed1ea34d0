import { type Request, Response } from "miniflare";

/**
 * The scripts of Workers, for runtimes that ask for them. As part of its configuration, which Miniflare copies whenever it
 * grows, a script would cost as much again as a runtime takes to start, and each isolate has one.
 */
const names = new Map<string, string>();
const modules = new Map<string, Uint8Array>();

/** A module that is this script. */
export function entryOf(script: string): string {
  const name = names.get(script) ?? serve(script);
  return `export * from "./${name}"; export { default } from "./${name}";`;
}

/** The same with a clock that starts in the past, as the other script moves it. */
export function pastEntryOf(script: string, clockScript: string): string {
  const [name, clock] = [script, clockScript].map((one) => names.get(one) ?? serve(one));
  return `import { startInThePast } from "./${clock}"; import * as program from "./${name}";
const past = startInThePast(program); export const { OrgObject } = past;
export * from "./${name}"; export default past.worker;`;
}

function serve(script: string): string {
  const name = `worker-${names.size + 1}.mjs`;
  names.set(script, name);
  modules.set(name, Buffer.from(JSON.stringify({ name, esModule: script })));
  return name;
}

/** What a runtime gets that asks for a module that it was not started with. */
export function moduleFor(request: Request): Response {
  const asked = new URL(request.url).searchParams.get("specifier");
  const module = modules.get(asked?.replace(/^\//, "") ?? "");
  return new Response(module ?? null, { status: module === undefined ? 404 : 200 });
}
