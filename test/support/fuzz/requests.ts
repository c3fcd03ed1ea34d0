import { pick, type Random } from "../../../scripts/chaos/random.ts";
import {
  type ApiDocument,
  type ApiOperation,
  resolved,
  type Schema,
} from "../../../scripts/frozen-contract/openapi.ts";
import { chance, hostileText, hostileValue, mutated, valueOf } from "./values.ts";

/** Requests of the operations of an OpenAPI document, as it describes them and as it does not. */

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface FuzzTarget {
  readonly document: ApiDocument;
  /** Such as `GET /v1/orgs/{id}`. */
  readonly name: string;
  readonly operation: ApiOperation;
  /** How many of its parts are changed to something that is not described: 0 for a request as described. */
  readonly harm: number;
  /** Ids and cursors that earlier answers had, by the name of the parameter, and files as `file`. */
  readonly known: (param: string) => readonly string[];
  /** A text with the ids of the document's examples replaced by ids that there are. */
  readonly withKnownIds: (text: string) => string;
}

const NAMES = ["a", "openai", "gpt-4o", "c1", "daily", "runs"] as const;
/** As they are in a path, which no client that builds URLs would send. */
const PATH_PARTS = [
  "%",
  "%zz",
  "%00",
  "%ED%A0%80",
  "%ff",
  "%2e%2e",
  "%2f",
  "..%2f..",
  ";",
  "'",
  "*",
  "%F0%9F%98%80",
  "__proto__",
  "constructor",
  "x".repeat(65),
  "x".repeat(300),
  "%20",
  "+",
  "ft:gpt-4o-mini-2024-07-18:acme::id",
] as const;

const HEADERS = [
  "idempotency-key",
  "if-match",
  "if-none-match",
  "accept",
  "content-type",
  "traceparent",
  "x-sluice-dry-run",
  "x-forwarded-for",
  "cookie",
  "range",
  "origin",
] as const;
const HEADER_TEXTS = [
  "",
  "*",
  '"x"',
  'W/"1", "2"',
  "true",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "text/html",
  "application/json; charset=utf-16",
  "text/csv",
  "bytes=0-1",
  "x".repeat(4000),
  "\u00e9\u00ff",
  "a, b",
] as const;

/** What replaces a number or is put into the text of a body. */
const RAW_NUMBERS = ["1e400", "-0", "0x10", "00", "1e-400", "9".repeat(400), "-", "01"] as const;

/** A parameter and the part of the path above it. */
export const PARAM = /([^/]+)\/\{(\w+)\}/g;

/** Some are named by what they are below alone: `runs/{id}` is the `run_id` of other paths. */
export function nameOf(above: string, param: string): string {
  return param === "id" ? `${above.replace(/s$/, "")}_id` : param;
}

export function requestOf(random: Random, target: FuzzTarget): FuzzRequest {
  const { name, operation, harm } = target;
  const [method = "", template = ""] = name.split(" ");
  const isHarmed = () => harm > 0 && chance(random, 0.15 * harm);
  const path = template.replaceAll(PARAM, (_, above: string, param: string) => {
    const part = isHarmed()
      ? pick(random, PATH_PARTS)
      : encodeURIComponent(plainParam(random, target, nameOf(above, param)));
    return `${above}/${part}`;
  });
  const query = queryOf(random, target, isHarmed);
  const body = method === "GET" || method === "HEAD" ? null : bodyOf(random, target, isHarmed);
  const [media = "application/json"] = Object.keys(operation.requestBody?.content ?? {});
  const headers: Record<string, string> = body === null ? {} : { "content-type": media };
  const share = pick(random, [0, 0.1, 0.3]);
  for (const { in: place, name: header, schema = {}, required } of operation.parameters ?? []) {
    if (place !== "header" || !(required === true || chance(random, share))) continue;
    const text = isHarmed() ? hostileText(random) : plainText(random, target, header, schema);
    headers[header.toLowerCase()] = asHeader(text);
  }
  if (isHarmed()) headers[pick(random, HEADERS)] = pick(random, HEADER_TEXTS);
  return { method, path: query === "" ? path : `${path}?${query}`, headers, body };
}

