/** The value of an attribute, as OTLP writes it in JSON. */
type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: number }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

export interface Attribute {
  readonly key: string;
  readonly value: AnyValue;
}

/** Dollars are always written as a double: receivers keep one type for each attribute. */
export class Dollars {
  readonly amount: number;

  constructor(text: string) {
    this.amount = Number(text);
  }
}

type AttributeValue = string | number | boolean | Dollars | readonly string[] | null | undefined;

/** Null, undefined and empty lists are left out. Numbers are whole. */
export function attributesOf(given: Readonly<Record<string, AttributeValue>>): Attribute[] {
  const attributes: Attribute[] = [];
  for (const [key, one] of Object.entries(given)) {
    if (one === null || one === undefined || (Array.isArray(one) && one.length === 0)) continue;
    attributes.push({ key: wellFormed(key), value: valueOf(one) });
  }
  return attributes;
}

function valueOf(given: NonNullable<AttributeValue>): AnyValue {
  if (typeof given === "string") return { stringValue: wellFormed(given) };
  if (typeof given === "number") return { intValue: given };
  if (typeof given === "boolean") return { boolValue: given };
  if (given instanceof Dollars) return { doubleValue: given.amount };
  return { arrayValue: { values: given.map((text) => ({ stringValue: wellFormed(text) })) } };
}

/** Half of a character, which callers may have sent, makes strict receivers refuse the whole request. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
