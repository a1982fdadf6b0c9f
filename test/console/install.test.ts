/** From a fresh `./install.sh --local` into the console: signed in, a mail approved, a secret stored, a workspace claimed. */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { launchChromium } from '../harness/http/chromium.ts';
import { orFew } from '../harness/long-form.ts';
import { startReceiver } from '../harness/smtp/mail-receiver.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { type Running, start } from '../unit/cli/postroom.ts';
import { settled } from './fit.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** Files made from those of the checkout: the short form takes them as they are, where the installer finds them current. */
const BUILT = orFew<string>([], ['build/console', 'build/server']);

/** The files of the checkout in a folder of their own, with its dependencies: no data, and in the long form no build. */
const copyCheckout = (target: string): void => {
  const names = execFileSync('git', ['ls-files', '-z', 'src', 'config', 'scripts', 'install.sh', ':(glob)*.json'], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  const built = BUILT.filter((name) => existsSync(join(CHECKOUT, name)));
  for (const name of [...names.split('\0').filter((each) => each !== ''), ...built]) {
    cpSync(join(CHECKOUT, name), join(target, name), { recursive: true });
  }
  symlinkSync(join(CHECKOUT, 'node_modules'), join(target, 'node_modules'));
  // Older than what is installed: nothing is installed anew.
  utimesSync(join(target, 'package-lock.json'), 0, 0);
};

const welcomeOf = async (local: Running) => {
  await local.line((line) => line.startsWith('Ctrl-C'));
  const text = local.lines.join('\n');
  const [alice, bob] = [...text.matchAll(/^ {2}(\S+@\S+) +(svc_\S+)$/gm)].map(([, address = '', key = '']) => ({
    ...{ address, key },
  }));
  const link = /^ {2}(http:\/\/\S+\/console\/sign-in\/\S+)$/m.exec(text)?.[1] ?? '';
  if (!alice || !bob) throw new Error('Two agents were to be printed.');
  return { alice, bob, link, origin: new URL(link).origin };
};

/** Ports are looked for and then taken: another run on this machine may be faster, and it is begun again. */
const startLocal = async (folder: string, ...more: string[]) => {
  for (let tries = 1; ; tries += 1) {
    const local = start(join(folder, 'install.sh'), ['--local', ...more]);
    t.teardown(() => local.process.kill('SIGKILL'));
    try {
      return { local, ...(await welcomeOf(local)) };
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
};

const call = async (
  origin: string,
  key: string | null,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: the test knows the shape that it asks for.
): Promise<{ status: number; body: any }> => {
  const response = await fetch(new URL(path, origin), {
    ...{ method, ...(body && { body: JSON.stringify(body) }) },
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
  });
  return { status: response.status, body: await response.json() };
};

const end = async (local: Running): Promise<void> => {
  local.process.kill('SIGINT');
  await local.ended;
};

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click();

t.test('a person who never read the docs finds their way', async (t) => {
  const folder = t.testdir();
  copyCheckout(folder);
  await using chromium = await launchChromium();
  await using receiver = await startReceiver();
  const { page, faults, strayRequests } = await chromium.open();
  const { local: first, alice, bob, link, origin } = await startLocal(folder);

  await page.goto(link);
  await press(page, 'Sign in');
  await page.getByText('1 of 3 done').waitFor();
  await page.getByRole('link', { name: 'alice' }).first().click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: /Hold/ }).click();
  await page.getByText(/held/i).first().waitFor();
  const mail = { to: [bob.address], subject: 'Lunch', body: 'Is noon fine?' };
  t.equal((await call(origin, alice.key, 'POST', '/v1/messages', mail)).status, 202);
  await page.goto(`${origin}/console/`);
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lunch' }).waitFor();
  await press(page, 'Approve and send');
  await eventually(async () => {
    const { body } = await call(origin, bob.key, 'GET', '/v1/messages');
    return body.messages.some(({ subject }: { subject: string }) => subject === 'Lunch');
  });

  await page.goto(`${origin}/console/vault`);
  await press(page, 'New secret');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Portal');
  await dialog.getByLabel('Username').fill('alice');
  await dialog.getByLabel('Password').fill('correct horse battery');
  await dialog.getByRole('button', { name: 'Seal secret' }).click();
  await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
  await page.getByRole('switch', { name: 'alice' }).click();
  await page.getByText('alice may open “Portal”').waitFor();
  const { body } = await call(origin, alice.key, 'GET', '/v1/secrets');
  t.match(body, { secrets: [{ name: 'Portal' }] });
  await end(first);

  // Mail leaves this machine by the receiver: an agent signs up, and its person claims the workspace.
  const config = join(folder, 'data/postroom.toml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace('[outbound]\n', `[outbound]\nsmarthost = "smtp://127.0.0.1:${receiver.port}"\n`));
  const again = await startLocal(folder, '--internet');
  const signup = { handle: 'pilot', email: 'mira@remote.test', workspace_name: 'Fjord' };
  const { status, body: made } = await call(again.origin, null, 'POST', '/v1/signup', signup);
  t.equal(status, 201);
  const person = await chromium.open();
  await person.page.goto(made.claim_url);
  await press(person.page, 'Mail the claim link');
  const [claim] = await receiver.waitFor(1);
  const claimUrl = /<(http[^>\s]+\/claim\/[^>\s]+)>/.exec(
    claim?.raw.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '',
  )?.[1];
  await person.page.goto(claimUrl ?? '');
  await person.page.getByRole('button').first().click();
  await person.page.waitForURL('**/console/**');
  await settled(person.page);
  await person.page.getByText('Fjord').first().waitFor();
  await person.page.getByRole('link', { name: 'pilot' }).first().waitFor();
  await person.page.goto(`${again.origin}/console/instance`);
  await person.page.getByText('looked after by its operator').waitFor();
  await end(again.local);
  t.same([faults, strayRequests, person.faults, person.strayRequests], [[], [], [], []]);
});
