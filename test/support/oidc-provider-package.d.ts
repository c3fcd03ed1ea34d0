declare module "oidc-provider" {
  import type { RequestListener } from "node:http";
  interface Account {
    readonly accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }
  interface Configuration {
    readonly clients: readonly object[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly cookies: { readonly keys: readonly string[] };
    findAccount(context: unknown, id: string): Account;
  }
  /** The part of the package that the tests use. It has no types of its own. */
  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
