/**
 * Since format 4 the names of channels end in what only those know who can read `cluster`: every role that may connect to a
 * database can listen on any channel there, and can tell lies on it. A number of the authority that nobody has given would
 * make a gateway pass over the real one, and with it a revocation.
 */
export const PRIVATE_CHANNELS = `
ALTER TABLE cluster ADD COLUMN channel_end text COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');

DO $do$
DECLARE
  telling regprocedure;
BEGIN
  FOR telling IN SELECT oid FROM pg_proc WHERE pronamespace = 'holdpoint'::regnamespace AND strpos(prosrc, 'pg_notify(') > 0 LOOP
    EXECUTE replace(pg_get_functiondef(telling), 'pg_notify(', 'tell_gateways(');
  END LOOP;
END $do$;

CREATE FUNCTION tell_gateways(kind text, payload text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify(kind || '_' || channel_end, payload) FROM cluster
$$;
`
