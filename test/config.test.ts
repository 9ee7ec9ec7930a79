// Owns the proof that wrong settings stop the start, all named at once, and that right ones arrive typed and with their source.
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '#service/config/settings.js';
import { ConfigError, describeConfig, type Environment, exposure, isLoopback, loadConfig } from '#service/config.js';

function faults(env: Environment, yaml?: string): readonly string[] {
  try {
    loadConfig(env, yaml);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('the configuration was taken');
}

describe('Defaults', () => {
  it('are those that are documented, as numbers', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      allowAnonymous: false,
      apiKeysFile: null,
      metricsAccess: 'key',
      corsOrigins: [],
      trustProxy: [],
      storage: 'sqlite',
      sqlitePath: './data/chokaq.db',
      mssqlUrl: null,
      mssqlSchema: 'chokaq',
      mssqlPoolSize: 10,
      autoMigrate: true,
      memoryCapacity: 100_000,
      concurrency: 50,
      pollIntervalMs: 1_000,
      executionTimeoutMs: 900_000,
      fetchedTimeoutMs: 600_000,
      zombieTimeoutMs: 600_000,
      recoveryIntervalMs: 60_000,
      heartbeatMinMs: 8_000,
      heartbeatMaxMs: 12_000,
      cancelOnHeartbeatFailure: false,
      shutdownGraceMs: 20_000,
      shutdownDelayMs: 0,
      maxAttempts: 3,
      maxJobAgeMs: 86_400_000,
      retryBaseMs: 3_000,
      retryFactor: 2,
      retryMaxMs: 3_600_000,
      retryJitterMs: 1_000,
      maxPayloadBytes: 1_000_000,
      requireRegisteredTypes: true,
      handlersFile: null,
      webhookAllow: [],
      retentionArchiveMs: 7 * 86_400_000,
      retentionDlqMs: 30 * 86_400_000,
      retentionBucketsMs: 172_800_000,
      retentionAuditMs: 7_776_000_000,
      logLevel: 'info',
    });
  });

  it('are valid, and read back from the text that shows them', () => {
    for (const { parse, show, default: value, env } of Object.values(SETTINGS)) {
      const text = (show as (value: unknown) => string)(value);
      if (text !== '') expect(parse(text), env).toEqual(value);
    }
  });

  it('belong to settings that each have their own name', () => {
    const names = Object.values(SETTINGS).map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^CHOKAQ_[A-Z]+(?:_[A-Z]+)*$/);
  });
});

describe('Sources', () => {
  it('the environment wins over chokaq.yaml, which wins over the default', () => {
    const config = loadConfig(
      { CHOKAQ_POLL_INTERVAL: '250ms', CHOKAQ_WEBHOOK_ALLOW: '10.0.0.0/8, .internal' },
      'pollInterval: 5s\nconcurrency: 7\nmaxJobAge: null\ntrustProxy: [loopback, 10.1.2.3]\nrequireRegisteredTypes: false\nretryFactor: 1.5\n',
    );
    expect(config).toMatchObject({
      pollIntervalMs: 250,
      concurrency: 7,
      maxJobAgeMs: null,
      webhookAllow: ['10.0.0.0/8', '.internal'],
      trustProxy: ['loopback', '10.1.2.3'],
      requireRegisteredTypes: false,
      retryFactor: 1.5,
      maxAttempts: 3,
    });
  });

  it('are shown with each effective value, and secrets are not', () => {
    const rows = describeConfig(
      { CHOKAQ_CONCURRENCY: '7', CHOKAQ_MSSQL_URL: 'Server=db;Password=hunter2', CHOKAQ_MAX_JOB_AGE: 'none' },
      'pollInterval: 90s\nconcurrency: 8\n',
    );
    const row = (name: string) => rows.find(candidate => candidate.name === name);
    expect(row('concurrency')).toMatchObject({ env: 'CHOKAQ_CONCURRENCY', value: '7', source: 'environment' });
    expect(row('pollInterval')).toMatchObject({ value: '1m30s', source: 'chokaq.yaml', default: '1s' });
    expect(row('maxJobAge')).toMatchObject({ value: 'none', source: 'environment', default: '1d' });
    expect(row('port')).toMatchObject({ value: '8080', source: 'default', unit: 'port' });
    expect(row('mssqlUrl')).toMatchObject({ value: '(hidden)', source: 'environment' });
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    expect(rows).toHaveLength(Object.keys(SETTINGS).length);
  });

  it('other variables are none of its business', () => {
    const env = {
      PATH: '/bin',
      CHOKAQ_TEST_STORE: 'x',
      CHOKAQ_SERVICE_HOST: '10.0.0.7',
      CHOKAQ_SERVICE_PORT_HTTP: '80',
      CHOKAQ_PORT_8080_TCP: 'tcp://10.0.0.7:8080',
      CHOKAQ_URL: 'http://127.0.0.1:8080',
      CHOKAQ_API_KEY: 'ck_x',
    };
    expect(loadConfig(env)).toEqual(loadConfig({}));
  });

  it('an empty chokaq.yaml is one without settings', () => {
    for (const yaml of ['', '\n', '# nothing yet\n', '---\n']) expect(loadConfig({}, yaml)).toEqual(loadConfig({}));
  });
});

