import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { frameOf } from "../../scripts/stand-in/bedrock.ts";
import type { ProviderName } from "../../src/providers/table.ts";
import { LASTING } from "./lasting.ts";

/** Calls and answers of every API of the table, in the shapes that the references of the APIs document. */

const FOLDER = "test/fixtures/providers";

export interface Charged {
  readonly usage: object;
  /** At the price book's price, for calls that are made before a service with one. */
  readonly cost_usd?: string;
  readonly estimated: boolean;
}

interface Answer {
  /** What is reserved before the call. Null: the call is free. */
  readonly reserved?: Reserved | null;
  /** The usage of the answer at the price book's price. Null: the call is free. */
  readonly charged: Charged | null;
}

interface Reserved {
  readonly input_tokens?: number;
  readonly max_output_tokens?: number;
  readonly cost_usd?: string;
}

interface WholeAnswer extends Answer {
  readonly type?: string;
  readonly body?: object;
  /** For an answer that is not JSON. */
  readonly base64?: string;
}

type Members = Readonly<Record<string, unknown>>;

interface StreamedAnswer extends Answer {
  /** Where streams have a path of their own. */
  readonly call?: string;
  /** Default: server-sent events. */
  readonly framing?: "aws";
  /** The members by which a request asks for a stream. */
  readonly members: Members;
  readonly events: readonly { readonly event?: string; readonly data: object | string }[];
}

export interface ProviderFixture {
  readonly provider: ProviderName;
  /** Method and path. */
  readonly call: string;
  /** Null: the call is free. */
  readonly model: string | null;
  readonly request: {
    readonly json?: Readonly<Record<string, unknown>>;
    readonly form?: Readonly<Record<string, string>>;
    readonly file?: { readonly name: string; readonly type: string; readonly base64: string };
  };
  /** The bound that the request gets, because it has none. Null: it needs none. */
  readonly boundTokens: number | null;
  readonly whole: WholeAnswer;
  readonly stream: StreamedAnswer | null;
  readonly error: { readonly status: number; readonly body: object };
}

export type AnswerKind = "whole" | "stream" | "error";

export const ALL_FIXTURES: readonly ProviderFixture[] = readdirSync(FOLDER, {
  recursive: true,
  encoding: "utf8",
})
  .filter((path) => path.endsWith(".json"))
  .flatMap(
    (path) => JSON.parse(readFileSync(join(FOLDER, path), "utf8")) as ProviderFixture | ProviderFixture[],
  );

/** Of the two whose every call has a fixture. */
export const FIXTURES = ALL_FIXTURES.filter(
  ({ provider }) => provider === "openai" || provider === "anthropic",
);

export function fixtureOf(call: string): ProviderFixture {
  const found = FIXTURES.find((fixture) => fixture.call === call);
  if (found === undefined) throw new Error(`There is no fixture of ${call}.`);
  return found;
}

export function eventTexts({ stream }: ProviderFixture): string[] {
  return (stream?.events ?? []).map(({ event, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
  });
}

/** The events of a stream as they go over the wire. */
export function eventBytes(fixture: ProviderFixture): Buffer[] {
  const { framing, events = [] } = fixture.stream ?? {};
  if (framing === undefined) return eventTexts(fixture).map((text) => Buffer.from(text));
  return events.map(({ event = "", data }) =>
    frameOf({ ":message-type": "event", ":event-type": event }, data as object),
  );
}

/** The request as a caller sends it, asking for an answer of this kind. */
export function requestOf({ call, request }: ProviderFixture, members: Members = {}): RequestInit {
  const [method = ""] = call.split(" ");
  if (request.form !== undefined) return { method, body: formOf(request, members) };
  if (request.json === undefined) return { method };
  const body = JSON.stringify({ ...request.json, ...members });
  return { method, headers: { "content-type": "application/json" }, body };
}

function formOf({ form = {}, file }: ProviderFixture["request"], members: Members): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries({ ...form, ...members })) data.set(name, String(value));
  if (file !== undefined) data.set(file.name, fileOf(file), "file");
  return data;
}

export function fileOf({ base64, type }: { readonly base64: string; readonly type: string }): Blob {
  return new Blob([Buffer.from(base64, "base64")], { type });
}

/** The header by which a call says what it wants to be answered with, and its name in what the provider got. */
export const WANTED = "x-fixture";

export interface GotCall {
  readonly call: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface FixtureProvider {
  readonly url: string;
  readonly got: GotCall[];
  close(): void;
}

/** A provider that answers every call of the fixtures. */
export async function startFixtureProvider(): Promise<FixtureProvider> {
  const got: GotCall[] = [];
  const server = createServer(LASTING, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const call = `${request.method} ${request.url}`;
      got.push({ call, headers: request.headers, body: Buffer.concat(chunks).toString("latin1") });
      answer(fixtureOf(call), request.headers[WANTED] as AnswerKind, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The answer as it goes over the wire. */
export function bytesOf(fixture: ProviderFixture, wanted: AnswerKind): Buffer {
  const { whole, error } = fixture;
  if (wanted === "stream") return Buffer.from(eventTexts(fixture).join(""));
  if (wanted === "error") return Buffer.from(JSON.stringify(error.body));
  return whole.base64 === undefined
    ? Buffer.from(JSON.stringify(whole.body))
    : Buffer.from(whole.base64, "base64");
}

function answer(fixture: ProviderFixture, wanted: AnswerKind, response: ServerResponse): void {
  const { whole, error } = fixture;
  if (wanted === "stream") {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const text of eventTexts(fixture)) response.write(text);
    response.end();
    return;
  }
  const isError = wanted === "error";
  const type = isError ? undefined : whole.type;
  response.writeHead(isError ? error.status : 200, { "content-type": type ?? "application/json" });
  response.end(bytesOf(fixture, wanted));
}
