import type { Answer, CallOptions, Pages, Sluice } from "../client/index.ts";
import type { Fields, Value } from "./yaml-file.ts";

/** One field of a kind. */
export interface Field {
  /** The value that it has where nobody says it. A field with its default is not exported. */
  readonly default?: Value;
  /** Another name that files may have for it. */
  readonly alias?: string;
  /** It cannot be changed once the thing exists. */
  readonly isFixed?: boolean;
  /** It is set by a change only, after the thing was made. */
  readonly isSetLater?: boolean;
  /**
   * It is never returned. This is the field of the answer that tells whether it is the one of the file: its last four characters, or
   * the names of its parts.
   */
  readonly shownAs?: string;
}

export type Resource = Readonly<Record<string, unknown>>;
type Call = (sluice: Sluice, at: string, options: CallOptions) => Answer<unknown>;
/** Each kind has a body of its own. Nobody has checked the body that is sent yet: the service does that. */
type Send = (sluice: Sluice, at: string, body: never, options: CallOptions) => Answer<unknown>;

interface BaseKind {
  /** The section of the file. */
  readonly section: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Tells which of the org's things a file can declare. The others are left alone. Undefined means all. */
  readonly isDeclared?: (resource: Resource) => boolean;
  /** A resource with the fields of the file, where it has others. */
  readonly toFields?: (resource: Resource) => Resource;
  /** Fills in what the service would, so that it compares as equal. */
  readonly complete?: (fields: Fields) => Fields;
  /** The body of a change, where the service wants more than what is said. */
  readonly toBody?: (fields: Fields) => Fields;
  /** Says who can change it, where that is not whoever can change limits. */
  readonly changedBy?: string;
  /** Reads one again before it is changed, for its ETag. */
  readonly get: Call;
  readonly remove?: Call;
}

/** There is one, or none. `set` replaces it. */
export interface SingleKind extends BaseKind {
  readonly form: "single";
  /** The place where it is found, where that is not the org alone. */
  readonly place?: (sluice: Sluice) => Promise<string>;
  readonly read: (sluice: Sluice) => Answer<unknown>;
  readonly set: Send;
}

/** Each has a name, by which `set` replaces it: a map in the file. */
export interface NamedKind extends BaseKind {
  readonly form: "named";
  /** The field of a resource that is its name. */
  readonly nameField: string;
  readonly list: (sluice: Sluice) => Pages<unknown>;
  readonly set: Send;
}

/** Each has an id of the service's, and is known in the file by these fields: a list there. */
export interface ListedKind extends BaseKind {
  readonly form: "listed";
  readonly key: readonly string[];
  readonly list: (sluice: Sluice) => Pages<unknown>;
  readonly create: (sluice: Sluice, body: never, options: CallOptions) => Answer<unknown>;
  readonly change: Send;
}

/** A kind of thing that a file of settings declares. */
export type SettingKind = SingleKind | NamedKind | ListedKind;
