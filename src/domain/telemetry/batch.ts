import { attributesOf } from "./attributes.ts";
import { MOST_SPANS } from "./bounds.ts";
import type { Span } from "./span.ts";

/** A request ends here, too. Characters, each of which is at most three bytes. */
const MOST_CHARACTERS = 1_048_576;

/** The body of one request as it is made. */
export class SpanBatch {
  readonly #orgId: string;
  readonly #most: number;
  readonly #spans: string[] = [];
  #characters = 0;

  constructor(orgId: string, most: number = MOST_SPANS) {
    this.#orgId = orgId;
    this.#most = Math.min(most, MOST_SPANS);
  }

  get count(): number {
    return this.#spans.length;
  }

  /** False if it has no room. The first span always has. */
  add(span: Span): boolean {
    const text = JSON.stringify(span);
    const isFull = this.count >= this.#most || this.#characters + text.length > MOST_CHARACTERS;
    if (this.count > 0 && isFull) return false;
    this.#spans.push(text);
    this.#characters += text.length;
    return true;
  }

  /** An OTLP request. */
  body(): string {
    const attributes = attributesOf({ "service.name": "sluice", "sluice.org_id": this.#orgId });
    const resource = JSON.stringify({ attributes, droppedAttributesCount: 0 });
    return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"sluice"},"spans":[${this.#spans.join(",")}]}]}]}`;
  }
}
