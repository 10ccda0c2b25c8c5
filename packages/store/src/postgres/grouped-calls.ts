import { CHANNELS } from './listener.ts'
import { CALL_KEPT_MS, CALL_LATE_MS, SILENT } from './node-functions.ts'

/** What has happened to calls, beside the node that it concerns. */
export const CALL_NEWS = { call: 'call', reply: 'reply', left: 'left' } as const
export type CallNews = (typeof CALL_NEWS)[keyof typeof CALL_NEWS]

/**
 * Calls between nodes as they are since format 5: many in one statement. Of what one call needs, only taking it waits for the
 * disk. That flush comes after the call's own commit, so a call that was taken is on disk whole; one that a crash takes back
 * was taken by nobody, and its caller finds no row. A reply that a crash takes back leaves a call that is taken, whose taker
 * knows that it has done it. A call that is given up is flushed too: nobody may take it after its caller was told so.
 *
 * Rows are waited for in the order of their ids, and otherwise skipped, so that no two statements wait for each other.
 */
export const GROUPED_CALLS = `
DROP FUNCTION call_node(text, text, text, text, text, bigint);
DROP FUNCTION take_calls(text, text, text[]);
DROP FUNCTION reply_to_call(text, text, text);
DROP FUNCTION settle_call(text);
DROP FUNCTION drop_calls(text, text, text[]);
CREATE INDEX calls_due ON calls (to_node) WHERE reply IS NULL AND NOT settled;

-- Not those that were under way for long: whoever sent them has given them up by then, and their rows may be gone. Those whose
-- replies were heard are removed with the next ones: they were sent once, so no copy of them can come later.
CREATE FUNCTION call_nodes(from_id text, my_run text, sent_at bigint, new_ids text[], to_ids text[], bodies text[], heard text[])
RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM calls WHERE id IN (SELECT c.id FROM calls c WHERE c.id = ANY(heard) FOR UPDATE SKIP LOCKED);
  IF abs(extract(epoch FROM clock_timestamp()) * 1000 - sent_at) >= ${CALL_LATE_MS} THEN RETURN; END IF;
  INSERT INTO calls (id, to_node, from_node, from_run, body, at)
    SELECT n.id, n.to_node, from_id, my_run, n.body, clock_timestamp()
    FROM unnest(new_ids, to_ids, bodies) n(id, to_node, body) ORDER BY n.id
    ON CONFLICT (id) DO NOTHING;
  PERFORM tell_gateways('${CHANNELS.calls}', n.to_node || ' ${CALL_NEWS.call}') FROM (SELECT DISTINCT unnest(to_ids)) n(to_node);
END $$;

-- Calls that this run has taken and not replied to, beside those that it knows of; and those that it takes now: of callers
-- that are still there.
CREATE FUNCTION take_calls(my_node text, my_run text, known text[])
RETURNS TABLE (call text, call_body text, is_new boolean) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY SELECT c.id, c.body, false FROM calls c
    WHERE c.to_node = my_node AND c.taken = my_run AND c.reply IS NULL AND NOT c.settled AND NOT c.id = ANY(known);
  RETURN QUERY UPDATE calls c SET taken = my_run
    WHERE c.id IN (SELECT d.id FROM calls d
      WHERE d.to_node = my_node AND d.taken IS NULL AND d.reply IS NULL AND NOT d.settled
        AND EXISTS (SELECT FROM nodes n WHERE n.id = d.from_node AND n.run = d.from_run AND NOT n.${SILENT})
      FOR UPDATE OF d SKIP LOCKED)
    RETURNING c.id, c.body, true;
END $$;

CREATE FUNCTION reply_to_calls(my_run text, done text[], replies text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  callers text[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM calls c WHERE c.id = ANY(done) ORDER BY c.id FOR UPDATE;
  WITH replied AS (
    UPDATE calls c SET reply = d.reply, settled = d.reply IS NULL FROM unnest(done, replies) d(id, reply)
      WHERE c.id = d.id AND c.taken = my_run AND NOT c.settled RETURNING c.from_node
  ) SELECT array_agg(DISTINCT r.from_node) INTO callers FROM replied r;
  PERFORM tell_gateways('${CHANNELS.calls}', caller || ' ${CALL_NEWS.reply}') FROM unnest(callers) caller;
END $$;

-- From now on nobody takes them, also if they are still on their way here. Says how far each has come.
CREATE FUNCTION settle_calls(left_ids text[]) RETURNS TABLE (call text, was_taken boolean, found_reply text) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY INSERT INTO calls AS c (id, to_node, from_node, from_run, body, settled, at)
    SELECT l.id, '', '', '', '', true, clock_timestamp() FROM (SELECT DISTINCT unnest(left_ids)) l(id) ORDER BY l.id
    ON CONFLICT (id) DO UPDATE SET settled = true, body = ''
    RETURNING c.id, c.taken IS NOT NULL, c.reply;
  PERFORM tell_gateways('${CHANNELS.calls}', n.to_node || ' ${CALL_NEWS.left}')
    FROM (SELECT DISTINCT c.to_node FROM calls c WHERE c.id = ANY(left_ids) AND c.taken IS NOT NULL AND c.reply IS NULL) n;
END $$;

CREATE FUNCTION drop_calls(my_node text, my_run text, waiting text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM calls WHERE id IN (SELECT c.id FROM calls c WHERE c.at < clock_timestamp() - interval '${CALL_KEPT_MS} ms'
    AND NOT (c.from_node = my_node AND c.from_run = my_run AND c.id = ANY(waiting))
    AND (c.settled OR c.from_node = my_node OR NOT EXISTS (SELECT FROM nodes n WHERE n.id = c.from_node AND n.run = c.from_run AND NOT n.${SILENT}))
    FOR UPDATE OF c SKIP LOCKED)
$$;
`
