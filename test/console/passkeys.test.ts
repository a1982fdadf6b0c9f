/** A passkey is added and signs in, in Chromium with an authenticator of its own; what does not fit is refused. */

import type { CDPSession } from 'playwright-core';
import t from 'tap';
import { contracts } from '../../src/resources/contracts.ts';
import { createBrowser } from '../harness/http/browser.ts';
import { launchChromium } from '../harness/http/chromium.ts';
import { OWNER, signInOwner } from '../harness/http/owner.ts';
import { startInstance } from '../harness/instance.ts';
import { asOperator, listActs } from '../harness/operator.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { settled, signInTo } from './fit.ts';

const { owners } = contracts;

/** @param isSynced whether its passkeys are kept by several devices */
const withAuthenticator = async (devtools: CDPSession, isSynced = false): Promise<string> => {
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ defaultBackupEligibility: isSynced, defaultBackupState: isSynced },
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return authenticatorId;
};

t.test('a person adds a passkey, signs in with it, and removes it', async (t) => {
  // Passkeys are of names: 127.0.0.1 has none.
  await using instance = await startInstance({ publicHost: 'localhost' });
  await using chromium = await launchChromium();
  const { context, page, faults, strayRequests } = await signInTo(chromium, instance, {}, 'acme');
  const devtools = await context.newCDPSession(page);
  await withAuthenticator(devtools);
  await page.goto(new URL('/console/you', instance.baseUrl).href);
  await settled(page);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('This laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('row', { name: /This laptop/ }).waitFor();
  await eventually(async () =>
    instance.receiver.messages.find(
      ({ rcptTo, raw }) => rcptTo.includes(OWNER) && /^Subject: A passkey was added/m.test(raw.toString()),
    ),
  );
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL('**/console/sign-in');

  await page.goto(new URL('/console/agents/ann', instance.baseUrl).href);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  const said = page.locator('[role=alert]');
  t.equal(await said.evaluate<number, { offsetHeight: number }>(({ offsetHeight }) => offsetHeight), 0, 'no empty box');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/console/agents/ann');
  t.match(await listActs(instance), {
    0: { action: 'session.start', actor: OWNER, via: 'console', detail: { by: 'passkey', name: 'This laptop' } },
    1: { action: 'session.end' },
    2: { action: 'passkey.add', actor: OWNER },
  });

  await page.goto(new URL('/console/you', instance.baseUrl).href);
  await page
    .getByRole('row', { name: /This laptop/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('“This laptop” is removed').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('does not sign in here').waitFor();
  t.same([faults, strayRequests, instance.faults], [[], [], []]);
});

t.test('a passkey of several devices signs in whichever has counted further; a copy of one does not', async (t) => {
  await using instance = await startInstance({ publicHost: 'localhost' });
  await using chromium = await launchChromium();
  for (const [name, isSynced, saysSynced] of [
    ['Synced', true, true],
    ['Stick', false, false],
    ['Stick that lies', false, true],
  ] as const) {
    const { context, page } = await signInTo(chromium, instance, {}, 'acme');
    const devtools = await context.newCDPSession(page);
    const authenticatorId = await withAuthenticator(devtools, isSynced);
    await page.goto(new URL('/console/you', instance.baseUrl).href);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('row', { name }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/console/');
    await page.goto(new URL('/console/you', instance.baseUrl).href);
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    for (const { credentialId, backupEligibility: _, backupState: __, ...copied } of credentials) {
      t.ok(copied.signCount > 0, 'it counts');
      await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      const copy = { ...copied, credentialId, signCount: 0, backupEligibility: saysSynced, backupState: saysSynced };
      await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: copy });
    }
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    if (isSynced) await page.waitForURL('**/console/');
    else await page.getByText('does not sign in here').waitFor();
    await context.close();
  }
  t.same(instance.faults, []);
});

t.test('a passkey ends with its owner’s last workspace, also for whoever has the address next', async (t) => {
  await using instance = await startInstance({ publicHost: 'localhost' });
  await using chromium = await launchChromium();
  const email = 'guest@remote.test';
  const add = () => asOperator(instance, (call) => call(owners.add, { email, workspace: 'acme' }));
  const remove = () => asOperator(instance, (call) => call(owners.remove, { email, workspace: 'acme' }));
  await add();
  const { context, page } = await signInTo(chromium, instance, {}, 'acme', email);
  const devtools = await context.newCDPSession(page);
  await withAuthenticator(devtools);
  await page.goto(new URL('/console/you', instance.baseUrl).href);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Old phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('row', { name: /Old phone/ }).waitFor();
  const refused = async () => {
    await page.goto(new URL('/console/sign-in', instance.baseUrl).href);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('does not sign in here').waitFor();
  };
  await remove();
  await refused();
  await add();
  await refused();
  const next = await signInOwner(instance, email);
  t.match((await next.call('passkeys/list')).body, { passkeys: [] });
  t.same(instance.faults, []);
});

t.test('answers that fit no challenge, no key or no session are refused', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  t.match((await owner.call('passkeys/list')).body, { available: false, passkeys: [] }, 'by an address there are none');
  t.match((await owner.call('passkeys/begin')).body, { timeout: 300_000 }, 'as long as its challenge is valid');
  const part = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
  const made = { ...part, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } };
  const used = { ...part, response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } };
  const stranger = createBrowser(instance.baseUrl);
  t.match(await owner.call('passkeys/add', { name: 'Key', response: made }), {
    status: 403,
    body: { error: 'invalid_passkey' },
  });
  t.match(await owner.call('passkeys/add', { name: '', response: made }), { status: 400 });
  t.match(await owner.call('passkeys/add', { name: 'Key', response: { ...made, id: '<' } }), { status: 400 });
  t.match(await owner.call('passkeys/remove', { id: 'AAAA' }), { status: 404, body: { error: 'passkey_not_found' } });
  t.match(await stranger.call('passkeys/signIn', { response: used }), {
    status: 403,
    body: { error: 'invalid_passkey' },
  });
  t.match(await stranger.call('passkeys/signIn', {}), { status: 400 });
  t.match(await stranger.call('passkeys/list'), { status: 401 });
  t.match(await stranger.call('passkeys/begin'), { status: 401 });
  const site = { 'sec-fetch-site': 'cross-site' };
  t.match(await stranger.call('passkeys/signIn', { response: used }, undefined, site), { status: 403 });
  t.match(await stranger.call('passkeys/beginSignIn', {}, undefined, site), {
    body: { error: 'origin_not_allowed' },
  });
  t.equal(stranger.cookie, null);
  t.same(instance.faults, []);
});
