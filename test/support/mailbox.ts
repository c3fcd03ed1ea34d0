import { env, runInDurableObject } from "cloudflare:test";

/** A mail as it was handed over to the platform. */
export interface SentMail {
  readonly from: { readonly email: string };
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Mailbox {
  readonly mails: SentMail[];
  mailsTo(address: string): SentMail[];
  /** What sending does, in place of success. */
  fails: (() => Promise<never>) | null;
}

/** Binds EMAIL until `unbind` is called. All objects share their bindings, so mails of other orgs may arrive, too. */
export async function bindMailbox(orgId: string): Promise<Mailbox & { unbind(): Promise<void> }> {
  const mails: SentMail[] = [];
  const box: Mailbox = {
    mails,
    mailsTo: (address) => mails.filter(({ to }) => to.includes(address)),
    fails: null,
  };
  const EMAIL = {
    async send(mail: SentMail) {
      if (box.fails !== null) await box.fails();
      mails.push(mail);
      return { messageId: `m${mails.length}` };
    },
  };
  const set = (value: object | undefined) =>
    runInDurableObject((env as { ORG: DurableObjectNamespace }).ORG.getByName(orgId), (object) => {
      const bindings = (object as unknown as { env: { EMAIL?: object | undefined } }).env;
      bindings.EMAIL = value;
    });
  await set(EMAIL);
  return Object.assign(box, { unbind: () => set(undefined) });
}
