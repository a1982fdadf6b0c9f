/** A person who signs in for the first time: an agent, connected, that mail reaches; and the list that led there goes away. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { findBarriers, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { isStill, settled, signInTo, WATCH_SHIFTS } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t, {
  publicHost: 'localhost',
  prepare: async (instance) => void (await instance.addWorkspace('Fresh', true)),
});

const blockOf = (page: Page, name: string) => {
  const panel = page.getByRole('tabpanel', { name });
  return async (): Promise<string> => {
    await page.getByRole('tab', { name }).click();
    await panel.locator('pre').first().waitFor();
    return (await panel.locator('pre').allTextContents()).join('\n');
  };
};

t.test('the list of first steps proves each, and goes for good', async (t) => {
  const { chromium, instance } = started;
  const { context, page, faults, strayRequests } = await signInTo(chromium, instance, {}, 'fresh', undefined, true);
  t.teardown(() => context.close());
  await page.addInitScript(WATCH_SHIFTS);
  await page.goto(started.at('/console/'));
  await page.getByText('0 of 5 done').waitFor();
  t.same(await findBarriers(page), [], 'nothing is there yet');
  await isStill(t, page, 'first-run');
  await page.getByRole('button', { name: 'Make one' }).click();
  await page.getByLabel('Handle').fill('helper');
  await page.getByLabel('Hold its mail').uncheck();
  await page.getByRole('button', { name: 'Make agent' }).click();
  await page.getByText('1 of 5 done').waitFor();
  const key = /svc_[\w-]+/.exec(await blockOf(page, 'Claude')())?.[0] ?? '';
  t.match(
    await blockOf(page, 'Claude')(),
    `${instance.baseUrl.replace('127.0.0.1', 'localhost')}/mcp?tools=core`.replace('//mcp', '/mcp'),
  );
  for (const name of ['Cursor', 'curl', 'TypeScript', 'Python']) t.match(await blockOf(page, name)(), key, name);
  t.match(await blockOf(page, 'curl')(), 'owner@remote.test');
  await page.getByRole('tab', { name: 'Claude' }).click();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'Cursor' }).waitFor();
  t.same(await findBarriers(page), [], 'an agent is made');

  await page.getByText('waiting for its first call').waitFor();
  const called = await fetch(new URL('/v1/messages', instance.baseUrl), {
    headers: { authorization: `Bearer ${key}` },
  });
  t.equal(called.status, 200);
  await page.getByText('helper called for the first time').waitFor();
  await page.getByText(/^helper last called Today \d\d:\d\d$/).waitFor();
  await page.getByText('2 of 5 done').waitFor();
  await page.getByText('Its key, and the blocks to copy').click();
  t.match(await blockOf(page, 'Python')(), key, 'the key stays until the page is left');
  await page.getByText('Its key, and the blocks to copy').click();
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('Arrived in the mailbox of helper').waitFor();
  await page.getByText(/Test mail: arrived after \d/).waitFor();
  await page.getByText('3 of 5 done').waitFor();
  await page.setViewportSize(PHONE);
  t.same([await findBarriers(page), await sidewaysScroll(page)], [[], 0], 'on a phone');
  await page.setViewportSize({ width: 1280, height: 860 });
  const open = page.getByRole('link', { name: 'Open the mail' });
  t.match(await open.getAttribute('href'), /^\/console\/agents\/helper\/threads\/./);

  await page.getByRole('button', { name: 'Put the list away' }).click();
  await page.getByText('Nothing needs you').waitFor();
  const again = await signInTo(chromium, instance, {}, 'acme', undefined, true);
  t.teardown(() => again.context.close());
  await again.page.goto(started.at('/console/'));
  await again.page.getByText('Nothing needs you').waitFor();
  t.same([faults, strayRequests, instance.faults], [[], [], []]);
});

t.test('what a machine of its own has no use for is left out', async (t) => {
  const local = startConsole(t, { outbound: 'local_only = true' });
  t.test('three steps', async (t) => {
    const { context, page, faults } = await signInTo(local.chromium, local.instance, {}, 'acme', undefined, true);
    t.teardown(() => context.close());
    await page.goto(local.at('/console/'));
    await page.getByText('1 of 3 done').waitFor();
    t.same(await page.getByRole('tab').allTextContents(), ['Claude', 'Cursor', 'curl', 'TypeScript', 'Python']);
    await page.getByText('not needed here').waitFor();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText(/Test mail: arrived after \d/).waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('is ann’s and shown here').waitFor();
    await local.instance.client(local.instance.agents.ann).messages.list({});
    await page.getByText('3 of 3 done').waitFor();
    await page.getByText('can be written to and can answer').waitFor();
    await cliJson(local.instance.configPath, 'agents', 'hold', 'ann');
    const { messages } = local.instance.client(local.instance.agents.ann);
    const sent = await messages.send({ to: [local.instance.agents.ann.address], subject: 'Hello', body: 'Hello' });
    t.match(sent, { status: 'held' });
    await page.getByText('1 message waits for your decision').waitFor();
    await page.getByText('can be written to and can answer').waitFor();
    await cliJson(local.instance.configPath, 'pending', 'reject', sent.pendingId ?? '', '--yes');
    t.same(await findBarriers(page), []);
    await page.goto(local.at('/console/domains'));
    await settled(page);
    t.match(await page.getByRole('main').innerText(), 'not needed here');
    t.notMatch(await page.getByRole('main').innerText(), /pending|0 of/);
    await local.instance.client(local.instance.agents.ann).domains.add({ domain: 'shop.test' });
    await page.getByText('cannot send').waitFor();
    await page.goto(local.at('/console/'));
    await page.getByText('Nothing needs you').waitFor();
    t.same(faults, []);
  });
});
