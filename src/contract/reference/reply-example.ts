import type { Schema, Schemas } from "./complete.ts";
import { FIELD_WORDS } from "./field-words.ts";
import { REPLY_WORDS } from "./reply-words.ts";

/** An example of a reply, from what its schema says and what its fields are called. */

const MOST_DEPTH = 16;

interface FieldPlace {
  /** The field, and the field or resource that it belongs to. */
  readonly name: string;
  readonly owner: string;
  readonly schemas: Schemas;
  readonly depth: number;
}

export function replyExample(schema: Schema, schemas: Schemas, owner: string): unknown {
  return exampleAt(schema, { name: owner, owner, schemas, depth: 0 });
}

function exampleAt(schema: Schema, place: FieldPlace): unknown {
  if (place.depth > MOST_DEPTH) return null;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return exampleAt(place.schemas[name] ?? {}, { ...place, name, owner: name, depth: place.depth + 1 });
  }
  const said = [schema.examples?.[0], schema.example, schema.const, wordFor(schema, place), schema.enum?.[0]];
  const known = said.find((value) => value !== undefined);
  if (known !== undefined) return known;
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const option = options.find(({ type }) => type !== "null");
  return option === undefined
    ? valueOf(schema, place)
    : exampleAt(option, { ...place, depth: place.depth + 1 });
}

/** The words of a field, if their example is of the field's type. */
function wordFor(schema: Schema, { name, owner }: FieldPlace): unknown {
  for (const words of [REPLY_WORDS, FIELD_WORDS]) {
    const example = (words[`${owner}.${name}`] ?? words[name])?.example;
    if (example !== undefined && fitsSchema(schema, example)) return example;
  }
  return undefined;
}

function fitsSchema(schema: Schema, example: unknown): boolean {
  const types = schema.type === undefined ? typesOf(schema) : [schema.type].flat();
  if (example === null) return types.includes("null");
  if (schema.enum !== undefined) return schema.enum.includes(example);
  if (schema.properties !== undefined || schema.items?.properties !== undefined) return false;
  if (typeof example === "string" && !new RegExp(schema.pattern ?? "").test(example)) return false;
  const isWhole = Number.isInteger(example) && types.includes("integer");
  return isWhole || types.includes(Array.isArray(example) ? "array" : typeof example);
}

function typesOf({ anyOf = [] }: Schema): string[] {
  return anyOf.flatMap(({ type = [] }) => type);
}

function valueOf(schema: Schema, place: FieldPlace): unknown {
  const { properties, items, additionalProperties, pattern = "" } = schema;
  const depth = place.depth + 1;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, field]) => [name, exampleAt(field, { ...place, name, owner: place.name, depth })] as const,
    );
    return Object.fromEntries(fields);
  }
  if (items !== undefined) return [exampleAt(items, { ...place, depth })];
  const [type] = [schema.type ?? (additionalProperties === undefined ? "anything" : "object")].flat();
  if (type === "object") return recordOf(additionalProperties, { ...place, depth });
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return 1;
  const prefix = /^\^([a-z]+)_\[/.exec(pattern)?.[1];
  return prefix === undefined ? place.name.replaceAll("_", " ") : `${prefix}_01M7HTM37XKXAVSGTYB4RGP8HM`;
}

/** One entry, or none where anything may stand. */
function recordOf(values: Schema | boolean | undefined, place: FieldPlace): object {
  if (typeof values !== "object" || Object.keys(values).length === 0) return {};
  return { example: exampleAt(values, place) };
}
