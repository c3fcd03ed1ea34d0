/** Addresses that somebody of the org named. They stay, also without a webhook, so that what was mailed to them is known. */
export const EMAIL_STEPS = {
  "emails/1": `CREATE TABLE email_addresses (
      address TEXT PRIMARY KEY,
      named_at INTEGER NOT NULL,
      confirmed_at INTEGER,
      mails INTEGER NOT NULL,
      mailed_at INTEGER,
      token TEXT,
      expires_at INTEGER
    ) STRICT, WITHOUT ROWID`,
};
