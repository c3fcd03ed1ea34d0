/** A setting of the process. Undefined where it is not set, or where there is no process. */
export function fromEnvironment(name: "SLUICE_KEY" | "SLUICE_URL"): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
