// Owns the first run: installs what the lock file asks for, makes sure the native SQLite build fits this Node.js, and compiles.
// Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const OLDEST = { major: 20, minor: 19 };
const STAMP = 'node_modules/.chokaq-installed';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  const oldest = `${OLDEST.major}.${OLDEST.minor}`;
  process.stderr.write(
    `chokaq: Node.js ${oldest} or newer is needed; this is ${process.versions.node}. Install a newer one, e.g. the current LTS.\n`,
  );
  process.exit(1);
}
process.chdir(import.meta.dirname);
if (!isInstalled()) install();
if (!loadsNativeSqlite())
  run('npm', ['rebuild', 'better-sqlite3'], 'rebuilding SQLite for this Node.js (about a minute)');
run(process.execPath, ['build.mjs'], undefined);

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === readFileSync('package-lock.json', 'utf8');
}

function install() {
  run(
    'npm',
    ['ci', '--no-audit', '--no-fund'],
    'installing dependencies (the SQLite build takes a minute or two the first time)',
  );
  writeFileSync(STAMP, readFileSync('package-lock.json'));
}

function loadsNativeSqlite() {
  // A global never becomes garbage, for which Node.js 24 may abort (docs/decisions/0009-better-sqlite3-12-on-node-20.md).
  const probe = "(globalThis.probe = new (require('better-sqlite3'))(':memory:')).close()";
  return spawnSync(process.execPath, ['-e', probe], { stdio: 'ignore' }).status === 0;
}

function run(command, args, saying) {
  if (saying) process.stderr.write(`chokaq: ${saying} …\n`);
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  process.stderr.write(`chokaq: \`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}.\n`);
  process.exit(status ?? 1);
}
