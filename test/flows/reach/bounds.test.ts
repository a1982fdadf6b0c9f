/** Bounds on what one person, one network or one address of a cloud can be used for. */

import t from 'tap';
import { createBrowser } from '../../harness/http/browser.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance } from '../../harness/instance.ts';
import { claim, postSignup, signUp } from '../../harness/signups.ts';

const HOUR = 3_600_000;

t.test('probation counts for an owner over all that is claimed', async (t) => {
  await using instance = await startInstance();
  const browser = createBrowser(instance.baseUrl);
  const outcomes: string[] = [];
  for (const handle of ['one', 'two']) {
    const signup = await signUp(instance, { handle, email: 'm@remote.test' });
    t.equal((await claim(instance, browser, signup, 'm@remote.test')).status, 303);
    const agent = { handle, address: signup.address, key: signup.api_key };
    for (let n = 0; n < 6; n += 1) {
      const mail = { to: [`x${n}@remote.test`], subject: 'Offer', body: `Offer ${handle} ${n}` };
      outcomes.push((await instance.client(agent).messages.send(mail)).reason ?? 'sent');
    }
  }
  t.same(outcomes, [...Array(10).fill('sent'), ...Array(2).fill('daily_send_quota_exhausted')]);
  t.same(instance.faults, []);
});

t.test('one network makes no more workspaces in a day than its share', async (t) => {
  const clock = movableClock();
  await using instance = await startInstance({ runtime: { clock } });
  const statuses: number[] = [];
  for (let n = 0; n < 18; n += 1) {
    if (n % 9 === 0) clock.pass(HOUR);
    statuses.push((await postSignup(instance, { handle: `agent-${n}` })).status);
  }
  t.same(statuses, [...Array(16).fill(201), 429, 429], 'of 1000 that may wait for 30 days');
  t.same(instance.faults, []);
});

t.test('metadata services of clouds are never fetched, allowed or not', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  for (const host of ['168.63.129.16', '169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]']) {
    const hook = { url: `https://${host}/`, events: ['message.received'] };
    const refused = await instance.request(ann, 'POST', '/v1/webhooks', hook);
    t.match([refused.status, await refused.json()], [400, { error: 'private_url_not_allowed' }], host);
    const source = await instance.request(ann, 'POST', '/v1/knowledge/sources', {
      kind: 'page',
      url: `http://${host}/`,
    });
    t.match([source.status, await source.json()], [400, { error: 'private_url_not_allowed' }], host);
  }
  t.same(instance.faults, []);
});

t.test('a private scheme is the name of a domain in reverse', async (t) => {
  await using instance = await startInstance();
  const register = async (uri: string) => {
    const response = await fetch(new URL('/oauth/register', instance.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'App', redirect_uris: [uri], token_endpoint_auth_method: 'none' }),
    });
    return response.status;
  };
  t.equal(await register('app:/cb'), 400);
  t.equal(await register('com.example.app:/cb'), 201);
  t.same(instance.faults, []);
});
