import { APPEND_FUNCTIONS } from './append-functions.ts'
import { GROUPED_CALLS } from './grouped-calls.ts'
import { NODE_FUNCTIONS } from './node-functions.ts'
import { PRIVATE_CHANNELS } from './private-channels.ts'
import { REPLACE_RECORD } from './replace-record.ts'
import { RETIREMENT } from './retiring-functions.ts'
import { USAGE_TABLE } from './usage.ts'

/**
 * Step n takes a database from format n to n + 1, in the schema `holdpoint`. A released step never changes.
 *
 * `events` is the truth, as in SQLite; every other table but `records` finds rows in it and is checked against it. What
 * agents choose is kept as JSON text, which holds what PostgreSQL's text cannot (NUL, half of a surrogate pair), and where
 * it is a key, as the SHA-256 of that text: an index takes no long ones. `text` is compared byte by byte, so that lists have
 * the same order everywhere. `seq` is given behind a lock, without gaps. `history`, `kept_calls` and the tables beside them
 * are caches, filled behind the log.
 */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE cluster (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id text COLLATE "C" NOT NULL,
    format integer NOT NULL,
    authority bigint NOT NULL DEFAULT 0,
    -- The node of the sessions of a log that was moved here.
    home text COLLATE "C"
  );
  INSERT INTO cluster (id, format) VALUES (gen_random_uuid()::text, 0);
  CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    epoch bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    -- The gateway's process. None: it is not one of the cluster, or was forgotten; its epoch stays, so that nothing of an
    -- older life is ever taken for a newer one's.
    run text COLLATE "C",
    beat timestamptz NOT NULL,
    -- As JSON, as whatever people and machines choose.
    name text COLLATE "C" NOT NULL DEFAULT '""',
    facts text COLLATE "C" NOT NULL DEFAULT '{}',
    draining boolean NOT NULL DEFAULT false,
    -- The last change of a record or of the authority, and whether there was a record to remove: says what became of a
    -- change whose reply was lost.
    change_id text COLLATE "C",
    change_found boolean
  ) WITH (fillfactor = 50);
  CREATE TABLE events (
    seq bigint PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL,
    session_seq integer NOT NULL,
    type text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    data text COLLATE "C" NOT NULL,
    UNIQUE (session_id, session_seq)
  );
  CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    seq integer NOT NULL,
    hash bytea NOT NULL,
    checkpoint bigint NOT NULL,
    activity_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    -- Only of one that has ended. What an index names must not change while a session lives: its row then stays in its page.
    ended_at bigint,
    project_key bytea NOT NULL,
    vendor_key bytea,
    data text COLLATE "C" NOT NULL,
    sum bytea NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX sessions_ended ON sessions (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE INDEX sessions_ended_vendor ON sessions (vendor_key) WHERE ended_at IS NOT NULL;
  CREATE INDEX sessions_live ON sessions (id) WHERE ended_at IS NULL;
  CREATE TABLE asks (
    id text COLLATE "C" PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL,
    epoch integer NOT NULL,
    request_key bytea NOT NULL,
    tool_use_key bytea,
    raised_seq bigint NOT NULL,
    settled_seq bigint,
    changed_seq bigint NOT NULL DEFAULT 0,
    delivered_seq bigint,
    UNIQUE (session_id, epoch, request_key, changed_seq)
  ) WITH (fillfactor = 80);
  CREATE INDEX asks_settled ON asks (settled_seq) WHERE settled_seq IS NOT NULL;
  CREATE INDEX asks_open ON asks (raised_seq) WHERE settled_seq IS NULL;
  CREATE TABLE items (
    session_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    status text COLLATE "C",
    status_seq bigint NOT NULL,
    PRIMARY KEY (session_id, seq),
    UNIQUE (session_id, id)
  );
  CREATE INDEX items_by_status ON items (session_id, status, status_seq) WHERE status IS NOT NULL;
  CREATE TABLE rules (
    session_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    added_seq bigint NOT NULL,
    removed_seq bigint,
    PRIMARY KEY (session_id, id)
  );
  CREATE TABLE records (
    place bigint GENERATED ALWAYS AS IDENTITY,
    collection_key bytea NOT NULL,
    key bytea NOT NULL,
    collection text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (collection_key, key)
  );
  CREATE TABLE calls (
    id text COLLATE "C" PRIMARY KEY,
    to_node text COLLATE "C" NOT NULL,
    from_node text COLLATE "C" NOT NULL,
    from_run text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    -- The run that does it.
    taken text COLLATE "C",
    reply text COLLATE "C",
    -- Nobody takes it any more, and nobody waits for what comes of it.
    settled boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL
  );
  CREATE TABLE attachment_parts (
    id text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (id, part)
  );
  ALTER TABLE attachment_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ${APPEND_FUNCTIONS}
  ${NODE_FUNCTIONS}
  `,
  `
  CREATE TABLE history (
    settled_seq bigint PRIMARY KEY,
    version integer NOT NULL,
    ask_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    tool text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    device text COLLATE "C" NOT NULL,
    device_name text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    rule text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL
  );
  CREATE TABLE kept_calls (
    hash bytea PRIMARY KEY,
    text text COLLATE "C" NOT NULL
  );
  CREATE TABLE past_calls (
    settled_seq bigint PRIMARY KEY,
    version integer NOT NULL,
    ask_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    trusted boolean NOT NULL,
    at bigint NOT NULL,
    decision text COLLATE "C" NOT NULL,
    about text COLLATE "C" NOT NULL,
    stem text COLLATE "C",
    call bytea
  );
  `,
  REPLACE_RECORD,
  PRIVATE_CHANNELS,
  GROUPED_CALLS,
  RETIREMENT,
  USAGE_TABLE,
]
