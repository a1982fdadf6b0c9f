/** Listeners of both address families: one dual-stack socket, or two side by side. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startDaemon } from '../../../src/app.ts';
import { type Config, configSchema } from '../../../src/config/config.ts';
import { runCli } from '../../harness/cli.ts';
import { HOSTNAME, startInstance } from '../../harness/instance.ts';
import { dig } from '../../harness/net/dig.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

t.test('the defaults are [::], which IPv4 reaches as well', async (t) => {
  const { http, smtp, tls } = configSchema.parse({ hostname: 'mx.example.com', base_domain: 'agents.example.com' });
  t.same(
    [http.listen, smtp.listen, tls.http_listen],
    [443, 25, 80].map((port) => [{ host: '::', port }]),
  );
});

for (const hosts of [['::'], ['0.0.0.0', '::']]) {
  t.test(`mail, HTTP and DNS over IPv4 and IPv6 at ${hosts.join(' and ')}`, async (t) => {
    await using instance = await startInstance();
    await instance.daemon.stop();
    const on = async () => {
      const port = await freePort();
      return hosts.map((host) => ({ host, port }));
    };
    const [smtp, http, dns] = [await on(), await on(), await on()];
    const config: Config = {
      ...instance.config,
      smtp: { ...instance.config.smtp, listen: smtp, trusted: [] },
      http: { ...instance.config.http, listen: http },
      dns: { ...instance.config.dns, server: { listen: dns, host_addresses: [] } },
    };
    const daemon = await startDaemon(config, silent);
    t.teardown(() => daemon.stop());
    const port = smtp[0]?.port ?? 0;
    for (const host of ['127.0.0.1', '::1']) {
      t.match(await sendMail(port, { host, to: [instance.agents.ann.address] }), /^250/, host);
      const at = `${host === '::1' ? '[::1]' : host}:${http[0]?.port}`;
      t.equal((await fetch(`http://${at}/healthz`)).status, 200, host);
    }
    t.equal((await dig(`127.0.0.1:${dns[0]?.port}`, config.base_domain, 'SOA')).status, 'NOERROR', 'DNS over IPv4');
    const six = await dig(`127.0.0.1:${dns[0]?.port}`, '@::1', config.base_domain, 'SOA');
    t.equal(six.status, 'NOERROR', 'DNS over IPv6');
    const ann = { authorization: `Bearer ${instance.agents.ann.key}` };
    const list = await fetch(`http://127.0.0.1:${http[0]?.port}/v1/messages`, { headers: ann });
    const { messages } = (await list.json()) as { messages: { id: string }[] };
    const received = await Promise.all(
      messages.map(async ({ id }) =>
        (await fetch(`http://127.0.0.1:${http[0]?.port}/v1/messages/${id}/raw`, { headers: ann })).text(),
      ),
    );
    t.ok(
      received.some((raw) => /^Received: from [^\r]*\[127\.0\.0\.1\]/m.test(raw)),
      'the IPv4 form of a mapped peer',
    );
    t.ok(received.some((raw) => raw.includes('[IPv6:::1]')));
  });
}

t.test('the doctor connects to each published address', async (t) => {
  await using instance = await startInstance();
  instance.dns.zone.set(HOSTNAME, 'AAAA', ['::1']);
  const { stdout } = await runCli(instance.configPath, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string; fix: string }[] };
  t.match(
    checks.filter(({ name }) => name === 'published_address'),
    [
      { status: 'ok', detail: /^127\.0\.0\.1:\d+ and 127\.0\.0\.1:\d+ take/ },
      { status: 'fail', detail: /^\[::1\]:\d+ takes no connection: ECONNREFUSED/, fix: /AAAA record of mx\.box\.test/ },
    ],
  );
});

t.test('a port that is taken is named with its address', async (t) => {
  await using instance = await startInstance();
  const { configPath, directory } = instance;
  const config = join(directory, 'second.toml');
  writeFileSync(
    config,
    `hostname = "mx.box.test"\nbase_domain = "agents.box.test"\ndata_dir = "second"\n[vault]\nkey_file = "vault.key"\n[tls]\nmode = "off"\n[smtp]\nlisten = []\n[http]\nlisten = ["127.0.0.1:${new URL(instance.baseUrl).port}"]\nprivate_listen = "[::1]:${await freePort()}"\n`,
  );
  t.not(config, configPath);
  const { code, stderr } = await runCli(config, 'serve');
  t.match({ code, stderr }, { code: 1, stderr: /Cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/ });
});
