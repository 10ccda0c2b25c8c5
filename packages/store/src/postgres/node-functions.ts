import { LOCK } from './append-functions.ts'

/** What a gateway does beside appending. All of it waits for the lock of the log, so that it comes before or after each commit. */
export const NODE_FUNCTIONS = `
-- A new life of a node. A statement of the life before has either committed by now, or is refused for good.
CREATE FUNCTION claim(my_node text, my_version text, OUT my_epoch bigint, OUT now_ms double precision) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  INSERT INTO nodes (id, epoch, beat, version) VALUES (my_node, 1, clock_timestamp(), my_version)
    ON CONFLICT (id) DO UPDATE SET epoch = nodes.epoch + 1, beat = clock_timestamp(), version = excluded.version
    RETURNING epoch INTO my_epoch;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
END $$;

-- The node's row keeps what became of its last change, of a record or of the authority.
CREATE FUNCTION raise_authority(my_node text, my_epoch bigint, change text, OUT verdict text, OUT newest bigint) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  verdict := CASE WHEN EXISTS (SELECT FROM nodes n WHERE n.id = my_node AND n.epoch = my_epoch) THEN 'ok' ELSE 'fenced' END;
  IF verdict <> 'ok' THEN RETURN; END IF;
  UPDATE cluster SET authority = authority + 1 RETURNING authority INTO newest;
  UPDATE nodes SET change_id = change, change_found = true WHERE id = my_node;
END $$;

-- Puts a record, or removes it where there is no new value.
CREATE FUNCTION change_record(my_node text, my_epoch bigint, change text, in_collection text, under_key text,
  new_collection text, new_name text, new_value text, new_sum text, OUT verdict text, OUT was_there boolean) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  verdict := CASE WHEN EXISTS (SELECT FROM nodes n WHERE n.id = my_node AND n.epoch = my_epoch) THEN 'ok' ELSE 'fenced' END;
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
END $$;
`
