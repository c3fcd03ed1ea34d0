import { expect, test } from "vitest";
import { sendMail } from "../../src/outbound/mail.ts";

const MAIL = { from: "a@example.com", to: ["b@example.com"], subject: "s", text: "t", html: "h" };

test("a platform that never answers does not hold the queue", async () => {
  const never = { send: () => new Promise<EmailSendResult>(() => undefined) };
  expect(await sendMail(never, MAIL, 20)).toMatchObject({ statusCode: null, error: "timeout" });
});

test("a mail that was taken has a status like any delivery", async () => {
  const sent: object[] = [];
  const takes = {
    send: async (mail: object) => {
      sent.push(mail);
      return { messageId: "m" };
    },
  };
  expect(await sendMail(takes, MAIL)).toMatchObject({ statusCode: 200, error: null });
  expect(sent).toMatchObject([{ to: ["b@example.com"], subject: "s" }]);
});
