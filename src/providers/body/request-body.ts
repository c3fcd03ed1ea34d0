import type { JsonObject } from "../json.ts";
import type { ProviderApi } from "../provider-api.ts";
import { Unmetered } from "../unmetered.ts";
import { parseStrictJson, refuseOtherSpellings } from "./strict-json.ts";

/** A request's body as it was read. */
export interface ReadBody {
  readonly members: JsonObject;
  /** The body that goes on: nothing but what was read, with bounds. */
  write(members: JsonObject): BodyInit;
  /** Null: the runtime sets it, because it names the boundary between the parts of a form. */
  readonly contentType: string | null;
}

const FORM_TYPE = /^multipart\/form-data\b/i;

/** Throws `Unmetered` for a body that is not of the API's kind, or that can be read in two ways. */
export async function readBody(
  api: ProviderApi,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string | null,
): Promise<ReadBody> {
  const isForm = FORM_TYPE.test(contentType ?? "");
  if (api.body === "form") {
    if (!isForm) throw new Unmetered(400, "Send the body as multipart/form-data.");
    const form = await formIn(bytes, contentType ?? "");
    return { members: membersOf(form, api.members), write: () => form, contentType: null };
  }
  if (isForm) throw new Unmetered(400, "Send the body as JSON.");
  const members = parseStrictJson(textIn(bytes), api.members);
  return { members, write: (written) => JSON.stringify(written), contentType: "application/json" };
}

function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unmetered(400, "The body is not valid UTF-8.");
  }
}

async function formIn(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  } catch {
    throw new Unmetered(400, "The body is not valid multipart/form-data.");
  }
}

/** Several files may come under one name that ends in brackets. Any other name comes once. */
function membersOf(form: FormData, known: ReadonlySet<string>): JsonObject {
  const names = [...new Set(form.keys())];
  refuseOtherSpellings(names, known);
  const members = names.map((name) => {
    const values = form.getAll(name).map(valueOf);
    if (values.length > 1 && !name.endsWith("[]"))
      throw new Unmetered(400, `The form has ${JSON.stringify(name.slice(0, 64))} twice.`);
    return [name, values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries(members) as JsonObject;
}

/** Fields of a form are text: numbers and truth values are read as what they stand for. */
function valueOf(field: string | File): unknown {
  if (typeof field !== "string") return field;
  if (field === "true" || field === "false") return field === "true";
  return /^-?\d{1,15}$/.test(field) ? Number(field) : field;
}
