import { FIELD_WORDS, type FieldWords } from "./field-words.ts";
import { PARAMETER_WORDS } from "./parameter-words.ts";

/** A JSON schema, as far as it matters here. */
export interface Schema {
  $ref?: string;
  description?: string;
  example?: unknown;
  examples?: unknown[];
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  type?: string | string[];
  pattern?: string;
  additionalProperties?: Schema | boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** A parameter of the path, the query or a header. */
export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  description?: string;
  schema?: Schema;
}

const MOST_DEPTH = 16;

function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function optionsOf({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] {
  return [...anyOf, ...oneOf, ...allOf];
}

/** Gives every field of a request its words, and an example. `owner` is the field or resource that it belongs to. */
export function completeFields(schema: Schema, schemas: Schemas, owner: string, depth = 0): void {
  if (depth > MOST_DEPTH) return;
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    completeFields(schemas[name] ?? {}, schemas, name, depth + 1);
    return;
  }
  for (const option of optionsOf(schema)) completeFields(option, schemas, owner, depth + 1);
  if (schema.items !== undefined) completeFields(schema.items, schemas, owner, depth + 1);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    completeFields(field, schemas, name, depth + 1);
    complete(field, FIELD_WORDS[`${owner}.${name}`] ?? FIELD_WORDS[name] ?? {}, schemas);
  }
}

function complete(field: Schema, { says, example }: FieldWords, schemas: Schemas): void {
  if (says !== undefined && field.description === undefined && field.$ref === undefined)
    field.description = says;
  if (field.examples !== undefined || field.example !== undefined || field.$ref !== undefined) return;
  const shown =
    example !== undefined && isAllowed(field, example) ? asTyped(field, example) : exampleOf(field, schemas);
  if (shown !== undefined) field.examples = [shown];
}

/** Numbers of queries and headers are texts. */
function asTyped({ type }: Schema, example: unknown): unknown {
  return type === "string" && typeof example === "number" ? String(example) : example;
}

function isAllowed({ enum: values }: Schema, example: unknown): boolean {
  return values === undefined || values.includes(example);
}

/** Returns what the schema itself suggests: its example, its only value, its parts. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  if (depth > MOST_DEPTH) return undefined;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.$ref !== undefined) return exampleOf(resolved(schema, schemas), schemas, depth + 1);
  const option = optionsOf(schema).find(({ type }) => type !== "null");
  if (option !== undefined) return exampleOf(option, schemas, depth + 1);
  if (schema.properties !== undefined) return objectOf(schema.properties, schemas, depth + 1);
  if (schema.items !== undefined) return listOf(schema.items, schemas, depth + 1);
  return schema.type === "boolean" ? true : undefined;
}

function objectOf(properties: Readonly<Record<string, Schema>>, schemas: Schemas, depth: number): object {
  const shown = Object.entries(properties).map(
    ([name, field]) => [name, exampleOf(field, schemas, depth)] as const,
  );
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

function listOf(items: Schema, schemas: Schemas, depth: number): unknown[] {
  const one = exampleOf(items, schemas, depth);
  return one === undefined ? [] : [one];
}

/** Parameters have words of their own: `id` is the organization in every path. */
export function completeParameter(parameter: Parameter, schemas: Schemas): void {
  const { in: place, name } = parameter;
  const words = PARAMETER_WORDS[`${place}:${name}`] ?? PARAMETER_WORDS[name] ?? FIELD_WORDS[name] ?? {};
  const schema = (parameter.schema ??= {});
  if (place === "path" && words.says !== undefined) parameter.description = words.says;
  else if (words.says !== undefined) parameter.description ??= schema.description ?? words.says;
  complete(
    schema,
    { ...words, ...(parameter.description === undefined ? {} : { says: parameter.description }) },
    schemas,
  );
}
