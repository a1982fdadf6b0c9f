/** The approval page in a real browser: light, dark, and on a phone without script. */

import { join } from 'node:path';
import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { findBarriers, launchChromium, NARROWEST, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { html, startSite } from '../../harness/http/site.ts';
import { startInstance } from '../../harness/instance.ts';
import { authorizeUrl, newPkce, OWNER, REDIRECT, register } from '../../harness/oauth/oauth-client.ts';
import { asOperator } from '../../harness/operator.ts';

const DECISIONS = ['Refuse', 'Connect'];
/** Where pictures of it go; left out, none are taken. */
const { POSTROOM_SHOTS: shots } = process.env;

t.test('both answers are buttons of the same size, and names whom it connects', async (t) => {
  await using chromium = await launchChromium();
  await using instance = await startInstance();
  await instance.addAgent('a-rather-long-handle-for-an-agent');
  const { clientId } = await register(instance);
  for (const [name, options] of [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: PHONE, javaScriptEnabled: false }],
  ] as const) {
    const { context, page, strayRequests, faults } = await chromium.open(options);
    await page.goto(new URL(authorizeUrl(clientId, newPkce()), instance.baseUrl).href);
    await page.getByRole('heading', { name: 'Sign in to connect “Desk Companion”' }).waitFor();
    const shoot = async (of: string) =>
      shots === undefined ? null : page.screenshot({ path: join(shots, `${of}.${name}.png`), fullPage: true });
    await shoot('sign-in');
    const { url } = await asOperator(instance, (call) => call(contracts.owners.addSignInLink, { email: OWNER }));
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Let “Desk Companion” use your agents?' }).waitFor();
    await shoot('oauth');
    t.equal(await page.locator('input[name="agent"]:checked').count(), 0, `${name}: of several none is ticked`);
    if (!('javaScriptEnabled' in options)) {
      await page.getByLabel(/^ann/).check();
      await page.getByRole('button', { name: 'Connect to ann', exact: true }).waitFor();
      await page.getByLabel(/^bob/).check();
      await page.getByRole('button', { name: 'Connect to ann and bob', exact: true }).waitFor();
      await page.getByLabel(/^bob/).uncheck();
      await page.getByLabel(/^ann/).uncheck();
    }
    if (!('javaScriptEnabled' in options)) t.same(await findBarriers(page, 'judged'), [], `${name}: axe`);
    const size = page.viewportSize();
    for (const viewport of [size ?? PHONE, NARROWEST]) {
      await page.setViewportSize(viewport);
      t.equal(await sidewaysScroll(page), 0);
      const [refuse, connect] = await Promise.all(
        DECISIONS.map((decision) => page.getByRole('button', { name: decision, exact: true }).boundingBox()),
      );
      if (!refuse || !connect) throw new Error('A button is not shown.');
      for (const { width, height } of [refuse, connect])
        t.ok(width >= 80 && height >= 44, `${name}: ${width} x ${height}`);
      t.ok(Math.abs(refuse.width - connect.width) < 1, `${name}: as wide as each other`);
      t.ok(Math.abs(refuse.y - connect.y) < 1, `${name}: on one line`);
    }
    await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('button', { name: 'Refuse' }).click()]);
    t.match(strayRequests, [new RegExp(`^${REDIRECT}.*access_denied`)], `${name}: the way back, and nothing else`);
    t.same(faults, []);
    await context.close();
  }
  t.same(instance.faults, []);
});

// Claude's answers with a redirect to its program on the desktop, and Chromium judges each redirect by `form-action`.
// ChatGPT opens a window, and asks whether it is closed.
t.test('the answer reaches an application that opened a window, and passes it on to another origin', async (t) => {
  await using chromium = await launchChromium();
  await using instance = await startInstance();
  await using site = await startSite(({ url = '' }) =>
    url.startsWith('/cb')
      ? { status: 307, headers: { location: `http://localhost:${site.port}/onward` } }
      : html('Application', ''),
  );
  const redirect_uri = `${site.origin}/cb`;
  const { clientId } = await register(instance, { redirect_uris: [redirect_uri] });
  const { context, page, faults } = await chromium.open();
  await page.goto(site.origin);
  const authorize = new URL(authorizeUrl(clientId, newPkce(), { redirect_uri }), instance.baseUrl).href;
  const opening = context.waitForEvent('page');
  await page.evaluate(`void (globalThis.opened = open(${JSON.stringify(authorize)}, 'approval', 'popup'))`);
  const approval = await opening;
  await approval.getByRole('heading', { name: 'Sign in to connect “Desk Companion”' }).waitFor();
  const { url } = await asOperator(instance, (call) => call(contracts.owners.addSignInLink, { email: OWNER }));
  await approval.goto(url);
  await approval.getByRole('button', { name: 'Sign in' }).click();
  await approval.getByRole('button', { name: 'Refuse' }).click();
  await approval.waitForURL(`http://localhost:${site.port}/onward`, { timeout: 10_000 });
  t.equal(await approval.evaluate('opener !== null'), true);
  t.equal(await page.evaluate('opened.closed'), false);
  t.same([...faults, ...instance.faults], []);
});
