/** Several held messages at once: what is new, picks, and a bar that does not move. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { DESKTOP } from '../../harness/http/chromium.ts';
import { heading, isFit, isSoon } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t, { outbound: 'undo_seconds = 60' });

const list = (page: Page) => page.getByRole('navigation', { name: 'Held mail' });
const subjects = (page: Page) => list(page).locator('.subj').allTextContents();
const barTop = (page: Page): Promise<number> =>
  page.evaluate(`document.querySelector('.decide').getBoundingClientRect().top`);

const BOXES = `[...document.querySelectorAll('.decide :is(button, input, label)')].map((of) => {
  const { x, y, width, height } = of.getBoundingClientRect();
  return [x, y, width, height];
})`;
/** The placeholder is shorter than the field. */
const IS_WHOLE = `(() => {
  const field = document.querySelector('.decide input');
  const { font, paddingLeft, paddingRight } = getComputedStyle(field);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = font;
  return pen.measureText(field.placeholder).width <= field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
})()`;

const hold = async (...of: string[]) => {
  const { instance } = started;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const { messages } = instance.client(instance.agents.ann);
  for (const subject of of)
    await messages.send({ to: ['carol@remote.test'], subject, body: `${subject}\n\n`.repeat(3) });
};

t.test('the first to expire is on top, what comes meanwhile is told, and the bar stays where it is', async (t) => {
  const { instance } = started;
  await hold('One', 'Two');
  const visitor = await started.person();
  const { page, faults } = visitor;
  await page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries()) globalThis.shifts.push(...entry.sources.map(({ node }) => node?.className ?? node?.nodeName));
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await started.go(page, '/console/approvals');
  await heading(page, 'One').waitFor();
  await page.frameLocator('iframe').getByText('One').first().waitFor();
  t.same(await subjects(page), ['One', 'Two']);
  const top = await barTop(page);
  await hold('Three');
  await page.getByRole('button', { name: '1 new' }).waitFor();
  t.same(await subjects(page), ['One', 'Two', 'Three']);
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' });

  const note = page.getByLabel('Note to ann');
  await note.focus();
  await page.keyboard.insertText('x'.repeat(1_500));
  t.equal((await note.inputValue()).length, 1_000, 'a decision takes no longer one');
  await note.fill('Thanks');
  await page.keyboard.press('Enter');
  t.ok(await heading(page, 'One').isVisible(), 'Enter in the note decides nothing');
  for (const name of ['Two', 'Three', 'One']) {
    await list(page).getByRole('link', { name }).click();
    t.equal(await barTop(page), top, 'also while the next one loads');
    await heading(page, name).waitFor();
    await page.frameLocator('iframe').getByText(name).first().waitFor();
    t.equal(await barTop(page), top, name);
  }
  t.same(
    ((await page.evaluate('globalThis.shifts')) as string[]).filter((of) => /decide|btn|input|item/.test(of)),
    [],
  );
  await isFit(t, visitor, 'approvals');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('undo what was just done').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  const options = page.getByRole('group', { name: 'Recent' }).getByRole('option');
  for (const subject of ['Two', 'Three']) await options.filter({ hasText: subject }).first().waitFor();
  const recent = await options.allInnerTexts();
  t.equal(new Set(recent).size, recent.length, 'no two read alike');
  await page.keyboard.press('Escape');
  t.equal(
    await instance
      .client(instance.agents.ann)
      .pending.listPending({})
      .then(({ pending }) => pending.length),
    3,
  );
  t.same(faults, []);
});

