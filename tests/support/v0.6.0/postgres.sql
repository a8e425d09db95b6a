CREATE TABLE account_event (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    person_id character varying(20) NOT NULL,
    kind character varying(30) NOT NULL,
    data text NOT NULL,
    network text
);
CREATE TABLE activity (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    actor text NOT NULL,
    action character varying(30) NOT NULL,
    data text NOT NULL,
    address character varying(44)
);
CREATE TABLE api_key (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    tier character varying(6) NOT NULL,
    key_hash character varying(64) NOT NULL,
    display_prefix character varying(12) NOT NULL,
    origins text NOT NULL,
    allow_null_origin boolean NOT NULL,
    revoked_at bigint,
    last_used_at bigint,
    label text,
    purpose character varying(7) NOT NULL,
    CONSTRAINT api_key_purpose_check CHECK (((purpose)::text = ANY ((ARRAY['sites'::character varying, 'preview'::character varying, 'link'::character varying])::text[]))),
    CONSTRAINT api_key_tier_check CHECK (((tier)::text = ANY ((ARRAY['public'::character varying, 'secret'::character varying])::text[])))
);
CREATE TABLE balance (
    owner_id character varying(20) NOT NULL,
    mint character varying(44) NOT NULL,
    address character varying(44) NOT NULL,
    amount text NOT NULL,
    observed_at bigint NOT NULL,
    CONSTRAINT balance_amount_check CHECK (((ltrim(amount, '0123456789'::text) <> amount) AND (rtrim(ltrim(amount, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text]))))
);
CREATE TABLE block (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20),
    person_id character varying(20),
    kind character varying(7) NOT NULL,
    pattern character varying(64) NOT NULL,
    created_by text NOT NULL,
    submission_id character varying(20),
    CONSTRAINT block_check CHECK (((page_id IS NULL) <> (person_id IS NULL))),
    CONSTRAINT block_kind_check CHECK (((kind)::text = ANY ((ARRAY['wallet'::character varying, 'name'::character varying, 'network'::character varying])::text[])))
);
CREATE TABLE chain_balance (
    id bigint NOT NULL,
    mint character varying(44) NOT NULL,
    address character varying(44) NOT NULL,
    token_account character varying(44) NOT NULL,
    amount text NOT NULL,
    other_amount text NOT NULL,
    slot bigint NOT NULL,
    observed_at bigint NOT NULL,
    all_observed_at bigint,
    CONSTRAINT chain_balance_amount_check CHECK (((ltrim(amount, '0123456789'::text) <> amount) AND (rtrim(ltrim(amount, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text])))),
    CONSTRAINT chain_balance_other_amount_check CHECK (((ltrim(other_amount, '0123456789'::text) <> other_amount) AND (rtrim(ltrim(other_amount, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text]))))
);
CREATE SEQUENCE chain_balance_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE chain_balance_id_seq OWNED BY chain_balance.id;
CREATE TABLE daily_balance (
    balance_id bigint NOT NULL,
    day integer NOT NULL,
    amount text NOT NULL,
    observed_at bigint NOT NULL,
    CONSTRAINT daily_balance_amount_check CHECK (((ltrim(amount, '0123456789'::text) <> amount) AND (rtrim(ltrim(amount, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text]))))
);
CREATE TABLE delivery (
    id integer NOT NULL,
    message_id integer NOT NULL,
    receiver_id character varying(20) NOT NULL,
    state character varying(9) NOT NULL,
    attempts integer NOT NULL,
    attempted_at bigint,
    answer text,
    CONSTRAINT delivery_state_check CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'delivered'::character varying, 'given_up'::character varying])::text[])))
);
CREATE SEQUENCE delivery_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE delivery_id_seq OWNED BY delivery.id;
CREATE TABLE domain_name (
    address character varying(44) NOT NULL,
    name text,
    slot bigint NOT NULL,
    observed_at bigint NOT NULL
);
CREATE TABLE imported_balance (
    id bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    mint character varying(44) NOT NULL,
    address character varying(44) NOT NULL
);
CREATE SEQUENCE imported_balance_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE imported_balance_id_seq OWNED BY imported_balance.id;
CREATE TABLE imported_day (
    balance_id bigint NOT NULL,
    day integer NOT NULL,
    amount text NOT NULL,
    observed_at bigint NOT NULL,
    CONSTRAINT imported_day_amount_check CHECK (((ltrim(amount, '0123456789'::text) <> amount) AND (rtrim(ltrim(amount, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text]))))
);
CREATE TABLE invitation (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    email character varying(254) NOT NULL,
    role character varying(8) NOT NULL,
    invited_by character varying(254) NOT NULL,
    token_hash character varying(64) NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT invitation_role_check CHECK (((role)::text = ANY ((ARRAY['viewer'::character varying, 'reviewer'::character varying, 'editor'::character varying, 'owner'::character varying])::text[])))
);
CREATE TABLE job (
    name character varying(60) NOT NULL,
    due_at bigint,
    leased_by text,
    leased_until bigint,
    started_at bigint,
    finished_at bigint,
    summary text,
    failed_at bigint,
    failure text
);
CREATE TABLE linked_wallet (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    person_id character varying(20) NOT NULL,
    address character varying(44) NOT NULL,
    used_at bigint
);
CREATE TABLE listing (
    id integer NOT NULL,
    page_id character varying(20) NOT NULL,
    address character varying(44) NOT NULL,
    name text,
    joined_at bigint NOT NULL,
    left_at bigint
);
CREATE SEQUENCE listing_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE listing_id_seq OWNED BY listing.id;
CREATE TABLE member (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    person_id character varying(20) NOT NULL,
    role character varying(8) NOT NULL,
    CONSTRAINT member_role_check CHECK (((role)::text = ANY ((ARRAY['viewer'::character varying, 'reviewer'::character varying, 'editor'::character varying])::text[])))
);
CREATE TABLE message (
    number integer NOT NULL,
    id character varying(20) NOT NULL,
    page_id character varying(20) NOT NULL,
    type character varying(30) NOT NULL,
    data text NOT NULL,
    created_at bigint NOT NULL,
    address character varying(44)
);
CREATE SEQUENCE message_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE message_number_seq OWNED BY message.number;
CREATE TABLE page (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    owner_id character varying(20) NOT NULL,
    token_name text NOT NULL,
    token_symbol text NOT NULL,
    token_mint character varying(44) NOT NULL,
    public_title text,
    public_comments text,
    is_public boolean NOT NULL,
    is_embeddable boolean NOT NULL,
    auto_approve boolean NOT NULL,
    min_balance text NOT NULL,
    queue_capacity integer NOT NULL,
    cooldown_s integer NOT NULL,
    trust_after integer NOT NULL,
    version integer NOT NULL,
    deleted_at bigint,
    holding_watch character varying(5) NOT NULL,
    listed_version integer NOT NULL,
    look text,
    CONSTRAINT page_cooldown_s_check CHECK ((cooldown_s >= 0)),
    CONSTRAINT page_holding_watch_check CHECK (((holding_watch)::text = ANY ((ARRAY['leave'::character varying, 'flag'::character varying, 'hide'::character varying])::text[]))),
    CONSTRAINT page_min_balance_check CHECK (((ltrim(min_balance, '0123456789'::text) <> min_balance) AND (rtrim(ltrim(min_balance, '0123456789'::text), '0123456789'::text) = ANY (ARRAY[''::text, '.'::text])))),
    CONSTRAINT page_queue_capacity_check CHECK ((queue_capacity >= 0)),
    CONSTRAINT page_trust_after_check CHECK ((trust_after >= 0))
);
CREATE TABLE passkey (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    person_id character varying(20) NOT NULL,
    name character varying(50) NOT NULL,
    credential_id text NOT NULL,
    credential text NOT NULL,
    host text NOT NULL,
    sign_count bigint NOT NULL,
    used_at bigint
);
CREATE TABLE person (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    email character varying(254) NOT NULL,
    password_hash text,
    language character varying(10),
    is_guest boolean NOT NULL
);
CREATE TABLE proof (
    submission_id character varying(20) NOT NULL,
    message text NOT NULL,
    signature bytea NOT NULL,
    form character varying(9) NOT NULL,
    signed_bytes bytea NOT NULL,
    CONSTRAINT proof_form_check CHECK (((form)::text = ANY ((ARRAY['raw'::character varying, 'legacy-v0'::character varying, 'v0'::character varying, 'v1-early'::character varying, 'v1'::character varying])::text[]))),
    CONSTRAINT proof_signature_check CHECK ((length(signature) = 64))
);
CREATE TABLE receiver (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    kind character varying(7) NOT NULL,
    target text NOT NULL,
    event_types text NOT NULL,
    secret text,
    previous_secret text,
    previous_secret_expires_at bigint,
    signing_key text,
    next_attempt_at bigint,
    failed_attempts integer NOT NULL,
    is_slow boolean NOT NULL,
    first_failed_at bigint,
    person_id character varying(20),
    may_decide boolean NOT NULL,
    CONSTRAINT receiver_check CHECK ((((kind)::text = 'webhook'::text) = (secret IS NOT NULL))),
    CONSTRAINT receiver_kind_check CHECK (((kind)::text = ANY ((ARRAY['webhook'::character varying, 'channel'::character varying])::text[])))
);
CREATE TABLE recovery_code (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    person_id character varying(20) NOT NULL,
    code_hash character varying(64) NOT NULL
);
CREATE TABLE refusal_count (
    id bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    day integer NOT NULL,
    reason character varying(12) NOT NULL,
    count integer NOT NULL
);
CREATE SEQUENCE refusal_count_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE refusal_count_id_seq OWNED BY refusal_count.id;
CREATE TABLE refused_origin (
    api_key_id character varying(20) NOT NULL,
    origin character varying(300) NOT NULL,
    count integer NOT NULL,
    refused_at bigint NOT NULL
);
CREATE TABLE schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp without time zone NOT NULL
);
CREATE SEQUENCE schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE schema_migration_id_seq OWNED BY schema_migration.id;
CREATE TABLE session (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    person_id character varying(20) NOT NULL,
    secret_hash character varying(64) NOT NULL,
    seen_at bigint NOT NULL,
    browser text,
    system text,
    network text,
    confirmed_at bigint NOT NULL
);
CREATE TABLE submission (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    api_key_id character varying(20) NOT NULL,
    wallet_address character varying(44) NOT NULL,
    nickname text NOT NULL,
    status character varying(13) NOT NULL,
    reject_reason character varying(12),
    session_id character varying(20),
    nonce character varying(20),
    decided_at bigint,
    reason_code character varying(20),
    reason_text text,
    CONSTRAINT submission_check CHECK (((((status)::text = 'pending'::text) AND (reject_reason IS NULL) AND (decided_at IS NULL)) OR (((status)::text = ANY ((ARRAY['approved'::character varying, 'auto_approved'::character varying])::text[])) AND (reject_reason IS NULL) AND (decided_at IS NOT NULL)) OR (((status)::text = ANY ((ARRAY['rejected'::character varying, 'soft_rejected'::character varying])::text[])) AND (reject_reason IS NOT NULL) AND (decided_at IS NOT NULL)))),
    CONSTRAINT submission_check1 CHECK ((((reason_code IS NULL) AND (reason_text IS NULL)) OR (((status)::text = 'rejected'::text) AND ((reason_code IS NULL) OR (reason_text IS NULL)))))
);
CREATE TABLE tag (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    name text NOT NULL,
    color text NOT NULL,
    is_counted boolean NOT NULL
);
CREATE TABLE token (
    mint character varying(44) NOT NULL,
    program character varying(44),
    decimals integer,
    name text,
    symbol text,
    supply text,
    observed_at bigint,
    problem text,
    supply_observed_at bigint
);
CREATE TABLE used_nonce (
    token character varying(20) NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE wallet (
    id character varying(20) NOT NULL,
    created_at bigint NOT NULL,
    page_id character varying(20) NOT NULL,
    address character varying(44) NOT NULL,
    public_alias text,
    is_hidden boolean NOT NULL,
    low_count integer NOT NULL,
    low_observed_at bigint,
    is_withheld boolean NOT NULL,
    submission_id character varying(20),
    is_withdrawn boolean NOT NULL
);
CREATE TABLE wallet_tag (
    wallet_id character varying(20) NOT NULL,
    tag_id character varying(20) NOT NULL
);
CREATE TABLE withdrawal (
    submission_id character varying(20) NOT NULL,
    page_id character varying(20) NOT NULL,
    withdrawn_at bigint NOT NULL
);
CREATE TABLE worker_process (
    id character varying(20) NOT NULL,
    kind character varying(8) NOT NULL,
    host text NOT NULL,
    process_id integer NOT NULL,
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    CONSTRAINT worker_process_kind_check CHECK (((kind)::text = ANY ((ARRAY['gunicorn'::character varying, 'worker'::character varying])::text[])))
);
ALTER TABLE ONLY chain_balance ALTER COLUMN id SET DEFAULT nextval('chain_balance_id_seq'::regclass);
ALTER TABLE ONLY delivery ALTER COLUMN id SET DEFAULT nextval('delivery_id_seq'::regclass);
ALTER TABLE ONLY imported_balance ALTER COLUMN id SET DEFAULT nextval('imported_balance_id_seq'::regclass);
ALTER TABLE ONLY listing ALTER COLUMN id SET DEFAULT nextval('listing_id_seq'::regclass);
ALTER TABLE ONLY message ALTER COLUMN number SET DEFAULT nextval('message_number_seq'::regclass);
ALTER TABLE ONLY refusal_count ALTER COLUMN id SET DEFAULT nextval('refusal_count_id_seq'::regclass);
ALTER TABLE ONLY schema_migration ALTER COLUMN id SET DEFAULT nextval('schema_migration_id_seq'::regclass);
ALTER TABLE ONLY account_event
    ADD CONSTRAINT account_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (owner_id, mint, address);
ALTER TABLE ONLY block
    ADD CONSTRAINT block_pkey PRIMARY KEY (id);
ALTER TABLE ONLY chain_balance
    ADD CONSTRAINT chain_balance_pkey PRIMARY KEY (id);
ALTER TABLE ONLY daily_balance
    ADD CONSTRAINT daily_balance_pkey PRIMARY KEY (balance_id, day);
ALTER TABLE ONLY delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY domain_name
    ADD CONSTRAINT domain_name_pkey PRIMARY KEY (address);
ALTER TABLE ONLY imported_balance
    ADD CONSTRAINT imported_balance_pkey PRIMARY KEY (id);
ALTER TABLE ONLY imported_day
    ADD CONSTRAINT imported_day_pkey PRIMARY KEY (balance_id, day);
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name);
ALTER TABLE ONLY linked_wallet
    ADD CONSTRAINT linked_wallet_pkey PRIMARY KEY (id);
