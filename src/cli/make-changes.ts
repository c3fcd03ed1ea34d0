import { createHash } from "node:crypto";
import { Refused, type Sluice } from "../client/index.ts";
import { canonical, fieldsOf, isAlike } from "./canonical.ts";
import { sendChange, setLater } from "./change-call.ts";
import type { Change } from "./changes.ts";
import { Failure, toPrintable } from "./command.ts";
import type { Resource } from "./kind.ts";
import { isInherited, currentSettings } from "./current-settings.ts";

/** A change, with the version that it is for. Null if what it sets must not be there yet. */
export interface PreparedChange {
  readonly change: Change;
  readonly etag: string | null;
}

const CHANGED = "changed while this ran. Nothing of it was replaced: run it again";

export function nameOf({ kind, label }: Change): string {
  return label === "" ? kind.section : `${kind.section} ${JSON.stringify(toPrintable(label))}`;
}

/** Reads the version of everything that is to be changed, and checks that it is still what the plan was made for. */
export async function prepare(changes: readonly Change[], sluice: Sluice): Promise<PreparedChange[]> {
  const prepared: PreparedChange[] = [];
  for (const change of changes) {
    const { kind, current } = change;
    if (current === null) {
      prepared.push({ change, etag: await inherited(change, sluice) });
      continue;
    }
    const { data, response } = await read(change, sluice);
    const now = canonical(kind, fieldsOf(kind, data as Resource));
    const before = canonical(kind, current.fields);
    if (!Object.keys(before).every((name) => isAlike(now[name], before[name])))
      throw new Failure([`${nameOf(change)}: ${CHANGED}`]);
    prepared.push({ change, etag: response.headers.get("etag") });
  }
  return prepared;
}

/** The version of what is there although the org has none of its own: a price of the platform's. Null if nothing is. */
async function inherited(change: Change, sluice: Sluice): Promise<string | null> {
  const { kind, declared } = change;
  if (kind.form !== "named") return null;
  try {
    const { data, response } = await kind.get(sluice, declared?.at ?? "", {}).withResponse();
    if (isInherited(data as Resource)) return response.headers.get("etag");
  } catch (error) {
    if (error instanceof Refused && error.code === "not_found") return null;
    throw error;
  }
  throw new Failure([`${nameOf(change)}: ${CHANGED}`]);
}

async function read(change: Change, sluice: Sluice) {
  const { kind, current } = change;
  try {
    return await kind.get(sluice, current?.at ?? "", {}).withResponse();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (kind.changedBy !== undefined)
      throw new Failure([`${nameOf(change)}: only ${kind.changedBy} can change it`]);
    if (error.code === "not_found") throw new Failure([`${nameOf(change)}: ${CHANGED}`]);
    throw error;
  }
}

/** Makes one change, if what it is for is still there as it was. */
export async function make({ change, etag }: PreparedChange, sluice: Sluice): Promise<void> {
  try {
    if (change.kind.form === "listed" && change.action === "create") return await create(change, sluice);
    const condition = etag === null ? { headers: { "if-none-match": "*" } } : { ifMatch: etag };
    await sendChange(change, sluice, condition);
  } catch (error) {
    const isOutdated = error instanceof Refused && error.code === "conflict";
    throw isOutdated ? new Failure([`${nameOf(change)}: ${CHANGED} (${error.reason})`]) : error;
  }
}

/** How often something of one name can be made and deleted within the life of an idempotency key. */
const MOST_LIVES = 100;

/**
 * Makes something that has an id of the service's. Two who make the same at once use the same idempotency key, so that one is made.
 * A key that was used for something that is gone again leads to the next key.
 */
async function create(change: Change, sluice: Sluice): Promise<void> {
  for (let life = 0; life < MOST_LIVES; life += 1) {
    const made = await createOnce(change, sluice, keyOf(change, life));
    if (made === null) continue;
    const later = setLater(change);
    if (later !== null && change.kind.form === "listed")
      await change.kind.change(sluice, made, later as never, {});
    return;
  }
  throw new Failure([`${nameOf(change)}: was made and deleted too often to make it again now`]);
}

/** The id. Null if this idempotency key is used up. */
async function createOnce(change: Change, sluice: Sluice, idempotencyKey: string): Promise<string | null> {
  try {
    const { data, response } = await sendChange(change, sluice, { idempotencyKey }).withResponse();
    const { id } = data as { id: string };
    if (response.headers.get("idempotent-replayed") !== "true") return id;
    return (await exists(change, id, sluice)) ? id : null;
  } catch (error) {
    if (!(error instanceof Refused && error.code === "idempotency_key_conflict")) throw error;
    if (await isThere(change, sluice)) throw new Failure([`${nameOf(change)}: ${CHANGED}`]);
    return null;
  }
}

/** Returns whether what was made then is still there. */
async function exists({ kind }: Change, id: string, sluice: Sluice): Promise<boolean> {
  try {
    await kind.get(sluice, id, {});
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === "not_found") return false;
    throw error;
  }
}

async function isThere({ kind, declared }: Change, sluice: Sluice): Promise<boolean> {
  return (await currentSettings(kind, sluice)).some(({ key }) => key !== null && key === declared?.key);
}

function keyOf({ kind, declared }: Change, life: number): string {
  const name = JSON.stringify([kind.section, declared?.key, life]);
  return `sluice-apply-${createHash("sha256").update(name).digest("hex")}`;
}
