import type { DecidedAt } from "../../contract/decision.ts";
import { STATED_SCOPES, type StoredScopes } from "../../contract/scopes.ts";
import type { RefusalNote } from "./note.ts";
import type { RefusalSum } from "./sums.ts";
import { cached } from "../cache/cached.ts";

/**
 * Many refusals as one text, which is sent to the object and stored unchanged. Each text is in it once, because
 * refusals of one moment mostly contain the same texts.
 */

/** The notes, and sums of the refusals without a note. */
export interface RefusalBatch {
  readonly notes: readonly RefusalNote[];
  readonly more: readonly RefusalSum[];
}

type TextIndex = number | null;
type WireNote = [
  at: number,
  trace: string,
  nanos: string | null,
  status: number,
  decided: TextIndex,
  operation: TextIndex,
  code: TextIndex,
  details: TextIndex,
  limit: TextIndex,
  keyId: TextIndex,
  model: TextIndex,
  /** The scopes and the user, each at its place, and the parent, if it has one. */
  ...(TextIndex | string | undefined)[],
];
type WireSum = [
  hour: number,
  count: number,
  nanos: string,
  code: TextIndex,
  limit: TextIndex,
  keyId: TextIndex,
  customerId: TextIndex,
  workflowId: TextIndex,
];
const USER_AT = 15;
const PARENT_AT = 16;

export interface WireBatch {
  readonly texts: readonly string[];
  readonly notes: readonly WireNote[];
  readonly more: readonly WireSum[];
}

export function writeBatch({ notes, more }: RefusalBatch): WireBatch {
  const places = new Map<string, number>();
  const put = (text: string | null): TextIndex =>
    text === null ? null : cached(places, text, () => places.size);
  return {
    notes: notes.map((note) => wireNote(note, put)),
    more: more.map((sum) => wireSum(sum, put)),
    texts: [...places.keys()],
  };
}

type AddText = (text: string | null) => TextIndex;

function wireNote(note: RefusalNote, put: AddText): WireNote {
  const wire: WireNote = [
    note.at,
    note.trace,
    note.nanos,
    note.status,
    put(note.decided),
    put(note.operation),
    put(note.code),
    put(note.details),
    put(note.limit),
    put(note.keyId),
    put(note.model),
  ];
  for (const { property, place } of STATED_SCOPES) wire[place] = put(note[property]);
  wire[USER_AT] = put(note.userId);
  if (typeof note.parent === "string") wire[PARENT_AT] = note.parent;
  return wire;
}

function wireSum(sum: RefusalSum, put: AddText): WireSum {
  const { hour, count, nanos, code, limit, keyId, customerId, workflowId } = sum;
  const names = [put(code), put(limit), put(keyId), put(customerId), put(workflowId)] as const;
  return [hour, count, String(nanos), ...names];
}

export function readBatch({ texts, notes, more }: WireBatch): RefusalBatch {
  const optional = (place: unknown): string | null =>
    typeof place === "number" ? (texts[place] ?? null) : null;
  const text = (place: TextIndex): string => optional(place) ?? "";
  return {
    notes: notes.map((wire) => {
      const [at, trace, nanos, status, decided, operation, code, details, limit, key, model] = wire;
      const scopes = STATED_SCOPES.map(({ property, place }) => [property, optional(wire[place])] as const);
      const parent = wire[PARENT_AT];
      return {
        at,
        trace,
        nanos,
        status,
        decided: text(decided) as DecidedAt,
        operation: text(operation),
        code: text(code),
        details: text(details),
        limit: text(limit),
        keyId: optional(key),
        model: optional(model),
        ...(Object.fromEntries(scopes) as StoredScopes),
        userId: optional(wire[USER_AT]),
        ...(typeof parent === "string" ? { parent } : {}),
      };
    }),
    more: more.map(([hour, count, nanos, code, limit, key, customer, workflow]) => ({
      hour,
      count,
      nanos: BigInt(nanos),
      code: text(code),
      limit: text(limit),
      keyId: optional(key),
      customerId: optional(customer),
      workflowId: optional(workflow),
    })),
  };
}
