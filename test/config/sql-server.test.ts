// Owns the proof that settings of SQL Server are judged before anything is reached, and that no message repeats a secret.
import { describe, expect, it } from 'vitest';
import { ConfigError, type Environment, loadConfig } from '#service/config.js';

const SHAPE = 'Server=host,1433;Database=name;User Id=user;Password=…;Encrypt=true';

function faults(env: Environment): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('the configuration was taken');
}

describe('K2 · mssql storage', () => {
  it('needs a connection string', () => {
    expect(faults({ CHOKAQ_STORAGE: 'mssql' })).toEqual([
      `CHOKAQ_MSSQL_URL: mssql storage needs the connection string of its database, such as ${SHAPE}.`,
    ]);
  });

  it.each(['', 'mssql://sa:hunter2@db', 'Server=;Password=hunter2', 'Password=hunter2;Database=db'])(
    'does not take %j for one, and does not repeat it',
    url => {
      expect(faults({ CHOKAQ_STORAGE: 'mssql', CHOKAQ_MSSQL_URL: url })).toEqual([
        `CHOKAQ_MSSQL_URL: must be a connection string such as ${SHAPE}, not what was given (environment).`,
      ]);
    },
  );

  it.each([
    'Server=db',
    'data source=tcp:db,1433;Password=x',
    'Database=x; Addr = db\\named',
    'User Id=a;network address=db',
  ])('takes %j, whose server is named', url => {
    const { storage, mssqlUrl } = loadConfig({ CHOKAQ_STORAGE: 'mssql', CHOKAQ_MSSQL_URL: url });
    expect({ storage, mssqlUrl }).toEqual({ storage: 'mssql', mssqlUrl: url });
  });

  it.each(['a]b', '1a', '', 'a b', 'a.b', 'x'.repeat(65), 'größe'])('refuses %j as the name of a schema', name => {
    expect(faults({ CHOKAQ_MSSQL_SCHEMA: name })).toEqual([expect.stringContaining('letters, digits and _')]);
  });
});
