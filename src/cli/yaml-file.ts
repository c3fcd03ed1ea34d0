import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";
import { Failure } from "./command.ts";
import { checkBounds } from "./yaml-bounds.ts";

export type Value = string | number | boolean | null | readonly Value[] | Fields;
export interface Fields {
  readonly [name: string]: Value;
}

/** A file of settings: its values, and the line of each by its path, such as `budgets[3].limit_usd`. */
export class SettingsFile {
  readonly name: string;
  readonly value: Fields;
  readonly #lines: ReadonlyMap<string, number>;

  constructor(name: string, text: string) {
    this.name = name;
    checkBounds(name, text);
    const counter = new LineCounter();
    const document = parseDocument(text, {
      lineCounter: counter,
      stringKeys: true,
      // Checked here, in linear time.
      uniqueKeys: false,
      prettyErrors: false,
    });
    const lineOf = (offset: number) => counter.linePos(offset).line;
    if (document.errors.length > 0) {
      throw new Failure(
        document.errors.map(({ pos: [at], message }) => `${name}:${lineOf(at)}: is not YAML: ${message}`),
      );
    }
    const reader = new Reader(name, lineOf);
    const value = document.contents === null ? {} : reader.read(document.contents, "");
    if (reader.mistakes.length > 0) throw new Failure(reader.mistakes);
    if (!isFields(value)) throw new Failure([`${name}:1: must be a map, such as "budgets: []"`]);
    this.value = value;
    this.#lines = reader.lines;
  }

  /** A mistake, with the line of the field or of the closest thing that has it. */
  mistake(path: string, why: string): string {
    let at = path;
    while (at !== "" && !this.#lines.has(at)) at = at.replace(/(^|\.)[^.[\]]*$|\[\d+\]$/, "");
    return `${this.name}:${this.#lines.get(at) ?? 1}: ${path}: ${why}`;
  }
}

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Amounts, which are exact as they are written and would not be as numbers. */
const MONEY = /(_usd|_usd_per_mtok)$|(^|\.)(units|variants)\.[^.]+$|alert_thresholds\[\d+\]$/;
/** In dollars where the unit says so. Whoever compares it knows. */
const AMOUNT = /\.limit$/;

class Reader {
  readonly lines = new Map<string, number>();
  readonly mistakes: string[] = [];
  readonly #name: string;
  readonly #lineOf: (offset: number) => number;

  constructor(name: string, lineOf: (offset: number) => number) {
    this.#name = name;
    this.#lineOf = lineOf;
  }

  read(node: Node, path: string): Value {
    if (!this.lines.has(path)) this.lines.set(path, this.#lineOf(node.range?.[0] ?? 0));
    if (isSeq(node)) {
      return node.items.map((item, index) => this.read(item as Node, `${path}[${index}]`));
    }
    if (isMap(node)) return this.#fields(node.items as unknown as readonly YamlItem[], path);
    return isScalar(node) ? this.#scalar(node.value, node.source ?? "", path) : null;
  }

  #fields(items: readonly YamlItem[], path: string): Fields {
    const fields: [string, Value][] = [];
    const seen = new Set<string>();
    for (const { key, value } of items) {
      const name = String(key.value);
      const at = joinPath(path, name);
      this.lines.set(at, this.#lineOf(key.range?.[0] ?? 0));
      if (seen.has(name)) this.#complain(at, "is there twice");
      seen.add(name);
      fields.push([name, value === null ? null : this.read(value, at)]);
    }
    return Object.fromEntries(fields);
  }

  #scalar(value: unknown, source: string, path: string): Value {
    if (typeof value === "number") {
      if (MONEY.test(path) || (AMOUNT.test(path) && !Number.isSafeInteger(value))) return source;
      if (Number.isFinite(value)) return value;
    } else if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    this.#complain(path, "must be a text, a number, true, false or null");
    return null;
  }

  #complain(path: string, why: string): void {
    this.mistakes.push(`${this.#name}:${this.lines.get(path) ?? 1}: ${path}: ${why}`);
  }
}

interface YamlItem {
  readonly key: { readonly value: unknown; readonly range?: readonly [number, number, number] | null };
  readonly value: Node | null;
}
