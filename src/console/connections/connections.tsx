/** The applications with OAuth access to owners' agents; each can be cut off at once. */

import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Empty, Show, Table, Time } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { CopyButton, CopyValue } from '../components/copy.tsx';
import { ask } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { TitleRow } from '../frame/bar.tsx';

type Connection = Answer<'connections', 'list'>['connections'][number];

const agentsOf = ({ agents }: Connection): string => (agents === null ? 'every agent' : agents.join(', '));

const Row = ({ connection, cut }: { connection: Connection; cut: () => void }) => (
  <tr>
    <td class="full">
      <b class="strong">
        <bdi>“{connection.client_name}”</bdi>
      </b>
      <p class="mono faint">{connection.redirect_host}</p>
    </td>
    <td>{agentsOf(connection)}</td>
    <td class="dim small full">
      <span class="tags">
        {connection.scopes.map((scope) => (
          <span class="tag mono" key={scope}>
            {scope}
          </span>
        ))}
        {connection.reach === 'workspace' && <span class="tag">the whole workspace</span>}
        {connection.offline && <span class="faint">also while you are away</span>}
      </span>
    </td>
    <td class="dim wide-only">{connection.owner}</td>
    <td class="num dim">{connection.last_used_at ? <Time at={connection.last_used_at} /> : 'not used yet'}</td>
    <td class="num full">
      <Button words="Cut off" isSmall kind="danger" label={`Cut off ${connection.client_name}`} onClick={cut} />
    </td>
  </tr>
);

/** The URL for an application, and the same as the configuration for most of them. */
const HowToConnect = () => {
  const url = `${location.origin}/mcp?tools=core`;
  const config = JSON.stringify({ mcpServers: { postroom: { url } } }, null, 2);
  return (
    <div class="panel stack-3 after-table">
      <p class="label">Address</p>
      <CopyValue value={url} of="address" />
      <p class="label">Configuration, as mcp.json</p>
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
        <pre tabIndex={0}>{config}</pre>
        <CopyButton value={config} of="configuration" words="Copy" />
      </div>
      <p class="dim small">
        It opens this console and asks you; no key is needed. One that cannot ask takes an agent’s key.
      </p>
    </div>
  );
};

/** Mail cancelled with a key or connection. */
export const cancelledWords = (count: number): string =>
  count === 0 ? '' : `, and ${plural(count, 'booked mail')} cancelled`;

export const Connections = () => {
  const list = useRefreshed(api.connections.list, {});
  const askToCut = (connection: Connection): void => {
    const { id, client_name: name } = connection;
    ask({
      title: `Cut off “${name}”?`,
      verb: 'Cut off',
      busy: 'Cutting off…',
      text: (
        <p>
          It loses {agentsOf(connection)} at once, with what it has open. Mail that it booked is cancelled, and its
          webhook endpoints end. What it did stays; it can ask for your leave again.
        </p>
      ),
      run: async () => {
        const { scheduled } = await api.connections.revoke({ connection_id: id });
        await list.reload();
        return `“${name}” is cut off${cancelledWords(scheduled.length)}`;
      },
    });
  };
  const rows = list.value?.connections ?? [];
  return (
    <>
      <TitleRow
        title="Connections"
        context={list.value && <span class="dim">{plural(rows.length, 'application')}</span>}
      />
      <div class="page">
        <Show loaded={list} what="The connections" shape="table" lines={6}>
          {() => (
            <section aria-label="Connected applications">
              <Table
                heads={['Application', 'Agents', 'May', 'Let in by', '#Last used', '']}
                of={rows}
                empty={
                  <Empty icon="plug" title="No application is connected">
                    One that speaks MCP asks here for your leave, and is then told which of your agents it may use. Give
                    it this address, or this configuration:
                  </Empty>
                }
              >
                {(connection) => <Row key={connection.id} connection={connection} cut={() => askToCut(connection)} />}
              </Table>
              {rows.length === 0 && <HowToConnect />}
              {rows.length > 0 && (
                <p class="pager">
                  Names are those that applications give themselves; nobody has checked. The host beneath is where the
                  answer went.
                </p>
              )}
            </section>
          )}
        </Show>
      </div>
    </>
  );
};
