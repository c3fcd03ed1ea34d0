import type { Schema } from "../frozen-contract/openapi.ts";

/** The shapes of the OpenAPI document as TypeScript: what the client's types are made of. */

const REF = "#/components/schemas/";

export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(REF.length);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const kinds = schema.anyOf ?? schema.oneOf;
  if (kinds !== undefined) return unionOf(kinds.map(typeOf));
  if (schema.allOf !== undefined && schema.type === undefined)
    return schema.allOf.map((part) => grouped(typeOf(part))).join(" & ");
  if (Array.isArray(schema.type)) {
    return unionOf((schema.type as string[]).map((type) => typeOf({ ...schema, type })));
  }
  return plainTypeOf(schema);
}

function plainTypeOf(schema: Schema): string {
  const { type, items } = schema;
  if (type === "object") return objectType(schema);
  if (type === "array") return `readonly ${grouped(typeof items === "object" ? typeOf(items) : "unknown")}[]`;
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const entries = Object.entries(properties);
  const others = typeof additionalProperties === "object" ? typeOf(additionalProperties) : null;
  const record = others === null ? "{}" : `Readonly<Record<string, ${others}>>`;
  if (entries.length === 0) return others === null ? "Readonly<Record<string, never>>" : record;
  const fields = entries.map(([name, field]) => {
    const optional = required.includes(name) ? "" : "?";
    return `${noteOf(field)}readonly ${propertyName(name)}${optional}: ${optionally(typeOf(field), optional)};`;
  });
  const object = `{\n${fields.join("\n")}\n}`;
  return others === null ? object : `${object} & ${record}`;
}

/** Callers may pass `undefined` for what they leave out, whatever their compiler's settings. */
function optionally(type: string, optional: string): string {
  return optional === "" || type === "unknown" ? type : `${type} | undefined`;
}

export function noteOf({ description }: { readonly description?: string | undefined }): string {
  return description === undefined ? "" : `/** ${description.replaceAll("*/", "* /")} */\n`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types.map(grouped))].join(" | ");
}

function grouped(type: string): string {
  return /^[\w"'.[\]-]+$/.test(type) || /^Readonly<[^|&]*>$/.test(type) || isOneObject(type)
    ? type
    : `(${type})`;
}

/** Whether a text is one object type, from its first brace to its last. */
export function isOneObject(type: string): boolean {
  let depth = 0;
  for (let at = 0; at < type.length; at += 1) {
    const character = type.charAt(at);
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth === 0) return at === type.length - 1 && character === "}";
  }
  return false;
}
