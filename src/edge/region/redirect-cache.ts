import { isMoved } from "../../org/moving/moved.ts";
import { OBJECT_METHODS, type ObjectMethod } from "../../org/region-door.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import type { OrgStub } from "./remote-org.ts";

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Calls the object of an org where it was, and once more where that says it is. */
class RedirectedOrg {
  readonly #home: string;
  readonly #at: (region: string) => OrgStub;
  readonly #remember: (region: string) => void;

  constructor(home: string, at: (region: string) => OrgStub, remember: (region: string) => void) {
    this.#home = home;
    this.#at = at;
    this.#remember = remember;
  }

  async follow(method: ObjectMethod, args: readonly unknown[]): Promise<unknown> {
    const answer = await this.#call(this.#home, method, args);
    if (!isMoved(answer)) return answer;
    this.#remember(answer.movedTo);
    const there = await this.#call(answer.movedTo, method, args);
    if (isMoved(there)) throw new ObjectUnreachable("the org is moving");
    return there;
  }

  #call(region: string, method: ObjectMethod, args: readonly unknown[]): Promise<unknown> {
    return (this.#at(region) as unknown as Record<ObjectMethod, Method>)[method](...args);
  }
}

for (const method of OBJECT_METHODS) {
  Object.defineProperty(RedirectedOrg.prototype, method, {
    value(this: RedirectedOrg, ...args: readonly unknown[]) {
      return this.follow(method, args);
    },
  });
}

export function redirectedOrg(
  home: string,
  at: (region: string) => OrgStub,
  remember: (region: string) => void,
): OrgStub {
  return new RedirectedOrg(home, at, remember) as unknown as OrgStub;
}