ALTER TABLE ONLY listing
    ADD CONSTRAINT listing_pkey PRIMARY KEY (id);
ALTER TABLE ONLY member
    ADD CONSTRAINT member_pkey PRIMARY KEY (id);
ALTER TABLE ONLY message
    ADD CONSTRAINT message_pkey PRIMARY KEY (number);
ALTER TABLE ONLY page
    ADD CONSTRAINT page_pkey PRIMARY KEY (id);
ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY proof
    ADD CONSTRAINT proof_pkey PRIMARY KEY (submission_id);
ALTER TABLE ONLY receiver
    ADD CONSTRAINT receiver_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (id);
ALTER TABLE ONLY refusal_count
    ADD CONSTRAINT refusal_count_pkey PRIMARY KEY (id);
ALTER TABLE ONLY refused_origin
    ADD CONSTRAINT refused_origin_pkey PRIMARY KEY (api_key_id, origin);
ALTER TABLE ONLY schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY submission
    ADD CONSTRAINT submission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tag
    ADD CONSTRAINT tag_pkey PRIMARY KEY (id);
ALTER TABLE ONLY token
    ADD CONSTRAINT token_pkey PRIMARY KEY (mint);
ALTER TABLE ONLY used_nonce
    ADD CONSTRAINT used_nonce_pkey PRIMARY KEY (token);