describe('K2 · A wrong or unknown setting stops the start and is named', () => {
  it('all of them at once, from both sources, also one that the other source would replace', () => {
    const named = faults(
      { CHOKAQ_PORT: '70000', CHOKAQ_POLL_INTERVALL: '1s', CHOKAQ_CONCURRENCY: '5' },
      'concurrency: many\npolInterval: 1s\n',
    );
    expect(named.map(fault => fault.split(':')[0]).sort()).toEqual([
      'CHOKAQ_POLL_INTERVALL',
      'CHOKAQ_PORT',
      'concurrency',
      'polInterval',
    ]);
    expect(named).toContain('concurrency: must be a whole number from 1 to 10000, not "many" (chokaq.yaml).');
  });

  it.each([
    ['CHOKAQ_PORT', '-1'],
    ['CHOKAQ_PORT', '80.5'],
    ['CHOKAQ_PORT', '0x50'],
    ['CHOKAQ_PORT', ' 80'],
    ['CHOKAQ_PORT', ''],
    ['CHOKAQ_CONCURRENCY', '0'],
    ['CHOKAQ_CONCURRENCY', '1e2'],
    ['CHOKAQ_CONCURRENCY', 'Infinity'],
    ['CHOKAQ_POLL_INTERVAL', '1000'],
    ['CHOKAQ_POLL_INTERVAL', '1 s'],
    ['CHOKAQ_POLL_INTERVAL', '-1s'],
    ['CHOKAQ_POLL_INTERVAL', '1ms'],
    ['CHOKAQ_EXECUTION_TIMEOUT', '2d'],
    ['CHOKAQ_MAX_JOB_AGE', 'null'],
    ['CHOKAQ_RETRY_FACTOR', '0.5'],
    ['CHOKAQ_RETRY_FACTOR', 'NaN'],
    ['CHOKAQ_REQUIRE_REGISTERED_TYPES', 'yes'],
    ['CHOKAQ_ALLOW_ANONYMOUS', 'TRUE'],
    ['CHOKAQ_LOG_LEVEL', 'trace'],
    ['CHOKAQ_STORAGE', 'SQLite'],
    ['CHOKAQ_SQLITE_PATH', ''],
    ['CHOKAQ_HOST', '[::1]'],
    ['CHOKAQ_HOST', '127.1'],
    ['CHOKAQ_HOST', 'http://localhost'],
    ['CHOKAQ_WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['CHOKAQ_WEBHOOK_ALLOW', 'a.example,,b.example'],
    ['CHOKAQ_TRUST_PROXY', 'true'],
  ])('%s=%j', (name, value) => {
    const named = faults({ [name]: value });
    expect(named).toHaveLength(1);
    expect(named[0]).toMatch(new RegExp(`^${name}: must be `));
    expect(named[0]).toContain(`${JSON.stringify(value)} (environment)`);
  });

  it('a variable that Kubernetes injected is told from a mistake', () => {
    expect(faults({ CHOKAQ_PORT: 'tcp://10.0.0.7:8080' })).toEqual([
      expect.stringContaining('enableServiceLinks: false'),
    ]);
  });

  it('a chokaq.yaml that cannot be read is refused with the place', () => {
    expect(faults({}, 'port: 1\nport: 2\n')).toEqual([
      expect.stringMatching(/^chokaq\.yaml: Map keys must be unique at line 2/),
    ]);
    expect(faults({}, 'port: [')).toEqual([expect.stringMatching(/^chokaq\.yaml: .*line 1/s)]);
    expect(faults({}, '- port')).toEqual([expect.stringContaining('one setting per line')]);
    expect(faults({}, 'port')).toEqual([expect.stringContaining('one setting per line')]);
    expect(faults({}, 'sqlitePath: 1\nport: null\nwebhookAllow: [1]')).toHaveLength(3);
  });
});

describe('K2 · Settings that contradict each other stop the start with the reason', () => {
  it.each<[Environment, string, string]>([
    [{ CHOKAQ_ZOMBIE_TIMEOUT: '35s' }, 'CHOKAQ_ZOMBIE_TIMEOUT: 35s', 'three times CHOKAQ_HEARTBEAT_MAX (12s)'],
    [{ CHOKAQ_HEARTBEAT_MAX: '1h' }, 'CHOKAQ_ZOMBIE_TIMEOUT: 10m', 'CHOKAQ_HEARTBEAT_MAX (1h)'],
    [{ CHOKAQ_HEARTBEAT_MIN: '13s' }, 'CHOKAQ_HEARTBEAT_MIN: 13s', 'CHOKAQ_HEARTBEAT_MAX (12s)'],
    [{ CHOKAQ_RETRY_MAX: '2s' }, 'CHOKAQ_RETRY_BASE: 3s', 'CHOKAQ_RETRY_MAX (2s)'],
  ])('%j', (env, start, reason) => {
    const named = faults(env);
    expect(named).toHaveLength(1);
    expect(named[0]?.startsWith(start)).toBe(true);
    expect(named[0]).toContain(reason);
  });

  it('are named together with wrong ones, unless they are those', () => {
    const named = faults({
      CHOKAQ_RETRY_MAX: '2s',
      CHOKAQ_NONE: '1',
      CHOKAQ_HEARTBEAT_MAX: 'x',
      CHOKAQ_ZOMBIE_TIMEOUT: '1s',
    });
    expect(named.map(fault => fault.split(':')[0])).toEqual([
      'CHOKAQ_NONE',
      'CHOKAQ_HEARTBEAT_MAX',
      'CHOKAQ_RETRY_BASE',
    ]);
  });

  it('exactly three heartbeats, and equal bounds of the heartbeat, are enough', () => {
    const config = loadConfig({ CHOKAQ_ZOMBIE_TIMEOUT: '36s', CHOKAQ_HEARTBEAT_MIN: '12s' });
    expect(config).toMatchObject({ zombieTimeoutMs: 36_000, heartbeatMinMs: 12_000 });
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'queue.example', '128.0.0.1'])(
    'listening on %s without API keys is refused, printing the command that allows it',
    host => {
      const refusal = exposure(loadConfig({ CHOKAQ_HOST: host }));
      const command = refusal?.split('\n').at(-1)?.trim();
      expect(command).toBe(`CHOKAQ_ALLOW_ANONYMOUS=true CHOKAQ_HOST=${host} npm start`);
      const variables = command?.split(' ').flatMap(word => (word.includes('=') ? [word.split('=')] : []));
      expect(exposure(loadConfig(Object.fromEntries(variables ?? [])))).toBeNull();
    },
  );

  it.each(['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
    'listening on %s needs nothing',
    host => {
      expect(isLoopback(host)).toBe(true);
      expect(exposure(loadConfig({ CHOKAQ_HOST: host }))).toBeNull();
    },
  );
});
