/**
 * How texts of events leave the log, since format 6. Each change is one statement, so that a gateway that stops in the middle
 * holds up nobody; each takes the session's row first, as a commit to the session does, and says whether it was done: 'no'
 * where the session is not, or no longer, as it has to be for that.
 */
export const RETIREMENT = `
CREATE TABLE retired (
  session_id text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  events integer NOT NULL,
  archive text COLLATE "C" NOT NULL,
  sum text COLLATE "C" NOT NULL,
  -- Of its blocks. A session that was written twice has two, and one that counts.
  part text COLLATE "C" NOT NULL,
  -- Its texts are being put back: nothing more is taken.
  restoring boolean NOT NULL DEFAULT false,
  done boolean NOT NULL DEFAULT false
);
CREATE TABLE archive_blocks (
  part text COLLATE "C" NOT NULL,
  first integer NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  archive text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  bytes bytea NOT NULL,
  PRIMARY KEY (part, first)
);
ALTER TABLE archive_blocks ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX archive_blocks_session ON archive_blocks (session_id);

CREATE FUNCTION lock_session(my_format int, id_is text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT format FROM cluster) <> my_format THEN RETURN 'format'; END IF;
  PERFORM FROM sessions WHERE id = id_is AND ended_at IS NOT NULL FOR UPDATE;
  RETURN CASE WHEN FOUND THEN 'ok' ELSE 'no' END;
END $$;

-- session_sum: the session as it was found to be ready to leave. event_hash: the event that says that it has left.
CREATE FUNCTION retire_session(my_format int, id_is text, session_sum text, event_seq int, event_hash text, events_is int, archive_is text, sum_is text, part_is text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  verdict text := lock_session(my_format, id_is);
BEGIN
  IF verdict <> 'ok' THEN RETURN verdict; END IF;
  IF NOT EXISTS (SELECT FROM sessions WHERE id = id_is AND sum = decode(session_sum, 'hex'))
    OR NOT EXISTS (SELECT FROM events WHERE session_id = id_is AND session_seq = event_seq AND hash = decode(event_hash, 'hex'))
    OR EXISTS (SELECT FROM retired WHERE session_id = id_is) THEN RETURN 'no'; END IF;
  INSERT INTO retired (session_id, kind, events, archive, sum, part) VALUES (id_is, 'archived', events_is, archive_is, sum_is, part_is);
  RETURN 'ok';
END $$;

CREATE FUNCTION empty_events(my_format int, id_is text, kind_is text, from_seq int, to_seq int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  verdict text := lock_session(my_format, id_is);
BEGIN
  IF verdict <> 'ok' THEN RETURN verdict; END IF;
  IF NOT EXISTS (SELECT FROM retired WHERE session_id = id_is AND kind = kind_is AND NOT restoring AND events >= to_seq) THEN RETURN 'no'; END IF;
  UPDATE events SET data = '' WHERE session_id = id_is AND session_seq BETWEEN from_seq AND to_seq AND data <> '';
  RETURN 'ok';
END $$;

CREATE FUNCTION let_go_of_part(my_format int, id_is text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  was retired%ROWTYPE;
BEGIN
  IF (SELECT format FROM cluster) <> my_format THEN RETURN 'format'; END IF;
  PERFORM FROM sessions WHERE id = id_is FOR UPDATE;
  SELECT * INTO was FROM retired WHERE session_id = id_is AND kind = 'archived';
  IF NOT FOUND OR EXISTS (SELECT FROM events WHERE session_id = id_is AND session_seq <= was.events AND data = '') THEN RETURN 'no'; END IF;
  DELETE FROM retired WHERE session_id = id_is;
  DELETE FROM archive_blocks WHERE part = was.part;
  RETURN 'ok';
END $$;

CREATE FUNCTION begin_erasing(my_format int, id_is text, event_seq int, event_hash text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  verdict text := lock_session(my_format, id_is);
BEGIN
  IF verdict <> 'ok' THEN RETURN verdict; END IF;
  IF NOT EXISTS (SELECT FROM events WHERE session_id = id_is AND session_seq = event_seq AND type = 'session-deleted' AND hash = decode(event_hash, 'hex'))
    THEN RETURN 'no'; END IF;
  DELETE FROM archive_blocks WHERE session_id = id_is;
  DELETE FROM retired WHERE session_id = id_is AND kind = 'archived';
  INSERT INTO retired (session_id, kind, events, archive, sum, part) VALUES (id_is, 'deleted', event_seq - 1, '', '', '') ON CONFLICT DO NOTHING;
  RETURN 'ok';
END $$;

-- Rows that name asks and items of a deleted session, and what was made from them: so many at a time.
CREATE FUNCTION erase_rows(my_format int, id_is text, at_once int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  verdict text := lock_session(my_format, id_is);
  removed int;
  total int := 0;
BEGIN
  IF verdict <> 'ok' THEN RETURN verdict; END IF;
  IF NOT EXISTS (SELECT FROM retired WHERE session_id = id_is AND kind = 'deleted') THEN RETURN 'no'; END IF;
  DELETE FROM kept_calls WHERE hash IN (SELECT call FROM past_calls WHERE session_id = id_is)
    AND NOT EXISTS (SELECT FROM past_calls p WHERE p.call = kept_calls.hash AND p.session_id <> id_is);
  DELETE FROM past_calls WHERE session_id = id_is;
  GET DIAGNOSTICS removed = ROW_COUNT; total := total + removed;
  DELETE FROM history WHERE settled_seq IN (SELECT settled_seq FROM history WHERE session_id = id_is LIMIT at_once);
  GET DIAGNOSTICS removed = ROW_COUNT; total := total + removed;
  DELETE FROM asks WHERE id IN (SELECT id FROM asks WHERE session_id = id_is LIMIT at_once);
  GET DIAGNOSTICS removed = ROW_COUNT; total := total + removed;
  DELETE FROM items WHERE session_id = id_is AND seq IN (SELECT seq FROM items WHERE session_id = id_is LIMIT at_once);
  GET DIAGNOSTICS removed = ROW_COUNT; total := total + removed;
  DELETE FROM rules WHERE session_id = id_is AND id IN (SELECT id FROM rules WHERE session_id = id_is LIMIT at_once);
  GET DIAGNOSTICS removed = ROW_COUNT; total := total + removed;
  IF total > 0 THEN RETURN 'more'; END IF;
  UPDATE retired SET done = true WHERE session_id = id_is;
  RETURN 'ok';
END $$;
`
