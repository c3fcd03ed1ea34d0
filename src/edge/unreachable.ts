/** The org's object, or the region that it is in, did not answer: whether it acted is not known. */
export class ObjectUnreachable extends Error {
  override readonly name = "ObjectUnreachable";
}
