CREATE TABLE "schema_migration" ("id" SERIAL NOT NULL PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "applied" TIMESTAMP NOT NULL);
CREATE UNIQUE INDEX "schema_migration_name" ON "schema_migration" ("name");
CREATE TABLE "person" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "email" VARCHAR(254) NOT NULL, "password_hash" TEXT, "language" VARCHAR(10), "is_guest" BOOLEAN NOT NULL);
CREATE UNIQUE INDEX "person_email" ON "person" ("email");
CREATE TABLE "account_event" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "person_id" VARCHAR(20) NOT NULL, "kind" VARCHAR(30) NOT NULL, "data" TEXT NOT NULL, "network" TEXT, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE);
CREATE INDEX "account_event_person_id_created_at" ON "account_event" ("person_id", "created_at");
CREATE TABLE "page" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "owner_id" VARCHAR(20) NOT NULL, "token_name" TEXT NOT NULL, "token_symbol" TEXT NOT NULL, "token_mint" VARCHAR(44) NOT NULL, "public_title" TEXT, "public_comments" TEXT, "is_public" BOOLEAN NOT NULL, "is_embeddable" BOOLEAN NOT NULL, "auto_approve" BOOLEAN NOT NULL, "min_balance" TEXT NOT NULL CHECK (ltrim(min_balance, '0123456789') <> min_balance AND rtrim(ltrim(min_balance, '0123456789'), '0123456789') IN ('', '.')), "queue_capacity" INTEGER NOT NULL CHECK (queue_capacity >= 0), "cooldown_s" INTEGER NOT NULL CHECK (cooldown_s >= 0), "trust_after" INTEGER NOT NULL CHECK (trust_after >= 0), "holding_watch" VARCHAR(5) NOT NULL CHECK (holding_watch IN ('leave', 'flag', 'hide')), "version" INTEGER NOT NULL, "listed_version" INTEGER NOT NULL, "deleted_at" BIGINT, "look" TEXT, FOREIGN KEY ("owner_id") REFERENCES "person" ("id") ON DELETE RESTRICT);
CREATE INDEX "page_owner_id" ON "page" ("owner_id");
CREATE INDEX "page_token_mint" ON "page" ("token_mint");
CREATE TABLE "activity" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "actor" TEXT NOT NULL, "action" VARCHAR(30) NOT NULL, "data" TEXT NOT NULL, "address" VARCHAR(44), FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE INDEX "activity_page_id_created_at" ON "activity" ("page_id", "created_at");
CREATE INDEX "activity_page_id_address" ON "activity" ("page_id", "address");
CREATE TABLE "api_key" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "tier" VARCHAR(6) NOT NULL CHECK (tier IN ('public', 'secret')), "key_hash" VARCHAR(64) NOT NULL, "display_prefix" VARCHAR(12) NOT NULL, "origins" TEXT NOT NULL, "allow_null_origin" BOOLEAN NOT NULL, "revoked_at" BIGINT, "last_used_at" BIGINT, "purpose" VARCHAR(7) NOT NULL CHECK (purpose IN ('sites', 'preview', 'link')), "label" TEXT, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE INDEX "api_key_page_id" ON "api_key" ("page_id");
CREATE UNIQUE INDEX "api_key_key_hash" ON "api_key" ("key_hash");
CREATE UNIQUE INDEX "api_key_derived" ON "api_key" ("page_id", "purpose") WHERE ("purpose" != 'sites');
CREATE TABLE "balance" ("owner_id" VARCHAR(20) NOT NULL, "mint" VARCHAR(44) NOT NULL, "address" VARCHAR(44) NOT NULL, "amount" TEXT NOT NULL CHECK (ltrim(amount, '0123456789') <> amount AND rtrim(ltrim(amount, '0123456789'), '0123456789') IN ('', '.')), "observed_at" BIGINT NOT NULL, PRIMARY KEY ("owner_id", "mint", "address"), FOREIGN KEY ("owner_id") REFERENCES "person" ("id") ON DELETE CASCADE);
CREATE TABLE "submission" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "api_key_id" VARCHAR(20) NOT NULL, "wallet_address" VARCHAR(44) NOT NULL, "nickname" TEXT NOT NULL, "status" VARCHAR(13) NOT NULL, "reject_reason" VARCHAR(12), "session_id" VARCHAR(20), "nonce" VARCHAR(20), "decided_at" BIGINT, "reason_code" VARCHAR(20), "reason_text" TEXT, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE, FOREIGN KEY ("api_key_id") REFERENCES "api_key" ("id") ON DELETE CASCADE, CHECK ((status = 'pending' AND reject_reason IS NULL AND decided_at IS NULL) OR (status IN ('approved', 'auto_approved') AND reject_reason IS NULL AND decided_at IS NOT NULL) OR (status IN ('rejected', 'soft_rejected') AND reject_reason IS NOT NULL AND decided_at IS NOT NULL)), CHECK ((reason_code IS NULL AND reason_text IS NULL) OR (status = 'rejected' AND (reason_code IS NULL OR reason_text IS NULL))));
CREATE INDEX "submission_api_key_id" ON "submission" ("api_key_id");
CREATE INDEX "submission_wallet_address" ON "submission" ("wallet_address");
CREATE UNIQUE INDEX "submission_nonce" ON "submission" ("nonce");
CREATE INDEX "submission_page_id_status_created_at" ON "submission" ("page_id", "status", "created_at");
CREATE UNIQUE INDEX "submission_live_wallet" ON "submission" ("page_id", "wallet_address") WHERE ("status" IN ('pending', 'approved', 'auto_approved'));
CREATE UNIQUE INDEX "submission_soft_rejected" ON "submission" ("page_id", "session_id", "wallet_address", "reject_reason") WHERE ("status" = 'soft_rejected');
CREATE INDEX "submission_session" ON "submission" ("session_id", "page_id", "created_at");
CREATE TABLE "block" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20), "person_id" VARCHAR(20), "kind" VARCHAR(7) NOT NULL CHECK (kind IN ('wallet', 'name', 'network')), "pattern" VARCHAR(64) NOT NULL, "created_by" TEXT NOT NULL, "submission_id" VARCHAR(20), FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE, FOREIGN KEY ("submission_id") REFERENCES "submission" ("id") ON DELETE SET NULL, CHECK ((page_id IS NULL) <> (person_id IS NULL)));
CREATE INDEX "block_submission_id" ON "block" ("submission_id");
CREATE UNIQUE INDEX "block_page_id_kind_pattern" ON "block" ("page_id", "kind", "pattern");
CREATE UNIQUE INDEX "block_person_id_kind_pattern" ON "block" ("person_id", "kind", "pattern");
CREATE TABLE "chain_balance" ("id" BIGSERIAL NOT NULL PRIMARY KEY, "mint" VARCHAR(44) NOT NULL, "address" VARCHAR(44) NOT NULL, "token_account" VARCHAR(44) NOT NULL, "amount" TEXT NOT NULL CHECK (ltrim(amount, '0123456789') <> amount AND rtrim(ltrim(amount, '0123456789'), '0123456789') IN ('', '.')), "other_amount" TEXT NOT NULL CHECK (ltrim(other_amount, '0123456789') <> other_amount AND rtrim(ltrim(other_amount, '0123456789'), '0123456789') IN ('', '.')), "slot" BIGINT NOT NULL, "observed_at" BIGINT NOT NULL, "all_observed_at" BIGINT);
CREATE UNIQUE INDEX "chain_balance_mint_address" ON "chain_balance" ("mint", "address");
CREATE TABLE "daily_balance" ("balance_id" BIGINT NOT NULL, "day" INTEGER NOT NULL, "amount" TEXT NOT NULL CHECK (ltrim(amount, '0123456789') <> amount AND rtrim(ltrim(amount, '0123456789'), '0123456789') IN ('', '.')), "observed_at" BIGINT NOT NULL, PRIMARY KEY ("balance_id", "day"), FOREIGN KEY ("balance_id") REFERENCES "chain_balance" ("id") ON DELETE CASCADE);
CREATE TABLE "message" ("number" SERIAL NOT NULL PRIMARY KEY, "id" VARCHAR(20) NOT NULL, "page_id" VARCHAR(20) NOT NULL, "type" VARCHAR(30) NOT NULL, "data" TEXT NOT NULL, "created_at" BIGINT NOT NULL, "address" VARCHAR(44), FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "message_id" ON "message" ("id");
CREATE INDEX "message_page_id_type" ON "message" ("page_id", "type");
CREATE INDEX "message_page_id_number" ON "message" ("page_id", "number");
CREATE INDEX "message_page_id_address" ON "message" ("page_id", "address");
CREATE TABLE "receiver" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "kind" VARCHAR(7) NOT NULL CHECK (kind IN ('webhook', 'channel')), "target" TEXT NOT NULL, "event_types" TEXT NOT NULL, "secret" TEXT, "previous_secret" TEXT, "previous_secret_expires_at" BIGINT, "signing_key" TEXT, "next_attempt_at" BIGINT, "failed_attempts" INTEGER NOT NULL, "first_failed_at" BIGINT, "person_id" VARCHAR(20), "may_decide" BOOLEAN NOT NULL, "claimed_until" BIGINT, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE, CHECK ((kind = 'webhook') = (secret IS NOT NULL)));
CREATE INDEX "receiver_page_id" ON "receiver" ("page_id");
CREATE UNIQUE INDEX "receiver_person_id_page_id" ON "receiver" ("person_id", "page_id");
CREATE TABLE "delivery" ("id" SERIAL NOT NULL PRIMARY KEY, "message_id" INTEGER NOT NULL, "receiver_id" VARCHAR(20) NOT NULL, "state" VARCHAR(9) NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')), "attempts" INTEGER NOT NULL, "attempted_at" BIGINT, "answer" TEXT, FOREIGN KEY ("message_id") REFERENCES "message" ("number") ON DELETE CASCADE, FOREIGN KEY ("receiver_id") REFERENCES "receiver" ("id") ON DELETE CASCADE);
CREATE INDEX "delivery_receiver_id_state_message_id" ON "delivery" ("receiver_id", "state", "message_id");
CREATE INDEX "delivery_receiver_id_attempted_at" ON "delivery" ("receiver_id", "attempted_at");
CREATE UNIQUE INDEX "delivery_message_id_receiver_id" ON "delivery" ("message_id", "receiver_id");
CREATE TABLE "invitation" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "email" VARCHAR(254) NOT NULL, "role" VARCHAR(8) NOT NULL CHECK (role IN ('viewer', 'reviewer', 'editor', 'owner')), "invited_by" VARCHAR(254) NOT NULL, "token_hash" VARCHAR(64) NOT NULL, "expires_at" BIGINT NOT NULL, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "invitation_token_hash" ON "invitation" ("token_hash");
CREATE UNIQUE INDEX "invitation_page_id_email" ON "invitation" ("page_id", "email");
CREATE TABLE "job" ("name" VARCHAR(60) NOT NULL PRIMARY KEY, "due_at" BIGINT, "started_at" BIGINT, "finished_at" BIGINT, "summary" TEXT, "failed_at" BIGINT, "failure" TEXT);
CREATE TABLE "lease" ("name" VARCHAR(20) NOT NULL PRIMARY KEY, "holder" VARCHAR(20) NOT NULL, "kind" VARCHAR(8) NOT NULL CHECK (kind IN ('gunicorn', 'worker')), "host" TEXT NOT NULL, "process_id" INTEGER NOT NULL, "started_at" BIGINT NOT NULL, "seen_at" BIGINT NOT NULL);
CREATE TABLE "listing" ("id" SERIAL NOT NULL PRIMARY KEY, "page_id" VARCHAR(20) NOT NULL, "address" VARCHAR(44) NOT NULL, "name" TEXT, "joined_at" BIGINT NOT NULL, "left_at" BIGINT, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE INDEX "listing_page_id_joined_at" ON "listing" ("page_id", "joined_at");
CREATE INDEX "listing_page_id_left_at" ON "listing" ("page_id", "left_at");
CREATE UNIQUE INDEX "listing_current" ON "listing" ("page_id", "address") WHERE ("left_at" IS NULL);
CREATE TABLE "member" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "person_id" VARCHAR(20) NOT NULL, "role" VARCHAR(8) NOT NULL CHECK (role IN ('viewer', 'reviewer', 'editor')), FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE);
CREATE INDEX "member_person_id" ON "member" ("person_id");
CREATE UNIQUE INDEX "member_page_id_person_id" ON "member" ("page_id", "person_id");
CREATE TABLE "passkey" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "person_id" VARCHAR(20) NOT NULL, "name" VARCHAR(50) NOT NULL, "credential_id" TEXT NOT NULL, "credential" TEXT NOT NULL, "host" TEXT NOT NULL, "sign_count" BIGINT NOT NULL, "used_at" BIGINT, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE);
CREATE INDEX "passkey_person_id" ON "passkey" ("person_id");
CREATE UNIQUE INDEX "passkey_credential_id" ON "passkey" ("credential_id");
CREATE TABLE "proof" ("submission_id" VARCHAR(20) NOT NULL PRIMARY KEY, "message" TEXT NOT NULL, "signature" BYTEA NOT NULL CHECK (length(signature) = 64), "form" VARCHAR(9) NOT NULL CHECK (form IN ('raw', 'legacy-v0', 'v0', 'v1-early', 'v1')), "signed_bytes" BYTEA NOT NULL, FOREIGN KEY ("submission_id") REFERENCES "submission" ("id") ON DELETE CASCADE);
CREATE TABLE "refusal_count" ("id" BIGSERIAL NOT NULL PRIMARY KEY, "page_id" VARCHAR(20) NOT NULL, "day" INTEGER NOT NULL, "reason" VARCHAR(12) NOT NULL, "count" INTEGER NOT NULL, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "refusal_count_page_id_day_reason" ON "refusal_count" ("page_id", "day", "reason");
CREATE TABLE "refused_origin" ("api_key_id" VARCHAR(20) NOT NULL, "origin" VARCHAR(300) NOT NULL, "count" INTEGER NOT NULL, "refused_at" BIGINT NOT NULL, PRIMARY KEY ("api_key_id", "origin"), FOREIGN KEY ("api_key_id") REFERENCES "api_key" ("id") ON DELETE CASCADE);
CREATE TABLE "session" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "person_id" VARCHAR(20) NOT NULL, "secret_hash" VARCHAR(64) NOT NULL, "seen_at" BIGINT NOT NULL, "browser" TEXT, "system" TEXT, "network" TEXT, "confirmed_at" BIGINT NOT NULL, FOREIGN KEY ("person_id") REFERENCES "person" ("id") ON DELETE CASCADE);
CREATE INDEX "session_person_id" ON "session" ("person_id");
CREATE TABLE "tag" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "name" TEXT NOT NULL, "color" TEXT NOT NULL, "is_counted" BOOLEAN NOT NULL, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "tag_page_id_name" ON "tag" ("page_id", "name");
CREATE TABLE "token" ("mint" VARCHAR(44) NOT NULL PRIMARY KEY, "program" VARCHAR(44), "decimals" INTEGER, "name" TEXT, "symbol" TEXT, "supply" TEXT, "observed_at" BIGINT, "problem" TEXT, "supply_observed_at" BIGINT);
CREATE TABLE "used_nonce" ("token" VARCHAR(20) NOT NULL PRIMARY KEY, "expires_at" BIGINT NOT NULL);
CREATE INDEX "used_nonce_expires_at" ON "used_nonce" ("expires_at");
CREATE TABLE "wallet" ("id" VARCHAR(20) NOT NULL PRIMARY KEY, "created_at" BIGINT NOT NULL, "page_id" VARCHAR(20) NOT NULL, "address" VARCHAR(44) NOT NULL, "public_alias" TEXT, "is_hidden" BOOLEAN NOT NULL, "low_count" INTEGER NOT NULL, "low_observed_at" BIGINT, "is_withheld" BOOLEAN NOT NULL, "submission_id" VARCHAR(20), "is_withdrawn" BOOLEAN NOT NULL, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE, FOREIGN KEY ("submission_id") REFERENCES "submission" ("id") ON DELETE SET NULL);
CREATE UNIQUE INDEX "wallet_submission_id" ON "wallet" ("submission_id");
CREATE UNIQUE INDEX "wallet_page_id_address" ON "wallet" ("page_id", "address");
CREATE TABLE "wallet_tag" ("wallet_id" VARCHAR(20) NOT NULL, "tag_id" VARCHAR(20) NOT NULL, PRIMARY KEY ("wallet_id", "tag_id"), FOREIGN KEY ("wallet_id") REFERENCES "wallet" ("id") ON DELETE CASCADE, FOREIGN KEY ("tag_id") REFERENCES "tag" ("id") ON DELETE CASCADE);
CREATE INDEX "wallet_tag_tag_id" ON "wallet_tag" ("tag_id");
CREATE TABLE "withdrawal" ("submission_id" VARCHAR(20) NOT NULL PRIMARY KEY, "page_id" VARCHAR(20) NOT NULL, "withdrawn_at" BIGINT NOT NULL, FOREIGN KEY ("page_id") REFERENCES "page" ("id") ON DELETE CASCADE);
CREATE INDEX "withdrawal_page_id" ON "withdrawal" ("page_id");
INSERT INTO "person" VALUES
  ('owner000000000000000', 1760000000123, 'owner@example.com', '$argon2id$x', 'de', FALSE),
  ('other000000000000000', 1760000000123, 'other@example.com', NULL, NULL, TRUE);
