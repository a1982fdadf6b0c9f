/** Domains with MTA-STS: an authority, a web server with their policies, and a box that trusts it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpReceiver, startHttpReceiver } from '../http/http-receiver.ts';
import { type InstanceOptions, REMOTE_DOMAIN, startInstance, type TestInstance } from '../instance.ts';
import { eventually } from '../smtp/send-mail.ts';
import { type Authority, createAuthority } from './certificate.ts';

export interface StsWorld extends AsyncDisposable {
  readonly authority: Authority;
  readonly instance: TestInstance;
  readonly web: HttpReceiver;
  /** Publishes a policy of remote.test under an id; the lines stand between version and max_age. */
  publish(id: string, lines: readonly string[], maxAge?: number): void;
}

export const authority = createAuthority();

/** A clock that runs, and that a test turns forward. */
export const testClock = () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  return clock;
};

export const startStsWorld = async (options: InstanceOptions = {}): Promise<StsWorld> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-sts-'));
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, authority.cert);
  const web = await startHttpReceiver(undefined, 0, undefined, authority.issue(`mta-sts.${REMOTE_DOMAIN}`));
  const instance = await startInstance({
    ...options,
    runtime: { policyPort: web.port, ...options.runtime },
    toml: `extra_ca_file = "${caFile}"\n${options.toml ?? ''}`,
  });
  instance.dns.zone.set(`mta-sts.${REMOTE_DOMAIN}`, 'A', ['127.0.0.1']);
  return {
    authority,
    instance,
    web,
    publish: (id, lines, maxAge = 86_400) => {
      instance.dns.zone.set(`_mta-sts.${REMOTE_DOMAIN}`, 'TXT', [`v=STSv1; id=${id};`]);
      const policy = ['version: STSv1', ...lines, `max_age: ${maxAge}`].map((line) => `${line}\r\n`).join('');
      web.answer(({ path }, response) => {
        response.statusCode = path === '/.well-known/mta-sts.txt' ? 200 : 404;
        response.setHeader('content-type', 'text/plain').end(policy);
      });
    },
    [Symbol.asyncDispose]: async () => {
      await instance[Symbol.asyncDispose]();
      await web.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Ann sends a mail. @returns its id */
export const sendFrom = async ({ instance }: StsWorld, to = 'x@remote.test'): Promise<string> => {
  const { messageId = '' } = await instance
    .client(instance.agents.ann)
    .messages.send({ to: [to], subject: 'Hi', body: 'Hi' });
  return messageId;
};

/** The delivery once its first attempt is over. */
export const attempted = async ({ instance }: StsWorld, id: string) =>
  eventually(async () => {
    const { deliveries } = await instance.client(instance.agents.ann).messages.get({ id });
    return deliveries[0]?.status === 'queued' ? null : deliveries[0];
  });
