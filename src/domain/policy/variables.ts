import { ATTRIBUTED } from "../../contract/dimensions.ts";
import { underEachField } from "../../contract/scopes.ts";

/** A CEL type, as far as it is known: the elements of a list or map, and the fields of a map. */
export interface Type {
  readonly name: string;
  readonly of?: Type;
  readonly fields?: Readonly<Record<string, Type>>;
  /** It has exactly these fields. */
  readonly isClosed?: boolean;
}

export const plainType = (name: string): Type => ({ name });
export const DYN = plainType("dyn");
export const BOOL = plainType("bool");
const [STRING, INT, DOUBLE] = ["string", "int", "double"].map(plainType) as [Type, Type, Type];

const map = (fields: Readonly<Record<string, Type>>, isClosed = false): Type => ({
  name: "map",
  of: DYN,
  fields,
  isClosed,
});

/** The variables of a rule and their types. A run may have more fields than these. */
export const VARIABLE_TYPES: Readonly<Record<string, Type>> = {
  model: STRING,
  action: STRING,
  customer_id: STRING,
  now: plainType("google.protobuf.Timestamp"),
  estimate: map({ cost_usd: DOUBLE, input_tokens: INT, max_output_tokens: INT }, true),
  run: map({
    id: STRING,
    started_at: STRING,
    ended_at: STRING,
    model: STRING,
    action: STRING,
    ...underEachField(STRING),
    ...(Object.fromEntries(ATTRIBUTED.map((name) => [name, STRING])) as Record<string, Type>),
    tags: { name: "map", of: STRING, fields: {} },
    chain: map({ chain_id: STRING, parent_run_id: STRING }),
    usage: map({ input_tokens: INT, output_tokens: INT }),
    cost_usd: DOUBLE,
    reservation_id: STRING,
    incurred: BOOL,
    variant: STRING,
    outcome: STRING,
    estimated: BOOL,
    metadata: map({}),
  }),
};

/** The types of constants, by the parser's names. */
export const CONSTANTS: Readonly<Record<string, string>> = {
  stringValue: "string",
  bytesValue: "bytes",
  doubleValue: "double",
  boolValue: "bool",
  int64Value: "int",
  uint64Value: "uint",
  nullValue: "null_type",
};
