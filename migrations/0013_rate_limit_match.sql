ALTER TABLE rate_limit_policies ADD COLUMN "match" TEXT;
