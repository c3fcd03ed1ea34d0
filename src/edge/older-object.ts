/** While a new version spreads, objects of the version before answer. They have done nothing. */
export function isOlderObject(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("does not implement the method");
}
