/** Ours alone: two numbers, so that no other program's advisory lock is meant by chance. */
export const LOCK = '1215261808, 1'

/**
 * The commit of a call: one statement, so one round trip and one flush, and a gateway that stops in the middle holds up
 * nobody. What follows the lock sees what was committed before it, because each statement of such a function has a snapshot
 * of its own. Appends to different sessions are written together; where a table refuses a row, or a call has several appends
 * to one session, each is tried alone, in its order.
 *
 * `a_*` has an element for each append, `e_*` for each event, `o_*` for each change of a table that follows from an event:
 * its event's number (from 1), what it is, and the values.
 */
export const APPEND_FUNCTIONS = `
CREATE FUNCTION refuse_row() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'there is no row to change' USING ERRCODE = 'HP001';
END $$;

CREATE FUNCTION write_session(id text, seq int, hash text, checkpoint bigint, activity_at bigint, state text, project text, vendor text, data text, sum text)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO sessions (id, seq, hash, checkpoint, activity_at, state, ended_at, project_key, vendor_key, data, sum)
    VALUES ($1, $2, decode($3, 'hex'), $4, $5, $6, CASE WHEN $6 = 'dead' THEN $5 END, decode($7, 'hex'), decode($8, 'hex'), $9, decode($10, 'hex'))
    ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, checkpoint = excluded.checkpoint,
      activity_at = excluded.activity_at, state = excluded.state, ended_at = excluded.ended_at,
      project_key = excluded.project_key, vendor_key = excluded.vendor_key, data = excluded.data, sum = excluded.sum
$$;

CREATE FUNCTION change_table(kind text, place bigint, of_session text, of_id text, of_epoch int, request text, call text, new_status text)
RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  CASE kind
    WHEN 'raise' THEN
      INSERT INTO asks (id, session_id, epoch, request_key, tool_use_key, raised_seq)
        VALUES (of_id, of_session, of_epoch, decode(request, 'hex'), decode(call, 'hex'), place);
    WHEN 'settle' THEN
      UPDATE asks SET settled_seq = place, changed_seq = CASE WHEN new_status = 'changed' THEN place ELSE 0 END
        WHERE id = of_id AND session_id = of_session AND settled_seq IS NULL;
    WHEN 'deliver' THEN
      UPDATE asks SET delivered_seq = coalesce(delivered_seq, place)
        WHERE id = of_id AND session_id = of_session AND settled_seq IS NOT NULL;
    WHEN 'add-item' THEN
      INSERT INTO items (session_id, seq, id, status, status_seq) VALUES (of_session, place, of_id, new_status, place);
    WHEN 'change-item' THEN
      UPDATE items SET status = new_status, status_seq = place WHERE session_id = of_session AND id = of_id;
    WHEN 'add-rule' THEN
      INSERT INTO rules (session_id, id, added_seq) VALUES (of_session, of_id, place);
    WHEN 'remove-rule' THEN
      UPDATE rules SET removed_seq = place WHERE session_id = of_session AND id = of_id AND removed_seq IS NULL;
  END CASE;
  IF NOT FOUND THEN PERFORM refuse_row(); END IF;
END $$;

CREATE FUNCTION append(my_node text, my_epoch bigint, my_format int, at_limit bigint, one_by_one boolean,
  a_session text[], a_expected int[], a_base text[], a_is_first boolean[], a_authority bigint[], a_events int[], a_changes int[],
  a_seq int[], a_hash text[], a_checkpoint bigint[], a_activity bigint[], a_state text[], a_project text[], a_vendor text[], a_data text[], a_sum text[],
  e_of int[], e_seq int[], e_type text[], e_at bigint[], e_prev text[], e_hash text[], e_data text[],
  o_event int[], o_kind text[], o_id text[], o_epoch int[], o_request text[], o_call text[], o_status text[],
  OUT verdict text, OUT reasons text[], OUT heads int[], OUT places bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  newest bigint;
  newest_authority bigint;
  clock bigint;
  refused text[];
  total int := coalesce(cardinality(e_of), 0);
  kinds text[];
  due int;
  changed int;
  head record;
  first_event int := 1;
  first_change int := 1;
BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  SELECT CASE WHEN c.format <> my_format THEN 'format'
      WHEN NOT EXISTS (SELECT FROM nodes n WHERE n.id = my_node AND n.epoch = my_epoch) THEN 'fenced' ELSE 'ok' END, c.authority
    INTO verdict, newest_authority FROM cluster c;
  IF verdict <> 'ok' THEN RETURN; END IF;
  -- What the gateway builds on is not what is here, though the session stands where it should: it has to read it again.
  IF EXISTS (SELECT FROM unnest(a_session, a_expected, a_base, a_is_first) a(id, expected, base, is_first)
      JOIN sessions s ON s.id = a.id WHERE a.is_first AND s.seq = a.expected AND s.sum IS DISTINCT FROM decode(a.base, 'hex')) THEN
    verdict := 'stale';
    RETURN;
  END IF;
  SELECT coalesce(max(seq), 0) INTO newest FROM events;
  clock := extract(epoch FROM clock_timestamp()) * 1000;
  refused := ARRAY(SELECT CASE WHEN a.authority <> newest_authority THEN 'authority' WHEN late.append IS NOT NULL THEN 'clock' END
    FROM unnest(a_authority) WITH ORDINALITY a(authority, i)
    LEFT JOIN (SELECT DISTINCT e.append FROM unnest(e_of, e_at) e(append, at) WHERE abs(e.at - clock) > at_limit) late ON late.append = a.i
    ORDER BY a.i);
  heads := a_expected;

  IF NOT one_by_one THEN
    BEGIN
      SELECT array_agg(coalesce(a.reason, CASE WHEN coalesce(s.seq, 0) <> a.expected THEN 'conflict' END) ORDER BY a.i), array_agg(coalesce(s.seq, 0) ORDER BY a.i)
        INTO reasons, heads FROM unnest(a_session, a_expected, refused) WITH ORDINALITY a(id, expected, reason, i) LEFT JOIN sessions s ON s.id = a.id;
      places := ARRAY(SELECT CASE WHEN k.is_in THEN newest + count(*) FILTER (WHERE k.is_in) OVER (ORDER BY k.i) END
        FROM (SELECT e.i, reasons[e.append] IS NULL AS is_in FROM unnest(e_of) WITH ORDINALITY e(append, i)) k ORDER BY k.i);
      INSERT INTO events (seq, session_id, session_seq, type, at, prev_hash, hash, data)
        SELECT e.place, a_session[e.append], e.seq, e.type, e.at, decode(e.prev, 'hex'), decode(e.hash, 'hex'), e.data
        FROM unnest(places, e_of, e_seq, e_type, e_at, e_prev, e_hash, e_data) e(place, append, seq, type, at, prev, hash, data)
        WHERE e.place IS NOT NULL;
      INSERT INTO sessions AS s (id, seq, hash, checkpoint, activity_at, state, ended_at, project_key, vendor_key, data, sum)
        SELECT a.id, a.seq, decode(a.hash, 'hex'), a.checkpoint, a.activity, a.state, CASE WHEN a.state = 'dead' THEN a.activity END,
          decode(a.project, 'hex'), decode(a.vendor, 'hex'), a.data, decode(a.sum, 'hex')
        FROM unnest(reasons, a_session, a_seq, a_hash, a_checkpoint, a_activity, a_state, a_project, a_vendor, a_data, a_sum)
          a(reason, id, seq, hash, checkpoint, activity, state, project, vendor, data, sum)
        WHERE a.reason IS NULL
        ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, checkpoint = excluded.checkpoint,
          activity_at = excluded.activity_at, state = excluded.state, ended_at = excluded.ended_at,
          project_key = excluded.project_key, vendor_key = excluded.vendor_key, data = excluded.data, sum = excluded.sum;
      kinds := ARRAY(SELECT DISTINCT o.kind FROM unnest(o_event, o_kind) o(event, kind) WHERE places[o.event] IS NOT NULL);
      IF 'raise' = ANY(kinds) THEN
        INSERT INTO asks (id, session_id, epoch, request_key, tool_use_key, raised_seq)
          SELECT o.id, a_session[e_of[o.event]], o.epoch, decode(o.request, 'hex'), decode(o.call, 'hex'), places[o.event]
          FROM unnest(o_event, o_kind, o_id, o_epoch, o_request, o_call) o(event, kind, id, epoch, request, call)
          WHERE o.kind = 'raise' AND places[o.event] IS NOT NULL;
      END IF;
      IF 'add-item' = ANY(kinds) THEN
        INSERT INTO items (session_id, seq, id, status, status_seq)
          SELECT a_session[e_of[o.event]], places[o.event], o.id, o.status, places[o.event]
          FROM unnest(o_event, o_kind, o_id, o_status) o(event, kind, id, status) WHERE o.kind = 'add-item' AND places[o.event] IS NOT NULL;
      END IF;
      IF 'add-rule' = ANY(kinds) THEN
        INSERT INTO rules (session_id, id, added_seq)
          SELECT a_session[e_of[o.event]], o.id, places[o.event]
          FROM unnest(o_event, o_kind, o_id) o(event, kind, id) WHERE o.kind = 'add-rule' AND places[o.event] IS NOT NULL;
      END IF;
      -- A row is changed once here, and by what came after it. Where that is not so, the order decides: one by one.
      IF 'settle' = ANY(kinds) THEN
        UPDATE asks SET settled_seq = places[o.event], changed_seq = CASE WHEN o.status = 'changed' THEN places[o.event] ELSE 0 END
          FROM unnest(o_event, o_kind, o_id, o_status) o(event, kind, id, status)
          WHERE o.kind = 'settle' AND asks.id = o.id AND asks.session_id = a_session[e_of[o.event]] AND asks.settled_seq IS NULL AND asks.raised_seq < places[o.event];
        GET DIAGNOSTICS changed = ROW_COUNT;
        due := (SELECT count(*) FROM unnest(o_event, o_kind) o(event, kind) WHERE o.kind = 'settle' AND places[o.event] IS NOT NULL);
        IF changed <> due THEN PERFORM refuse_row(); END IF;
      END IF;
      IF 'deliver' = ANY(kinds) THEN
        UPDATE asks SET delivered_seq = coalesce(asks.delivered_seq, places[o.event]) FROM unnest(o_event, o_kind, o_id) o(event, kind, id)
          WHERE o.kind = 'deliver' AND asks.id = o.id AND asks.session_id = a_session[e_of[o.event]] AND asks.settled_seq < places[o.event];
        GET DIAGNOSTICS changed = ROW_COUNT;
        due := (SELECT count(*) FROM unnest(o_event, o_kind) o(event, kind) WHERE o.kind = 'deliver' AND places[o.event] IS NOT NULL);
        IF changed <> due THEN PERFORM refuse_row(); END IF;
      END IF;
      IF 'change-item' = ANY(kinds) THEN
        UPDATE items SET status = o.status, status_seq = places[o.event] FROM unnest(o_event, o_kind, o_id, o_status) o(event, kind, id, status)
          WHERE o.kind = 'change-item' AND items.session_id = a_session[e_of[o.event]] AND items.id = o.id AND items.seq < places[o.event];
        GET DIAGNOSTICS changed = ROW_COUNT;
        due := (SELECT count(*) FROM unnest(o_event, o_kind) o(event, kind) WHERE o.kind = 'change-item' AND places[o.event] IS NOT NULL);
        IF changed <> due THEN PERFORM refuse_row(); END IF;
      END IF;
      IF 'remove-rule' = ANY(kinds) THEN
        UPDATE rules SET removed_seq = places[o.event] FROM unnest(o_event, o_kind, o_id) o(event, kind, id)
          WHERE o.kind = 'remove-rule' AND rules.session_id = a_session[e_of[o.event]] AND rules.id = o.id AND rules.removed_seq IS NULL AND rules.added_seq < places[o.event];
        GET DIAGNOSTICS changed = ROW_COUNT;
        due := (SELECT count(*) FROM unnest(o_event, o_kind) o(event, kind) WHERE o.kind = 'remove-rule' AND places[o.event] IS NOT NULL);
        IF changed <> due THEN PERFORM refuse_row(); END IF;
      END IF;
    EXCEPTION WHEN unique_violation OR SQLSTATE 'HP001' THEN one_by_one := true;
    END;
  END IF;

  IF one_by_one THEN
    reasons := refused;
    heads := a_expected;
    places := array_fill(NULL::bigint, ARRAY[total]);
    FOR i IN 1 .. cardinality(a_session) LOOP
      SELECT s.seq, encode(s.sum, 'hex') AS sum INTO head FROM sessions s WHERE s.id = a_session[i];
      heads[i] := coalesce(head.seq, 0);
      IF reasons[i] IS NULL AND (heads[i] <> a_expected[i] OR head.sum IS DISTINCT FROM a_base[i]) THEN reasons[i] := 'conflict'; END IF;
      IF reasons[i] IS NULL THEN
        BEGIN
          INSERT INTO events (seq, session_id, session_seq, type, at, prev_hash, hash, data)
            SELECT newest + e.n, a_session[i], e.seq, e.type, e.at, decode(e.prev, 'hex'), decode(e.hash, 'hex'), e.data
            FROM unnest(e_seq[first_event : first_event + a_events[i] - 1], e_type[first_event : first_event + a_events[i] - 1],
              e_at[first_event : first_event + a_events[i] - 1], e_prev[first_event : first_event + a_events[i] - 1],
              e_hash[first_event : first_event + a_events[i] - 1], e_data[first_event : first_event + a_events[i] - 1])
              WITH ORDINALITY e(seq, type, at, prev, hash, data, n);
          PERFORM write_session(a_session[i], a_seq[i], a_hash[i], a_checkpoint[i], a_activity[i], a_state[i], a_project[i], a_vendor[i], a_data[i], a_sum[i]);
          FOR o IN first_change .. first_change + a_changes[i] - 1 LOOP
            PERFORM change_table(o_kind[o], newest + o_event[o] - first_event + 1, a_session[i], o_id[o], o_epoch[o], o_request[o], o_call[o], o_status[o]);
          END LOOP;
          FOR e IN 0 .. a_events[i] - 1 LOOP places[first_event + e] := newest + e + 1; END LOOP;
          newest := newest + a_events[i];
        EXCEPTION WHEN unique_violation OR SQLSTATE 'HP001' THEN reasons[i] := 'refused';
        END;
      END IF;
      first_event := first_event + a_events[i];
      first_change := first_change + a_changes[i];
    END LOOP;
  END IF;
  IF array_position(reasons, NULL) IS NOT NULL THEN PERFORM pg_notify('holdpoint', my_node); END IF;
END $$;
`
