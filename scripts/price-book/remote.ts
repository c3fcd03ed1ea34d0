import type { NewPriceBook, PriceBook } from "../../src/contract/resources/price-book.ts";
import { Complaint } from "../complaint.ts";

/** A running Sluice, and its operator key. */
export interface Target {
  readonly url: string;
  readonly operatorKey: string;
}

export interface ReadBook {
  readonly book: PriceBook;
  readonly etag: string;
}

const PATH = "/v1/admin/price-book";

export async function readBook(target: Target): Promise<ReadBook> {
  const response = await send(target, "GET", {});
  const book: PriceBook = await response.json();
  return { book, etag: response.headers.get("etag") ?? "*" };
}

/** Refused if the book has changed since it was read. */
export async function writeBook(target: Target, etag: string, given: NewPriceBook): Promise<PriceBook> {
  const headers = { "content-type": "application/json", "if-match": etag };
  const response = await send(target, "PUT", { headers, body: JSON.stringify(given) });
  const book: PriceBook = await response.json();
  return book;
}

async function send(
  { url, operatorKey }: Target,
  method: string,
  { headers = {}, ...init }: { headers?: Record<string, string>; body?: string },
): Promise<Response> {
  const authorization = `Bearer ${operatorKey}`;
  let response: Response;
  try {
    response = await fetch(new URL(PATH, url), { method, headers: { ...headers, authorization }, ...init });
  } catch (error) {
    throw new Complaint(`${url} does not answer: start it, or pass --url (${String(error)})`);
  }
  if (response.status !== 200)
    throw new Complaint(`${method} ${PATH} answered ${response.status}: ${await response.text()}`);
  return response;
}
