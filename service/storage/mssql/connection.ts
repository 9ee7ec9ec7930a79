// Owns how a SQL Server database is reached: a connection string that is complete, and a pool that comes back by itself.
import sql from 'mssql';
import { SchemaRefusal } from '../migrate.ts';
import { unavailable } from '../retry.ts';

/** A schema's name goes into statements, so it is an identifier and nothing else. */
const SCHEMA_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const POOL_SIZE = 10;
const IDLE_MS = 60_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The schema in brackets, or a refusal. */
export function schemaFrom(name: string): string {
  if (SCHEMA_NAME.test(name)) return `[${name}]`;
  throw new SchemaRefusal(
    `"${name}" cannot be the name of a schema: use letters, digits and _, not beginning with a digit`,
  );
}

export interface ConnectionTarget {
  /** An ADO connection string (`Server=…;Database=…;User Id=…;Password=…`). */
  readonly url: string;
  /** The most connections at once; what the string says of it does not count. */
  readonly poolSize?: number;
}

/** A pool that has reached the database once; rejects with `storage-unavailable` when it is away or lets nobody in. */
export async function connect(target: ConnectionTarget): Promise<sql.ConnectionPool> {
  const pool = poolFor(target);
  // Every failure to connect is told here too, besides to whoever waits for the connection; unheard it would end the process.
  pool.on('error', () => undefined);
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error, false);
  }
}

/** What of a connection string may be shown. */
export function placeOf({ url }: ConnectionTarget): { readonly server: string; readonly database: string | null } {
  const { server, port = 1433, database = null } = parsed(url);
  return { server: `${server}:${port}`, database };
}

/** Sockets are looked at before use; asking the server each time would be a round trip more for every request. */
function poolFor({ url, poolSize = POOL_SIZE }: ConnectionTarget): sql.ConnectionPool {
  const { options, pool: _, ...rest } = parsed(url);
  const config = { ...rest, options: { ...options, appName: 'ChokaQ' }, validateConnection: 'socket' as const };
  return new sql.ConnectionPool({
    ...config,
    pool: { min: 1, max: poolSize, idleTimeoutMillis: IDLE_MS, acquireTimeoutMillis: REQUEST_TIMEOUT_MS },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
}

/** The driver takes a text without a server, such as a URL, for one that names none, and says nothing. */
function parsed(url: string): ReturnType<typeof sql.ConnectionPool.parseConnectionString> {
  const config = parse(url);
  if (typeof config.server === 'string' && config.server !== '') return config;
  throw refused('it names no server');
}

function parse(url: string): ReturnType<typeof sql.ConnectionPool.parseConnectionString> {
  try {
    return sql.ConnectionPool.parseConnectionString(url);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

/** Never repeats the string, which has a password in it. */
function refused(why: string): SchemaRefusal {
  const shape = 'Server=host,1433;Database=name;User Id=user;Password=…;Encrypt=true';
  return new SchemaRefusal(`CHOKAQ_MSSQL_URL is not a connection string: ${why}. Write it as ${shape}`);
}
