import { LOCK } from './append-functions.ts'
import { CHANNELS } from './listener.ts'

/** `change_record` as it is since format 3: it can also ask for the record that has to be there. */
export const REPLACE_RECORD = `
DROP FUNCTION change_record(text, bigint, int, text, boolean, text, text, text, text, text, text, text);

-- Puts a record, or removes it where there is no new value; where old_sum says which one has to be there, only then. Where it
-- is one of rights, the authority is raised with it. The node's row keeps what became of its last change.
CREATE FUNCTION change_record(my_node text, my_epoch bigint, my_format int, change text, is_right boolean, told text, in_collection text, under_key text,
  new_collection text, new_name text, new_value text, new_sum text, old_sum text, OUT verdict text, OUT was_there boolean, OUT newest bigint)
LANGUAGE plpgsql AS $$
DECLARE
  collection_is bytea := decode(in_collection, 'hex');
  key_is bytea := decode(under_key, 'hex');
BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK});
  SELECT CASE WHEN c.format <> my_format THEN 'format'
      WHEN NOT EXISTS (SELECT FROM nodes n WHERE n.id = my_node AND n.epoch = my_epoch) THEN 'fenced' ELSE 'ok' END
    INTO verdict FROM cluster c;
  IF verdict <> 'ok' THEN RETURN; END IF;
  IF new_value IS NULL THEN
    DELETE FROM records WHERE collection_key = collection_is AND key = key_is;
    was_there := FOUND;
  ELSIF old_sum IS NOT NULL THEN
    UPDATE records SET value = new_value, sum = decode(new_sum, 'hex')
      WHERE collection_key = collection_is AND key = key_is AND sum = decode(old_sum, 'hex');
    was_there := FOUND;
  ELSE
    INSERT INTO records (collection_key, key, collection, name, value, sum)
      VALUES (collection_is, key_is, new_collection, new_name, new_value, decode(new_sum, 'hex'))
      ON CONFLICT (collection_key, key) DO UPDATE SET value = excluded.value, sum = excluded.sum;
    was_there := true;
  END IF;
  UPDATE nodes SET change_id = change, change_found = was_there WHERE id = my_node;
  IF NOT was_there THEN RETURN; END IF;
  IF is_right THEN UPDATE cluster SET authority = authority + 1 RETURNING authority INTO newest; END IF;
  PERFORM pg_notify('${CHANNELS.records}', coalesce(newest, 0) || ' ' || change || ' ' || told);
END $$;
`