ALTER TABLE ONLY wallet
    ADD CONSTRAINT wallet_pkey PRIMARY KEY (id);
ALTER TABLE ONLY wallet_tag
    ADD CONSTRAINT wallet_tag_pkey PRIMARY KEY (wallet_id, tag_id);
ALTER TABLE ONLY withdrawal
    ADD CONSTRAINT withdrawal_pkey PRIMARY KEY (submission_id);
ALTER TABLE ONLY worker_process
    ADD CONSTRAINT worker_process_pkey PRIMARY KEY (id);
CREATE INDEX account_event_person_id_created_at ON account_event USING btree (person_id, created_at);
CREATE INDEX activity_page_id_address ON activity USING btree (page_id, address);
CREATE INDEX activity_page_id_created_at ON activity USING btree (page_id, created_at);
CREATE UNIQUE INDEX api_key_derived ON api_key USING btree (page_id, purpose) WHERE ((purpose)::text <> 'sites'::text);
CREATE UNIQUE INDEX api_key_key_hash ON api_key USING btree (key_hash);
CREATE INDEX api_key_page_id ON api_key USING btree (page_id);
CREATE UNIQUE INDEX block_page_id_kind_pattern ON block USING btree (page_id, kind, pattern);
CREATE UNIQUE INDEX block_person_id_kind_pattern ON block USING btree (person_id, kind, pattern);
CREATE INDEX block_submission_id ON block USING btree (submission_id);
CREATE UNIQUE INDEX chain_balance_mint_address ON chain_balance USING btree (mint, address);
CREATE UNIQUE INDEX delivery_message_id_receiver_id ON delivery USING btree (message_id, receiver_id);
CREATE INDEX delivery_receiver_id_attempted_at ON delivery USING btree (receiver_id, attempted_at);
CREATE INDEX delivery_receiver_id_state_message_id ON delivery USING btree (receiver_id, state, message_id);
CREATE INDEX domain_name_observed_at ON domain_name USING btree (observed_at);
CREATE UNIQUE INDEX imported_balance_page_id_mint_address ON imported_balance USING btree (page_id, mint, address);
CREATE UNIQUE INDEX invitation_page_id_email ON invitation USING btree (page_id, email);
CREATE UNIQUE INDEX invitation_token_hash ON invitation USING btree (token_hash);
CREATE UNIQUE INDEX linked_wallet_address ON linked_wallet USING btree (address);
CREATE INDEX linked_wallet_person_id ON linked_wallet USING btree (person_id);
CREATE UNIQUE INDEX listing_current ON listing USING btree (page_id, address) WHERE (left_at IS NULL);
CREATE INDEX listing_page_id_joined_at ON listing USING btree (page_id, joined_at);
CREATE INDEX listing_page_id_left_at ON listing USING btree (page_id, left_at);
CREATE UNIQUE INDEX member_page_id_person_id ON member USING btree (page_id, person_id);
CREATE INDEX member_person_id ON member USING btree (person_id);
CREATE UNIQUE INDEX message_id ON message USING btree (id);
CREATE INDEX message_page_id_address ON message USING btree (page_id, address);
CREATE INDEX message_page_id_number ON message USING btree (page_id, number);
CREATE INDEX message_page_id_type ON message USING btree (page_id, type);
CREATE INDEX page_owner_id ON page USING btree (owner_id);
CREATE INDEX page_token_mint ON page USING btree (token_mint);
CREATE UNIQUE INDEX passkey_credential_id ON passkey USING btree (credential_id);
CREATE INDEX passkey_person_id ON passkey USING btree (person_id);
CREATE UNIQUE INDEX person_email ON person USING btree (email);
CREATE INDEX receiver_page_id ON receiver USING btree (page_id);
CREATE UNIQUE INDEX receiver_person_id_page_id ON receiver USING btree (person_id, page_id);
CREATE UNIQUE INDEX recovery_code_code_hash ON recovery_code USING btree (code_hash);
CREATE INDEX recovery_code_person_id ON recovery_code USING btree (person_id);
CREATE UNIQUE INDEX refusal_count_page_id_day_reason ON refusal_count USING btree (page_id, day, reason);
CREATE UNIQUE INDEX schema_migration_name ON schema_migration USING btree (name);
CREATE INDEX session_person_id ON session USING btree (person_id);
CREATE INDEX submission_api_key_id ON submission USING btree (api_key_id);
CREATE UNIQUE INDEX submission_live_wallet ON submission USING btree (page_id, wallet_address) WHERE ((status)::text = ANY ((ARRAY['pending'::character varying, 'approved'::character varying, 'auto_approved'::character varying])::text[]));
CREATE UNIQUE INDEX submission_nonce ON submission USING btree (nonce);
CREATE INDEX submission_page_id_status_created_at ON submission USING btree (page_id, status, created_at);
CREATE INDEX submission_session ON submission USING btree (session_id, page_id, created_at);
CREATE UNIQUE INDEX submission_soft_rejected ON submission USING btree (page_id, session_id, wallet_address, reject_reason) WHERE ((status)::text = 'soft_rejected'::text);
CREATE INDEX submission_wallet_address ON submission USING btree (wallet_address);
CREATE UNIQUE INDEX tag_page_id_name ON tag USING btree (page_id, name);
CREATE INDEX used_nonce_expires_at ON used_nonce USING btree (expires_at);
CREATE UNIQUE INDEX wallet_page_id_address ON wallet USING btree (page_id, address);
CREATE UNIQUE INDEX wallet_submission_id ON wallet USING btree (submission_id);
CREATE INDEX wallet_tag_tag_id ON wallet_tag USING btree (tag_id);
CREATE INDEX withdrawal_page_id ON withdrawal USING btree (page_id);
ALTER TABLE ONLY account_event
    ADD CONSTRAINT account_event_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY activity
    ADD CONSTRAINT activity_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY balance
    ADD CONSTRAINT balance_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY block
    ADD CONSTRAINT block_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY block
    ADD CONSTRAINT block_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY block
    ADD CONSTRAINT block_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES submission(id) ON DELETE SET NULL;
