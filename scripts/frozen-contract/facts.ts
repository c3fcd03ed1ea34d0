import { type ApiDocument, operationsOf, resolved, type Schema } from "./openapi.ts";

/**
 * The contract as a flat list of facts that callers may rely on: an operation, a parameter, a field, one value of an
 * enum, a status, a code. Each has a readable name and the meaning that it must keep.
 */

/** What callers send, what they receive, or that something exists. */
type Side = "in" | "out" | "is";

export interface Fact {
  readonly side: Side;
  readonly types?: readonly string[];
  /** For input: must be sent. For output: is always present. */
  readonly required?: boolean;
  /** Only the listed values occur. */
  readonly closed?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: string;
  readonly least?: number;
  readonly most?: number;
}

export type Facts = Readonly<Record<string, Fact>>;

export interface ContractParts {
  readonly document: ApiDocument;
  readonly errors: Readonly<
    Record<string, { readonly statuses: readonly number[]; readonly details: Schema }>
  >;
}

const MAX_DEPTH = 12;

export function factsOf({ document, errors }: ContractParts): Facts {
  const facts = new Map<string, Fact>();
  for (const [code, { statuses, details }] of Object.entries(errors)) {
    facts.set(`error ${code}`, { side: "is" });
    for (const status of statuses) facts.set(`error ${code} ${status}`, { side: "is" });
    collect(facts, document, { side: "out", key: `error ${code} details`, schema: details });
  }
  for (const path of Object.keys(document.paths ?? {})) facts.set(path, { side: "is" });
  for (const { name, operation } of operationsOf(document)) {
    facts.set(name, { side: "is" });
    for (const parameter of operation.parameters ?? []) {
      const key = `${name} ${parameter.in} ${parameter.name}`;
      collect(facts, document, {
        side: "in",
        key,
        schema: parameter.schema ?? {},
        required: parameter.required === true,
      });
    }
    for (const [media, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
      // A body with required fields cannot be omitted, whether the document says so or not. The facts of its fields
      // cover it.
      const demands = branchesOf(document, schema ?? {}).some(({ required = [] }) => required.length > 0);
      const required = operation.requestBody?.required === true && !demands;
      collect(facts, document, { side: "in", key: `${name} body ${media}`, schema: schema ?? {}, required });
    }
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      facts.set(`${name} ${status}`, { side: "is" });
      for (const [media, { schema }] of Object.entries(response.content ?? {})) {
        const codes = refusalCodes(document, schema ?? {});
        for (const code of codes) facts.set(`${name} ${status} ${code}`, { side: "is" });
        if (codes.length === 0)
          collect(facts, document, {
            side: "out",
            key: `${name} ${status} ${media}`,
            schema: schema ?? {},
            required: true,
          });
      }
    }
  }
  return Object.fromEntries([...facts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The codes of an error response. What belongs to a code is listed once, with the code. */
function refusalCodes(document: ApiDocument, schema: Schema): string[] {
  return branchesOf(document, schema).flatMap(({ properties }) => {
    const error = properties?.["error"];
    const code = error && resolved(document, error).properties?.["code"];
    return code ? valuesOf(resolved(document, code)).map(String) : [];
  });
}

function collect(
  facts: Map<string, Fact>,
  document: ApiDocument,
  {
    side,
    key,
    schema,
    required = false,
    depth = 0,
  }: {
    readonly side: Side;
    readonly key: string;
    readonly schema: Schema;
    readonly required?: boolean;
    readonly depth?: number;
  },
): void {
  if (depth > MAX_DEPTH) return;
  const branches = branchesOf(document, schema);
  facts.set(key, merged(facts.get(key), meaning(side, branches, required)));
  for (const branch of branches) {
    for (const value of valuesOf(branch)) facts.set(`${key} = ${JSON.stringify(value)}`, { side: "is" });
    for (const inner of innerOf(branch, branches)) {
      collect(facts, document, { side, ...inner, key: `${key}${inner.key}`, depth: depth + 1 });
    }
  }
}

type Inner = { readonly key: string; readonly schema: Schema; readonly required: boolean };

/** What a branch contains: its items, its additional properties and its fields. */
function innerOf(branch: Schema, branches: readonly Schema[]): Inner[] {
  const { items, additionalProperties, properties = {} } = branch;
  return [
    ...(typeof items === "object" ? [{ key: "[]", schema: items, required: false }] : []),
    ...(typeof additionalProperties === "object"
      ? [{ key: ".*", schema: additionalProperties, required: false }]
      : []),
    ...Object.entries(properties).map(([field, schema]) => ({
      key: `.${field}`,
      schema,
      required: objectBranches(branches).every((one) => one.required?.includes(field)),
    })),
  ];
}

/** The members of a union. What is beside `anyOf` or in `allOf` applies to each of them. */
function branchesOf(document: ApiDocument, schema: Schema, depth = 0): Schema[] {
  if (depth > MAX_DEPTH) return [];
  const { anyOf, oneOf, allOf, ...own } = resolved(document, schema);
  const parts = (allOf ?? []).map((part) => resolved(document, part));
  const base = parts.reduce<Schema>(
    (all, part) => ({
      ...all,
      ...part,
      properties: { ...all.properties, ...part.properties },
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }),
    own,
  );
  const union = anyOf ?? oneOf;
  if (!union) return [base];
  return union.flatMap((member) =>
    branchesOf(document, member, depth + 1).map((branch) => ({ ...base, ...branch })),
  );
}

function objectBranches(branches: readonly Schema[]): Schema[] {
  return branches.filter((branch) => branch.properties !== undefined);
}

function valuesOf(schema: Schema): readonly unknown[] {
  return schema.const === undefined ? (schema.enum ?? []) : [schema.const];
}

function meaning(side: Side, branches: readonly Schema[], required: boolean): Fact {
  const [only] = branches.length === 1 ? branches : [];
  return {
    side,
    types: [...new Set(branches.flatMap(typesOf))].toSorted(),
    ...(required && { required }),
    ...(branches.some((branch) => valuesOf(branch).length > 0) && { closed: true }),
    ...(only?.format !== undefined && { format: only.format }),
    ...(only?.pattern !== undefined && { pattern: only.pattern }),
    ...(only?.default !== undefined && { default: JSON.stringify(only.default) }),
    ...(side === "in" && only && bounds(only)),
  };
}

function typesOf(schema: Schema): readonly string[] {
  if (schema.type !== undefined) return typeof schema.type === "string" ? [schema.type] : schema.type;
  const values = valuesOf(schema);
  return values.length > 0 ? values.map((value) => (value === null ? "null" : typeof value)) : ["any"];
}

function bounds(schema: Schema): Pick<Fact, "least" | "most"> {
  const least = schema.minimum ?? schema.exclusiveMinimum ?? schema.minLength ?? schema.minItems;
  const most = schema.maximum ?? schema.exclusiveMaximum ?? schema.maxLength ?? schema.maxItems;
  return { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}

/** One field in several members of a union: a fact holds if it holds in all of them. */
function merged(known: Fact | undefined, next: Fact): Fact {
  if (!known) return next;
  const { required: _required, ...rest } = next;
  return {
    ...rest,
    types: [...new Set([...(known.types ?? []), ...(next.types ?? [])])].toSorted(),
    ...(known.required && next.required && { required: true }),
    ...((known.closed ?? next.closed) && { closed: true }),
  };
}