t.test('neither arming nor the offered note moves a box of the bar', async (t) => {
  const visitor = await started.person();
  const { page, faults } = visitor;
  await started.go(page, '/console/approvals');
  await list(page).getByRole('link', { name: 'Two' }).click();
  await heading(page, 'Two').waitFor();
  await page.frameLocator('iframe').getByText('Two').first().waitFor();
  for (const [width, height] of [
    [1280, 860],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    t.ok(await page.getByText('Note to ann').isVisible());
    t.ok(await page.evaluate(IS_WHOLE), 'the placeholder is shown whole');
    const boxes = await page.evaluate(BOXES);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Enter sends it' }).waitFor();
    t.same(await page.evaluate(BOXES), boxes, `armed, at ${width} px`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Reject anyway' }).waitFor();
    t.same(await page.evaluate(BOXES), boxes, `a rejection, at ${width} px`);
    t.ok(await page.evaluate(IS_WHOLE));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reject', exact: true }).waitFor();
  }
  await page.setViewportSize(DESKTOP);
  t.same(faults, []);
});

t.test('mail on hold is picked, approved together and taken back; mail with a doubt has no box', async (t) => {
  const { instance } = started;
  const { ann } = instance.agents;
  const mail = { to: ['carol@remote.test'], subject: 'Prices', body: 'It costs 42.', html: '<p>It costs 43.</p>' };
  await instance.client(ann).messages.send(mail);
  const visitor = await started.person();
  const { page, faults } = visitor;
  await started.go(page, '/console/approvals');
  await heading(page, 'One').waitFor();
  t.same(await list(page).getByRole('checkbox').count(), 3);
  await page.keyboard.press('x');
  await heading(page, '1 message picked').waitFor();
  const loads: string[] = [];
  page.on('request', (request) => request.url().endsWith('/heldMail/get') && loads.push(request.postData() ?? ''));
  await page.getByLabel('Pick Two').click();
  await heading(page, '2 messages picked').waitFor();
  t.equal(loads.length, 1, 'a pick loads no other mail again');
  await page.getByText('2 of 4 picked').waitFor();
  await isFit(t, visitor, 'picked mail');
  await page.getByLabel('Note', { exact: true }).fill('Fine');
  await page.getByRole('button', { name: 'Approve and send 2' }).click();
  await heading(page, 'Three').waitFor();
  await isSoon(
    t,
    () =>
      list(page)
        .getByText(/approved, goes in \d+ s/)
        .count(),
    2,
  );
  t.same(await subjects(page), ['One', 'Two', 'Three', 'Prices'], 'what is about to go stays where it is');
  t.same(await list(page).getByRole('link').count(), 2);
  t.match(await page.getByRole('button', { name: /^Waiting/ }).innerText(), '4', 'and is counted until it has gone');
  await page.getByText('Goes: 2 messages').waitFor();
  await page.setViewportSize({ width: 820, height: 1180 });
  const [toast, bar] = await Promise.all(
    [page.locator('.toast'), page.locator('.decide')].map((of) => of.boundingBox()),
  );
  t.ok(toast && bar && toast.x + toast.width <= bar.x, 'the toast stands over the list on a tablet, too');
  await page.setViewportSize(DESKTOP);
  await page.getByRole('button', { name: 'Undo' }).click();
  await list(page).getByRole('link', { name: 'Two' }).waitFor();
  await isSoon(
    t,
    () =>
      list(page)
        .getByText(/goes in/)
        .count(),
    0,
  );
  t.same(await subjects(page), ['One', 'Two', 'Three', 'Prices']);

  await page.getByLabel('Pick One').click();
  await page.getByLabel('Pick Three').click({ modifiers: ['Shift'] });
  await heading(page, '3 messages picked').waitFor();
  await page.getByLabel('Pick Two').click({ modifiers: ['Shift'] });
  await heading(page, '1 message picked').waitFor();
  await page.getByRole('button', { name: 'Pick all' }).click();
  await heading(page, '3 messages picked').waitFor();
  await page.getByLabel('Pick One').click();
  await page.getByLabel('Pick Two').click();
  await heading(page, '1 message picked').waitFor();
  await page.getByRole('button', { name: 'Reject 1' }).click();
  t.equal((await instance.client(ann).pending.listPending({})).pending.length, 4, 'the note is offered first');
  await page.getByRole('button', { name: 'Reject 1 without a note' }).click();
  await page.getByText('1 message rejected').first().waitFor();
  await heading(page, 'One').waitFor();
  await isSoon(t, () => subjects(page), ['One', 'Two', 'Prices']);
  t.equal(instance.receiver.messages.filter(({ raw }) => /Subject: (One|Two|Three)/.test(raw.toString())).length, 0);
  t.same(faults, []);
});