ALTER TABLE ONLY daily_balance
    ADD CONSTRAINT daily_balance_balance_id_fkey FOREIGN KEY (balance_id) REFERENCES chain_balance(id) ON DELETE CASCADE;
ALTER TABLE ONLY delivery
    ADD CONSTRAINT delivery_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(number) ON DELETE CASCADE;
ALTER TABLE ONLY delivery
    ADD CONSTRAINT delivery_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES receiver(id) ON DELETE CASCADE;
ALTER TABLE ONLY imported_balance
    ADD CONSTRAINT imported_balance_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY imported_day
    ADD CONSTRAINT imported_day_balance_id_fkey FOREIGN KEY (balance_id) REFERENCES imported_balance(id) ON DELETE CASCADE;
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY linked_wallet
    ADD CONSTRAINT linked_wallet_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY listing
    ADD CONSTRAINT listing_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY member
    ADD CONSTRAINT member_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY member
    ADD CONSTRAINT member_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY message
    ADD CONSTRAINT message_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY page
    ADD CONSTRAINT page_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES person(id) ON DELETE RESTRICT;
ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY proof
    ADD CONSTRAINT proof_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES submission(id) ON DELETE CASCADE;
ALTER TABLE ONLY receiver
    ADD CONSTRAINT receiver_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY receiver
    ADD CONSTRAINT receiver_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY refusal_count
    ADD CONSTRAINT refusal_count_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY refused_origin
    ADD CONSTRAINT refused_origin_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE;
ALTER TABLE ONLY session
    ADD CONSTRAINT session_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id) ON DELETE CASCADE;
ALTER TABLE ONLY submission
    ADD CONSTRAINT submission_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE;
ALTER TABLE ONLY submission
    ADD CONSTRAINT submission_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY tag
    ADD CONSTRAINT tag_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY wallet
    ADD CONSTRAINT wallet_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
ALTER TABLE ONLY wallet
    ADD CONSTRAINT wallet_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES submission(id) ON DELETE SET NULL;
ALTER TABLE ONLY wallet_tag
    ADD CONSTRAINT wallet_tag_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tag(id) ON DELETE CASCADE;
ALTER TABLE ONLY wallet_tag
    ADD CONSTRAINT wallet_tag_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallet(id) ON DELETE CASCADE;
ALTER TABLE ONLY withdrawal
    ADD CONSTRAINT withdrawal_page_id_fkey FOREIGN KEY (page_id) REFERENCES page(id) ON DELETE CASCADE;
