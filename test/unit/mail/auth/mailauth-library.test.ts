import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { getPublicKey } from 'mailauth/lib/tools.js';
import t from 'tap';

const SRC = join(import.meta.dirname, '../../../../src');
const KEY =
  'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB';

t.test('the installed version has what mailauth-library.ts uses behind its entry', async (t) => {
  const asked: string[] = [];
  const verifier = new DkimVerifier({ resolver: async () => [[KEY]], strict: true, curTime: new Date(0) });
  const lookup = {
    resolver: async () => [[KEY]],
    get: async (type: string, name: string, minBits: number | undefined, options?: object) => {
      asked.push(name);
      return getPublicKey(type, name, minBits, async () => [[KEY]], options);
    },
  };
  verifier.keyCache = lookup;
  verifier.arc.keyCache = lookup;
  const signature = 'v=1; a=rsa-sha256; c=relaxed/relaxed; d=x.test; s=a; h=from; bh=AAAA; b=AAAA';
  await verifier.emitHeaders(Buffer.from(`DKIM-Signature: ${signature}\r\nFrom: a@x.test\r\n\r\n`));
  t.same([...verifier.bodyHashes.keys()], ['relaxed:sha256:'], 'its hashes wait for the body');
  for (const hash of verifier.bodyHashes.values()) hash.update(Buffer.from('Hello.\r\n'));
  await verifier.finalChunk();
  t.same(
    verifier.results.map(({ status, signingDomain }) => [status.result, signingDomain]),
    [['fail', 'x.test']],
  );
  const record = await getPublicKey('DKIM', 'a._domainkey.x.test', 1024, async () => [[KEY]], {});
  t.match(record, { publicKey: /PUBLIC KEY/, modulusLength: 1024 });
});

t.test('no other file reaches behind the entries of mailauth and mailparser', (t) => {
  const reaching = (pattern: RegExp) =>
    globSync('**/*.ts', { cwd: SRC })
      .filter((file) => !file.endsWith('.d.ts') && pattern.test(readFileSync(join(SRC, file), 'utf8')))
      .sort();
  t.same(reaching(/['"]mailauth\/lib\//), ['mail/auth/mailauth-library.ts']);
  t.same(reaching(/['"]mailparser['"/]/), ['mail/mime/part-tree.ts']);
  t.end();
});
