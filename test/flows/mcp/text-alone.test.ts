import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';

for (const name of ['claude-code', 'codex-mcp-client', 'opencode', 'Visual Studio Code', 'other']) {
  t.test(`${name}: what a mail says is in what its model is shown`, async (t) => {
    await using instance = await startInstance();
    const { ann, bob } = instance.agents;
    await instance.client(ann).messages.send({ to: [bob.address], subject: 'Lunch', body: 'At noon?' });
    const url = new URL('/mcp?tools=core', instance.baseUrl);
    const settings = { requestInit: { headers: { authorization: `Bearer ${bob.key}` } } };
    const current = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await current.connect(new StreamableHTTPClientTransport(url, settings));
    const earlier = new EarlierClient({ name, version: '1' });
    await earlier.connect(new EarlierTransport(url, settings) as never);
    for (const client of [current, earlier]) {
      const { tools } = await client.listTools();
      const wait = { name: 'wait_for_email', arguments: { since: '2020-01-01T00:00:00Z' } };
      const result = await client.callTool(wait);
      t.match(JSON.stringify(result.content), 'At noon?');
      const isOther = name === 'other';
      t.equal(result.structuredContent !== undefined, isOther);
      t.ok(tools.every(({ outputSchema }) => (outputSchema !== undefined) === isOther));
      await client.close();
    }
    t.same(instance.faults, []);
  });
}
