// Owns how a SQL Server database is reached: a connection string that is complete, and a pool that comes back by itself.
import sql from 'mssql';
import { SchemaRefusal } from '../migrate.ts';

/** A schema's name goes into statements, so it is an identifier and nothing else. */
const SCHEMA_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const POOL = { min: 1, max: 10, idleTimeoutMillis: 60_000 } as const;
const REQUEST_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The schema in brackets, or a refusal. */
export function schemaFrom(name: string): string {
  if (SCHEMA_NAME.test(name)) return `[${name}]`;
  throw new SchemaRefusal(
    `"${name}" cannot be the name of a schema: use letters, digits and _, not beginning with a digit`,
  );
}

/** `url` is an ADO connection string (`Server=…;Database=…;User Id=…;Password=…`). Does not connect yet. */
export function poolFor(url: string): sql.ConnectionPool {
  const { options, pool, ...rest } = parsed(url);
  const config = { ...rest, options: { ...options, appName: 'ChokaQ' }, pool: { ...POOL, ...pool } };
  return new sql.ConnectionPool({
    ...config,
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
