// Owns the proof of which URLs and addresses may be called, however they are written, and of what the allow-list opens.
import { describe, expect, it } from 'vitest';
import { TargetGuard } from '#service/delivery/target.js';

const open = new TargetGuard({ allowPrivate: true, allow: [] });
const strict = new TargetGuard({ allowPrivate: false, allow: [] });
const listing = (...allow: string[]) => new TargetGuard({ allowPrivate: false, allow });

const LOOPBACK = [
  'http://127.0.0.1/',
  'http://127.8.9.10/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://0177.0.0.1/',
  'http://127.0.0.1./',
  'http://１２７.０.０.１/',
  'http://%31%32%37.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
];

const PRIVATE = [
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://192.0.2.1/',
  'http://240.0.0.1/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[fec0::1]/',
  'http://[2001:db8::1]/',
  'http://[2001::1]/',
  'http://[64:ff9b:1::8.8.8.8]/',
  'http://[::ffff:192.168.0.1]/',
  'http://[2002:c0a8:1::]/',
];

const METADATA = [
  'http://169.254.169.254/',
  'http://169.254.170.2/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[2002:a9fe:a9fe::]/',
  'http://[::169.254.169.254]/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
];

const FORBIDDEN = [
  'http://0.0.0.0/',
  'http://0/',
  'http://0.1.2.3/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[ff02::1]/',
  'http://[::ffff:0.0.0.0]/',
  'http://[::ffff:224.0.0.1]/',
];

const PUBLIC = [
  'https://example.com/hook?a=1',
  'http://example.com:8080/',
  'https://8.8.8.8/',
  'http://172.32.0.1/',
  'http://11.0.0.1/',
  'http://[2606:4700::1111]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://[::ffff:8.8.8.8]/',
  'http://notlocalhost/',
  'http://localhost.example.com/',
];

describe('the URL', () => {
  it.each([
    '',
    'example.com',
    '/hook',
    '//example.com/',
    'http://',
    'http://exa mple.com/',
    'http://256.1.1.1/',
    'http://[::1',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http://user@example.com/',
    'http://user:pw@example.com/',
    'http://:pw@example.com/',
    'http://example.com/#top',
    'http://example.com/#',
  ])('%j is refused', url => {
    expect(open.refuseUrl(url)).toEqual(expect.any(String));
  });

  it.each(PUBLIC)('%s may be called', url => {
    expect(strict.refuseUrl(url)).toBeNull();
  });

  it.each([...LOOPBACK, ...PRIVATE])('%s is private: only when opened, and the refusal names the setting', url => {
    expect(open.refuseUrl(url)).toBeNull();
    expect(strict.refuseUrl(url)).toMatch(/not public.*CHOKAQ_WEBHOOK_ALLOW/);
  });

  it.each(METADATA)('%s is link-local or metadata: refused even when private ones are open', url => {
    expect(open.refuseUrl(url)).toMatch(/link-local or a cloud's metadata.*CHOKAQ_WEBHOOK_ALLOW/);
  });

  it.each(FORBIDDEN)('%s is never called', url => {
    expect(open.refuseUrl(url)).toMatch(/never called/);
    expect(listing('0.0.0.0/0', '::/0').refuseUrl(url)).toMatch(/never called/);
  });
});

describe('the allow-list', () => {
  it('opens addresses and CIDRs, however they are written in the URL', () => {
    const guard = listing('10.0.0.0/8', '127.0.0.1', 'fd00::/8');
    for (const url of ['http://10.9.8.7/', 'http://[::ffff:10.9.8.7]/', 'http://2130706433/', 'http://[fd12::1]/']) {
      expect(guard.refuseUrl(url)).toBeNull();
    }
    for (const url of ['http://192.168.0.1/', 'http://127.0.0.2/', 'http://[::1]/', 'http://169.254.169.254/']) {
      expect(guard.refuseUrl(url)).toEqual(expect.any(String));
    }
  });

  it('opens metadata addresses only by address', () => {
    expect(listing('169.254.169.254/32').refuseUrl('http://169.254.169.254/')).toBeNull();
    expect(listing('169.254.169.254').refuseUrl('http://169.254.169.253/')).toEqual(expect.any(String));
    expect(listing('example.com').refuseAddress('a.example.com', '169.254.169.254')).toEqual(expect.any(String));
  });

  it.each(['example.com', '.example.com', '*.example.com', ' Example.COM. '])('opens host names by %j', entry => {
    const guard = listing(entry);
    expect(guard.refuseAddress('example.com', '10.0.0.1')).toBeNull();
    expect(guard.refuseAddress('a.b.EXAMPLE.com.', '10.0.0.1')).toBeNull();
    expect(guard.refuseAddress('badexample.com', '10.0.0.1')).toEqual(expect.any(String));
    expect(guard.refuseAddress('example.com.evil.org', '10.0.0.1')).toEqual(expect.any(String));
  });

  it('opens localhost by name', () => {
    expect(listing('localhost').refuseUrl('http://localhost/')).toBeNull();
    expect(listing('localhost').refuseUrl('http://127.0.0.1/')).toEqual(expect.any(String));
  });

  it.each(['', ' ', 'http://example.com', '10.0.0.0/33', '10.0.0', '10.0.0.1/x', 'a b', '*', 'ex*mple.com', '::/129'])(
    'refuses the entry %j at start, and names it',
    entry => {
      expect(() => listing(entry)).toThrow(`CHOKAQ_WEBHOOK_ALLOW: "${entry}"`);
    },
  );
});