function plainText(random: Random, { document, known }: FuzzTarget, name: string, schema: Schema): string {
  const [first, ...rest] = known(name);
  if (first !== undefined) return pick(random, [first, ...rest]);
  return String(valueOf(random, schema, { resolve: (one) => resolved(document, one), name }));
}

/** Header values that Node sends: everything else never gets past a client. */
function asHeader(text: string): string {
  return text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "").slice(0, 8000);
}

function plainParam(random: Random, { known }: FuzzTarget, param: string): string {
  const [first, ...rest] = known(param);
  return first === undefined ? pick(random, NAMES) : pick(random, [first, ...rest]);
}

function queryOf(random: Random, target: FuzzTarget, isHarmed: () => boolean): string {
  const pairs: string[] = [];
  const cursors = target.known("cursor");
  const share = pick(random, [0, 0.1, 0.3]);
  for (const { in: place, name, schema = {}, required } of target.operation.parameters ?? []) {
    if (place !== "query" || !(required === true || chance(random, share))) continue;
    const text = isHarmed() ? hostileText(random).slice(0, 4000) : plainText(random, target, name, schema);
    const cursor = name === "cursor" ? cursors[Math.floor(random() * cursors.length)] : undefined;
    pairs.push(
      `${name}=${queryText(cursor === undefined ? text : isHarmed() ? spoiled(random, cursor) : cursor)}`,
    );
  }
  if (isHarmed())
    pairs.push(pick(random, ["zz=1", "limit=1&limit=2", "%zz=%", "sort=-__proto__", "=", "cursor=e30"]));
  return pairs.join("&");
}

function queryText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** One character of a text is another one. */
function spoiled(random: Random, text: string): string {
  const at = Math.floor(random() * text.length);
  return `${text.slice(0, at)}${pick(random, ["A", "0", "_", ""])}${text.slice(at + 1)}`;
}

interface Described {
  readonly schema?: Schema;
  readonly example?: unknown;
}

function bodyOf(random: Random, target: FuzzTarget, isHarmed: () => boolean): Buffer | null {
  const { document, operation, harm, known, withKnownIds } = target;
  if (operation.requestBody === undefined)
    return isHarmed() ? Buffer.from(JSON.stringify(hostileValue(random))) : null;
  const described: Described | undefined = operation.requestBody.content["application/json"];
  if (described === undefined) {
    const file = known("file").at(-1) ?? "";
    return Buffer.from(isHarmed() ? spoiled(random, file) : file, "latin1");
  }
  const { schema = {}, example } = described;
  const isExample = example !== undefined && chance(random, 0.6);
  const plain = isExample
    ? example
    : valueOf(random, schema, { resolve: (one) => resolved(document, one), name: "" });
  const text = withKnownIds(JSON.stringify(mutated(random, plain, Math.floor(random() * (harm + 1)))));
  return Buffer.from(isHarmed() && chance(random, 0.3) ? spoiledText(random, text) : text);
}

function spoiledText(random: Random, text: string): string | Buffer {
  const at = Math.floor(random() * text.length);
  return pick<() => string | Buffer>(random, [
    () => text.slice(0, at),
    () => text.replace(/-?\d+(\.\d+)?/, pick(random, RAW_NUMBERS)),
    () => text.replace("{", '{"__proto__":{"a":1},"constructor":1,'),
    () => `\ufeff${text}`,
    () => `${text}${text}`,
    () => text.replace("{", `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)},`),
    () => text.replace("{", `{"${"x".repeat(20_000)}":1,`),
    () => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0]), Buffer.from(text.slice(at))]),
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xed, 0xa0, 0x80, 0xff]),
        Buffer.from(text.slice(at)),
      ]),
    () => text.replaceAll(/"([^"\\]{2,})"/g, (_, word: string) => `"\\ud800${word}"`),
    () => " \n".repeat(30_000) + text,
    () => "",
  ])();
}
