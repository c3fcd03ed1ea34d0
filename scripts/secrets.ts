import { createHmac, randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";
import { Complaint } from "./complaint.ts";
import { writePrivateFile } from "./private-file.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 43 characters out of 62 carry 256 bits. */
const SECRET_LENGTH = 43;

/**
 * The named secrets: from the environment if set, otherwise from the file, where each is created once. Losing one would
 * make every key in the data folder useless.
 */
export function localSecrets(
  file: string,
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const stored = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const made = names
    .filter((name) => !environment[name] && !stored[name])
    .map((name) => [name, generate(name)]);
  const known: NodeJS.Dict<string> = { ...stored, ...Object.fromEntries(made) };
  if (made.length > 0) store(file, known);
  return Object.fromEntries(names.map((name) => [name, environment[name] || (known[name] ?? "")]));
}

function store(file: string, secrets: NodeJS.Dict<string>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  writePrivateFile(file, lines.join(""));
}

/** Keys and encrypted secrets are useless under another pepper, so a folder keeps its own, or both while it is being changed. */
export function keepPepper(file: string, pepper: string, previous?: string): void {
  const marks = [pepper, ...(previous === undefined ? [] : [previous])].map((one) =>
    createHmac("sha256", one).update("the pepper of this folder").digest("hex"),
  );
  const kept = existsSync(file) ? readFileSync(file, "utf8").split(" ") : marks;
  if (!marks.some((mark) => kept.includes(mark))) {
    throw new Complaint(
      `${dirname(file)} was created with a different SVC_KEY_PEPPER: set that one, or start over with npm run reset`,
    );
  }
  if (!existsSync(file) || kept.join(" ") !== marks.join(" ")) writePrivateFile(file, marks.join(" "));
}

function generate(name: string): string {
  const characters = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
  return name === "SVC_OPERATOR_KEY" ? `svc_operator_${characters}` : characters;
}
