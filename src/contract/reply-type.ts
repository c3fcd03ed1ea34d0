import type * as z from "zod";
import type { OperationContract } from "./operation.ts";

/** The type of an operation's reply, for any of its statuses. Null if it has no body. */
export type ReplyOf<C extends OperationContract> = {
  [Status in keyof C["reply"]]: C["reply"][Status] extends z.ZodType
    ? BodyOf<z.input<C["reply"][Status]>>
    : null;
}[keyof C["reply"]];

type BodyOf<T> = Unchanging<T> extends infer B extends object ? B : never;

/** The same type, with readonly lists accepted. */
export type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: Unchanging<T[Field]> }
    : T;

/**
 * The fields, at any depth, that `Body` has and `Shape` does not. TypeScript lets a value have more fields than its
 * type; a reply must have only those of the contract.
 */
export type Unlisted<Body, Shape> = Body extends readonly (infer Item)[]
  ? Unlisted<Item, ItemOf<Shape>>
  : Body extends object
    ? { [Field in keyof Body & string]-?: UnlistedField<Field, Body[Field], Shape> }[keyof Body & string]
    : never;

type UnlistedField<Field extends string, Value, Shape> = unknown extends Shape
  ? never
  : Field extends FieldOf<Shape>
    ? Unlisted<Value, ValueOf<Shape, Field>>
    : Field;

type ItemOf<Shape> = Shape extends readonly (infer Item)[] ? Item : never;
type FieldOf<Shape> = Shape extends object ? keyof Shape & string : never;
type ValueOf<Shape, Field> = Shape extends object
  ? Field extends keyof Shape
    ? Shape[Field]
    : never
  : never;
