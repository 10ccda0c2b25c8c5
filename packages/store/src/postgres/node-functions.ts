import { LOCK } from './append-functions.ts'
import { CHANNELS } from './listener.ts'

/** A node of which nothing was heard for so long cannot be reached. */
export const SILENCE_MS = 4_000
export const SILENT = `beat < clock_timestamp() - interval '${SILENCE_MS} ms'`
export const CALL_LATE_MS = 10_000
/** Longer than a call may be on its way: a row that is settled keeps what comes late from being taken. */
export const CALL_KEPT_MS = 60_000

/**
 * What a gateway does beside appending, as format 1 has it: later formats have other functions for changes of records
 * (`replace-record.ts`) and for calls (`grouped-calls.ts`). A new life and a change of a record wait for the lock of the log, so that
 * each comes before or after a commit.
 */
export const NODE_FUNCTIONS = `
-- A new life of a node. A statement of the life before has either committed by now, or is refused for good.
CREATE FUNCTION claim(my_node text, my_version text, OUT my_epoch bigint, OUT now_ms double precision) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  INSERT INTO nodes (id, epoch, beat, version) VALUES (my_node, 1, clock_timestamp(), my_version)
    ON CONFLICT (id) DO UPDATE SET epoch = nodes.epoch + 1, beat = clock_timestamp(), version = excluded.version
    RETURNING epoch INTO my_epoch;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
END $$;

-- Puts a record, or removes it where there is no new value. Where it is one of rights, the authority is raised with it. The
-- node's row keeps what became of its last change.
CREATE FUNCTION change_record(my_node text, my_epoch bigint, my_format int, change text, is_right boolean, told text, in_collection text, under_key text,
  new_collection text, new_name text, new_value text, new_sum text, OUT verdict text, OUT was_there boolean, OUT newest bigint) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  SELECT CASE WHEN c.format <> my_format THEN 'format'
      WHEN NOT EXISTS (SELECT FROM nodes n WHERE n.id = my_node AND n.epoch = my_epoch) THEN 'fenced' ELSE 'ok' END
    INTO verdict FROM cluster c;
  IF verdict <> 'ok' THEN RETURN; END IF;
  IF new_value IS NULL THEN
    DELETE FROM records WHERE collection_key = decode(in_collection, 'hex') AND key = decode(under_key, 'hex');
    was_there := FOUND;
  ELSE
    INSERT INTO records (collection_key, key, collection, name, value, sum)
      VALUES (decode(in_collection, 'hex'), decode(under_key, 'hex'), new_collection, new_name, new_value, decode(new_sum, 'hex'))
      ON CONFLICT (collection_key, key) DO UPDATE SET value = excluded.value, sum = excluded.sum;
    was_there := true;
  END IF;
  UPDATE nodes SET change_id = change, change_found = was_there WHERE id = my_node;
  IF NOT was_there THEN RETURN; END IF;
  IF is_right THEN UPDATE cluster SET authority = authority + 1 RETURNING authority INTO newest; END IF;
  PERFORM pg_notify('${CHANNELS.records}', coalesce(newest, 0) || ' ' || change || ' ' || told);
END $$;

-- Says that this gateway is there, and who it is. Not waited for by the disk: a beat that a crash takes back does no harm.
CREATE FUNCTION beat(my_node text, my_epoch bigint, my_run text, my_name text, my_facts text,
  OUT is_ours boolean, OUT newest_authority bigint, OUT now_ms double precision) LANGUAGE plpgsql AS $$
DECLARE
  was record;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT n.run, n.facts INTO was FROM nodes n WHERE n.id = my_node;
  -- One that was forgotten, or was never there, is new.
  UPDATE nodes SET beat = clock_timestamp(), run = my_run, facts = my_facts,
      name = CASE WHEN run IS NULL THEN my_name ELSE name END, draining = draining AND run IS NOT NULL
    WHERE id = my_node AND epoch = my_epoch;
  is_ours := FOUND;
  SELECT authority INTO newest_authority FROM cluster;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
  IF is_ours AND (was.run IS DISTINCT FROM my_run OR was.facts IS DISTINCT FROM my_facts) THEN PERFORM pg_notify('${CHANNELS.nodes}', ''); END IF;
END $$;

-- A gateway that ends is not waited for.
CREATE FUNCTION leave(my_node text, my_run text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  UPDATE nodes SET beat = '-infinity' WHERE id = my_node AND run = my_run;
  IF FOUND THEN PERFORM pg_notify('${CHANNELS.nodes}', ''); END IF;
END $$;

CREATE FUNCTION rename_node(node text, new_name text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  UPDATE nodes SET name = new_name WHERE id = node AND run IS NOT NULL;
  IF FOUND THEN PERFORM pg_notify('${CHANNELS.nodes}', ''); END IF;
  RETURN FOUND;
END $$;

CREATE FUNCTION drain_node(node text, is_draining boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  UPDATE nodes SET draining = is_draining WHERE id = node AND run IS NOT NULL;
  IF FOUND THEN PERFORM pg_notify('${CHANNELS.nodes}', ''); END IF;
  RETURN FOUND;
END $$;

CREATE FUNCTION forget_node(node text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE nodes SET run = NULL WHERE id = node AND run IS NOT NULL AND ${SILENT};
  IF FOUND THEN
    PERFORM pg_notify('${CHANNELS.nodes}', '');
    RETURN 'forgotten';
  END IF;
  RETURN CASE WHEN EXISTS (SELECT FROM nodes WHERE id = node AND run IS NOT NULL) THEN 'reachable' ELSE 'unknown' END;
END $$;

-- Not one that was under way for long: whoever sent it has given it up by then, and its row may be gone.
CREATE FUNCTION call_node(call text, to_id text, from_id text, run text, call_body text, sent_at bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO calls (id, to_node, from_node, from_run, body, at)
    SELECT call, to_id, from_id, run, call_body, clock_timestamp()
    WHERE abs(extract(epoch FROM clock_timestamp()) * 1000 - sent_at) < ${CALL_LATE_MS}
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN PERFORM pg_notify('${CHANNELS.calls}', to_id); END IF;
END $$;

-- Calls that this run has taken and not replied to, with those that it takes now: of callers that are still there.
CREATE FUNCTION take_calls(my_node text, my_run text, known text[]) RETURNS TABLE (call text, call_body text) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE calls c SET taken = my_run WHERE c.to_node = my_node AND c.taken IS NULL AND NOT c.settled
    AND EXISTS (SELECT FROM nodes n WHERE n.id = c.from_node AND n.run = c.from_run AND NOT ${SILENT});
  RETURN QUERY SELECT c.id, c.body FROM calls c WHERE c.to_node = my_node AND c.taken = my_run AND c.reply IS NULL AND NOT c.settled
    AND NOT c.id = ANY(known);
END $$;

CREATE FUNCTION reply_to_call(call text, my_run text, new_reply text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  caller text;
BEGIN
  UPDATE calls SET reply = new_reply, settled = new_reply IS NULL WHERE id = call AND taken = my_run AND NOT settled RETURNING from_node INTO caller;
  IF FOUND THEN PERFORM pg_notify('${CHANNELS.calls}', caller); END IF;
END $$;

-- From now on nobody takes it, also if it is still on its way here. Says how far it has come.
CREATE FUNCTION settle_call(call text, OUT was_taken boolean, OUT found_reply text) LANGUAGE plpgsql AS $$
DECLARE
  found_node text;
BEGIN
  INSERT INTO calls (id, to_node, from_node, from_run, body, settled, at) VALUES (call, '', '', '', '', true, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET settled = true, body = ''
    RETURNING taken IS NOT NULL, reply, to_node INTO was_taken, found_reply, found_node;
  IF was_taken AND found_reply IS NULL THEN PERFORM pg_notify('${CHANNELS.calls}', found_node); END IF;
END $$;

CREATE FUNCTION drop_calls(my_node text, my_run text, waiting text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM calls c WHERE c.at < clock_timestamp() - interval '${CALL_KEPT_MS} ms'
    AND NOT (c.from_node = my_node AND c.from_run = my_run AND c.id = ANY(waiting))
    AND (c.settled OR c.from_node = my_node OR NOT EXISTS (SELECT FROM nodes n WHERE n.id = c.from_node AND n.run = c.from_run AND NOT ${SILENT}))
$$;

CREATE FUNCTION tell(texts text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify('${CHANNELS.told}', t) FROM unnest(texts) t;
END $$;
`
