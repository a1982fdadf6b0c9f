/** Where the person is signed in, by the name of the browser; each is ended by itself. */

import { api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { dayAndTime } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';

export const Sessions = () => {
  const list = useRefreshed(api.session.list, {});
  const act = useAct();
  const end = (id: string): void =>
    act.run(async () => {
      await api.session.endOne({ id });
      await list.reload();
      return 'That browser is signed out';
    });
  return (
    <>
      <ActFailure text={act.failure} />
      <Show loaded={list} what="The sessions" shape="table" lines={2}>
        {({ sessions }) => (
          <Table heads={['Browser', 'Signed in', 'Last used', '']} of={sessions} class="sessions">
            {({ id, is_this: isThis, browser, created_at: createdAt, last_used_at: usedAt }) => (
              <tr key={id}>
                <td class="full">
                  <span class="strong">{browser}</span> {isThis && <Badge mark="ok">this browser</Badge>}
                </td>
                <td class="nowrap">
                  <span class="phone dim">signed in </span>
                  {dayAndTime(createdAt)}
                </td>
                <td class="dim">
                  <span class="phone">last used </span>
                  <Time at={usedAt} as="day" />
                </td>
                <td class="num">
                  {!isThis && (
                    <Button
                      words="End"
                      isSmall
                      kind="danger"
                      isIdle={act.isBusy}
                      label={`End the session of ${browser}, ${dayAndTime(createdAt)}`}
                      onClick={() => end(id)}
                    />
                  )}
                </td>
              </tr>
            )}
          </Table>
        )}
      </Show>
    </>
  );
};
