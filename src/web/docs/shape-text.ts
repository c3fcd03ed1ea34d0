import * as z from "zod";

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** A shape as a person reads it: fields, types, what is optional, and what each means. */
export function shapeOf(shape: z.ZodType, io: "input" | "output"): string {
  const schema = z.toJSONSchema(shape, { io, unrepresentable: "any", reused: "inline" }) as JsonSchema;
  return render(schema, schema.$defs ?? {}, "");
}

function render(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, indent: string): string {
  if (schema.$ref !== undefined) return render(defs[schema.$ref.split("/").at(-1) ?? ""] ?? {}, defs, indent);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((option) => render(option, defs, indent)).join(" | ");
  if (schema.properties !== undefined) {
    const inner = `${indent}  `;
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const optional = schema.required?.includes(name) === true ? "" : "?";
      const note = field.description === undefined ? "" : `  // ${field.description}`;
      return `${inner}${name}${optional}: ${render(field, defs, inner)}${note}`;
    });
    return fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n${indent}}`;
  }
  if (schema.items !== undefined) return `[ ${render(schema.items, defs, indent)} ]`;
  return schema.type ?? "any";
}