INSERT INTO "account_event" VALUES
  ('event000000000000000', 1760000000123, 'owner000000000000000', 'signed in', '{"browser":"Firefox"}', '192.0.2.0/24');
INSERT INTO "page" VALUES
  ('page0000000000000000', 1760000000123, 'owner000000000000000', 'USD Coin', 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Größe 我们', NULL, TRUE, TRUE, FALSE, '0.5', 7, 60, 2, 'flag', 41, 40, NULL, '{"accent":"7c4ddb"}'),
  ('deleted0000000000000', 1760000000123, 'other000000000000000', 'USD Coin', 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', NULL, NULL, FALSE, FALSE, TRUE, '0', 100, 86400, 0, 'leave', 1, 1, 1760000000123, NULL);
INSERT INTO "activity" VALUES
  ('activity000000000000', 1760000000123, 'page0000000000000000', 'command line', 'add wallet', '{"address":"APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
INSERT INTO "api_key" VALUES
  ('key00000000000000000', 1760000000123, 'page0000000000000000', 'public', '6bffabed696cefd7886d395ef91115005139036ced7c59e9c0e8dbf92cb709cf', 'svc_pub_kkkk', 'https://site.example
https://www.site.example', TRUE, NULL, 1760000000123, 'sites', 'Main'),
  ('revoked0000000000000', 1760000000123, 'page0000000000000000', 'secret', '0000000000000000000000000000000000000000000000000000000000000000', 'svc_sec_rrrr', '', FALSE, 1760000000123, NULL, 'sites', NULL);
INSERT INTO "balance" VALUES
  ('owner000000000000000', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', '1250.5', 1760000000123);
INSERT INTO "submission" VALUES
  ('approved000000000000', 1760000000123, 'page0000000000000000', 'key00000000000000000', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Ann', 'approved', NULL, 'session0000000000000', 'nonce100000000000000', 1760000000132, NULL, NULL),
  ('pending0000000000000', 1760000000124, 'page0000000000000000', 'key00000000000000000', 'BPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Ben', 'pending', NULL, 'session0000000000000', 'nonce200000000000000', NULL, NULL, NULL),
  ('rejected000000000000', 1760000000125, 'page0000000000000000', 'key00000000000000000', 'CPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Cat', 'rejected', 'manual', NULL, 'nonce300000000000000', 1760000000132, NULL, 'Ask first'),
  ('refused0000000000000', 1760000000126, 'page0000000000000000', 'key00000000000000000', 'DPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Dan', 'soft_rejected', 'cooldown', 'session0000000000000', NULL, 1760000000132, NULL, NULL);
INSERT INTO "block" VALUES
  ('block000000000000000', 1760000000123, 'page0000000000000000', NULL, 'wallet', 'CPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'owner@example.com', 'rejected000000000000'),
  ('everywhere0000000000', 1760000000123, NULL, 'owner000000000000000', 'network', '192.0.2.0/24', 'command line', NULL);
INSERT INTO "chain_balance" VALUES
  (103, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', '18446744073709.551615', '0', 4611686018427387904, 1760000000123, NULL);
INSERT INTO "daily_balance" VALUES
  (103, 20370, '0.000001', 1760000000123);
INSERT INTO "message" VALUES
  (108, 'message0000000000000', 'page0000000000000000', 'submission.created', '{"walletAddress":"BPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}', 1760000000123, 'BPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
INSERT INTO "receiver" VALUES
  ('webhook0000000000000', 1760000000123, 'page0000000000000000', 'webhook', 'https://example.com/hook', 'submission.created', 'whsec_x', NULL, NULL, 'whsk_x', 1760000000123, 2, 1760000000123, NULL, FALSE, 1760000000123),
  ('ntfy0000000000000000', 1760000000123, 'page0000000000000000', 'channel', '{"type":"ntfy","topic":"topic"}', 'submission.created', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, TRUE, NULL),
  ('apprise0000000000000', 1760000000123, 'page0000000000000000', 'channel', 'pover://user@token', 'submission.created', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, FALSE, NULL),
  ('own00000000000000000', 1760000000123, 'page0000000000000000', 'channel', '', 'submission.created', NULL, NULL, NULL, NULL, NULL, 0, NULL, 'other000000000000000', FALSE, NULL);
INSERT INTO "delivery" VALUES
  (109, 108, 'webhook0000000000000', 'waiting', 2, 1760000000123, '503 Service Unavailable');
INSERT INTO "invitation" VALUES
  ('invited0000000000000', 1760000000123, 'page0000000000000000', 'new@example.com', 'editor', 'owner@example.com', '0000000000000000000000000000000000000000000000000000000000000000', 1760000000132);
INSERT INTO "job" VALUES
  ('balances', 1760000000123, 1760000000123, 1760000000123, '37 read.', NULL, NULL);
INSERT INTO "lease" VALUES
  ('background', 'holder00000000000000', 'gunicorn', 'embed1', 7, 1760000000123, 1760000000123);
INSERT INTO "listing" VALUES
  (105, 'page0000000000000000', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Ann', 1760000000123, NULL);
INSERT INTO "member" VALUES
  ('member00000000000000', 1760000000123, 'page0000000000000000', 'other000000000000000', 'reviewer');
INSERT INTO "passkey" VALUES
  ('passkey0000000000000', 1760000000123, 'owner000000000000000', 'Laptop', 'Y3JlZA', 'a2V5', 'list.example', 4294967295, 1760000000123);
INSERT INTO "proof" VALUES
  ('approved000000000000', 'I agree', '\x73737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373737373', 'raw', '\x49206167726565');
INSERT INTO "refusal_count" VALUES
  (106, 'page0000000000000000', 20370, 'ca_gate', 12);
INSERT INTO "refused_origin" VALUES
  ('key00000000000000000', 'https://other.example', 3, 1760000000123);
INSERT INTO "session" VALUES
  ('signed00000000000000', 1760000000123, 'owner000000000000000', '1111111111111111111111111111111111111111111111111111111111111111', 1760000000132, 'Firefox', 'Linux', '192.0.2.0/24', 1760000000123);
INSERT INTO "tag" VALUES
  ('tag00000000000000000', 1760000000123, 'page0000000000000000', 'whale', 'blue', FALSE);
INSERT INTO "token" VALUES
  ('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6, 'USD Coin', 'USDC', '18446744073709551615', 1760000000123, NULL, 1760000000123);
INSERT INTO "used_nonce" VALUES
  ('token000000000000000', 1760000000123);
INSERT INTO "wallet" VALUES
  ('wallet00000000000000', 1760000000123, 'page0000000000000000', 'APjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Ann', FALSE, 1, 1760000000123, FALSE, 'approved000000000000', FALSE),
  ('hidden00000000000000', 1760000000124, 'page0000000000000000', 'BPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', NULL, TRUE, 0, NULL, FALSE, NULL, FALSE);
INSERT INTO "wallet_tag" VALUES
  ('wallet00000000000000', 'tag00000000000000000');
INSERT INTO "withdrawal" VALUES
  ('withdrawn00000000000', 'page0000000000000000', 1760000000123);
