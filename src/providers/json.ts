export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  // The file of a form is its bytes.
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Empty where the value is no object. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
