import type { JsonObject } from "../json.ts";
import type { ProviderApi } from "../provider-api.ts";
import { Unmetered } from "../unmetered.ts";
import { parseStrictJson, quoted, refuseUnlisted } from "./strict-json.ts";

/** A request's body as it was read. */
export interface ReadBody {
  readonly members: JsonObject;
  /** The body that goes on: nothing but what was read, with bounds. */
  write(members: JsonObject): BodyInit;
  /** Null if the runtime sets it, because it names the boundary between the parts of a form. */
  readonly contentType: string | null;
  /** The same body for another model. */
  withModel(model: string): ReadBody;
}

/** More than any call needs, with a field for each of several files. */
const MOST_FIELDS = 64;
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
    return formBody(form, await membersOf(form, api.members));
  }
  if (isForm) throw new Unmetered(400, "Send the body as JSON.");
  return jsonBody(parseStrictJson(textIn(bytes), api.members));
}

function jsonBody(members: JsonObject): ReadBody {
  return {
    members,
    write: (written) => JSON.stringify(written),
    contentType: "application/json",
    withModel: (model) => jsonBody({ ...members, model }),
  };
}

/** A form goes on as it came, so another model is written into the form itself. */
function formBody(form: FormData, members: JsonObject): ReadBody {
  return {
    members,
    write: () => form,
    contentType: null,
    withModel(model) {
      const copy = new FormData();
      for (const [name, value] of form) {
        if (typeof value === "string") copy.append(name, value);
        else copy.append(name, value, value.name);
      }
      copy.set("model", model);
      return formBody(copy, { ...members, model });
    },
  };
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

/**
 * Several files may come under one name that ends in brackets. Any other name comes once. The pass ends at the first field that is
 * refused.
 */
function fieldsByName(form: FormData, known: ReadonlySet<string>): Map<string, (string | File)[]> {
  const groups = new Map<string, (string | File)[]>();
  let count = 0;
  for (const [name, field] of form) {
    count += 1;
    if (count > MOST_FIELDS)
      throw new Unmetered(400, `The form has more than ${MOST_FIELDS} fields. Send fewer.`);
    refuseUnlisted({ [name]: field }, known);
    const group = groups.get(name) ?? [];
    if (group.length > 0 && !name.endsWith("[]"))
      throw new Unmetered(400, `The form has ${quoted(name)} twice.`);
    group.push(field);
    groups.set(name, group);
  }
  return groups;
}

async function membersOf(form: FormData, known: ReadonlySet<string>): Promise<JsonObject> {
  const members: [string, unknown][] = [];
  for (const [name, fields] of fieldsByName(form, known)) {
    const values = await Promise.all(fields.map(valueOf));
    members.push([name, values.length > 1 ? values : values[0]]);
  }
  return Object.fromEntries(members);
}

/** Fields of a form are text: numbers and truth values are read as what they stand for. A file is its bytes. */
async function valueOf(field: string | File): Promise<unknown> {
  if (typeof field !== "string") return new Uint8Array(await field.arrayBuffer());
  if (field === "true" || field === "false") return field === "true";
  return /^-?\d{1,15}$/.test(field) ? Number(field) : field;
}
