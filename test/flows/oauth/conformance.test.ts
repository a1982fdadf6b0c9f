/** The protocol's own conformance suite against the authorization server, in both revisions. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { decide, openApproval, type Person, register, signIn } from '../../harness/oauth/oauth-client.ts';

const CONFORMANCE = resolve(import.meta.dirname, '../../consumer/node_modules/.bin/conformance');

/** Runs the suite, and approves what it asks for as soon as it prints the address. */
const run = async (instance: TestInstance, person: Person, clientId: string, revision: string) => {
  const { baseUrl, directory } = instance;
  const args = ['authorization', '--url', baseUrl, '--client-id', clientId, '--resource', `${baseUrl}/mcp`];
  const more = ['--port', String(await freePort()), '--spec-version', revision];
  const child = spawn(process.execPath, [CONFORMANCE, ...args, ...more], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory },
  });
  const ended = once(child, 'close') as Promise<[code: number]>;
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (!line.startsWith(`${baseUrl}/oauth/authorize?`)) continue;
    const answer = await decide(person, await openApproval(person, line.slice(baseUrl.length)));
    // What the suite says of it is shown as well.
    await fetch(answer).catch(({ cause }: Error) => {
      lines.push(String(cause));
      child.kill();
    });
  }
  return { code: (await ended)[0], output: lines.join('\n') };
};

t.test('the conformance suite, upon the authorization server', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);
  // Any port of the loopback host.
  const { clientId } = await register(instance, { redirect_uris: ['http://127.0.0.1/callback'] });
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const { code, output } = await run(instance, person, clientId, revision);
    t.equal(code, 0, output);
    t.match(output, 'authorization-server-metadata-endpoint');
    t.match(output, 'authorization-code-grant');
    t.notMatch(output, /FAILURE|SKIPPED|WARNING/, revision);
  }
  t.same(instance.faults, []);
});
