import { openDatabase } from '@holdpoint/store/postgres/open-database'
import type { PostgresServer } from '../postgres-server.ts'
import type { Life, Revocation, Write } from './history.ts'

/** Makes the tables of an empty database, so that they can be watched from the first life of a gateway on. */
export async function prepareDatabase(address: string): Promise<void> {
  await openDatabase({ address, node: '', version: '' })
}

/**
 * Has the database note which life of which node writes each event, and where the log ended when a life began. The log
 * itself does not say it. Called before the first gateway claims its node.
 */
export async function watchWriters(server: PostgresServer, address: string) {
  await server.sql(WATCH, address)
  return {
    async lives(): Promise<readonly Life[]> {
      const rows = await server.sql('SELECT node, epoch, after FROM watch.lives', address)
      return rows.map(({ node, epoch, after }) => ({ node: String(node), epoch: Number(epoch), after: Number(after) }))
    },
    /** Devices whose records were removed. */
    async revocations(): Promise<readonly Revocation[]> {
      const rows = await server.sql('SELECT name, after FROM watch.removals', address)
      return rows.map(({ name, after }) => ({ device: JSON.parse(String(name)), after: Number(after) }))
    },
    async writes(): Promise<readonly Write[]> {
      const rows = await server.sql('SELECT seq, node, epoch FROM watch.writes ORDER BY seq', address)
      return rows.map(({ seq, node, epoch }) => ({ seq: Number(seq), node: String(node), epoch: Number(epoch) }))
    },
  }
}

/** A connection remembers the life that it has begun: whatever it writes later is written by that one. */
const WATCH = `
CREATE SCHEMA watch;
CREATE TABLE watch.lives (node text, epoch bigint, after bigint);
CREATE TABLE watch.writes (seq bigint, node text, epoch bigint);
CREATE TABLE watch.removals (name text, after bigint);
CREATE FUNCTION watch.note_life() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.lives SELECT NEW.id, NEW.epoch, coalesce(max(seq), 0) FROM holdpoint.events;
  PERFORM set_config('watch.node', NEW.id, false), set_config('watch.epoch', NEW.epoch::text, false);
  RETURN NULL;
END $$;
CREATE FUNCTION watch.note_writes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.writes SELECT seq, current_setting('watch.node', true), current_setting('watch.epoch', true)::bigint FROM added;
  RETURN NULL;
END $$;
CREATE FUNCTION watch.note_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.collection::jsonb = '"devices"' THEN INSERT INTO watch.removals SELECT OLD.name, coalesce(max(seq), 0) FROM holdpoint.events; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_removal AFTER DELETE ON holdpoint.records FOR EACH ROW EXECUTE FUNCTION watch.note_removal();
CREATE TRIGGER note_life AFTER INSERT OR UPDATE OF epoch ON holdpoint.nodes FOR EACH ROW EXECUTE FUNCTION watch.note_life();
CREATE TRIGGER note_writes AFTER INSERT ON holdpoint.events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION watch.note_writes();
`
