/** The workspace that is shown, and the others of its owner. */

import { useId, useRef } from 'preact/hooks';
import { session, showWorkspace, workspace } from '../api/session.ts';
import { Badge, Icon } from '../components/marks.tsx';

/** How sending stands, under the workspace's name on every screen. */
const WorkspaceState = () => {
  const shown = workspace.value;
  if (!shown) return null;
  if (!shown.is_verified) return <Badge mark="warn">May not send yet</Badge>;
  if (shown.sending_state === 'paused') return <Badge mark="bad">Sending paused</Badge>;
  if (shown.sending_state === 'throttled') return <Badge mark="warn">Sending throttled</Badge>;
  return <small>{shown.plan.replace(/^./, (letter) => letter.toUpperCase())}</small>;
};

export const Switcher = () => {
  const menu = useRef<HTMLDivElement>(null);
  const id = useId().replaceAll(':', '');
  const shown = workspace.value;
  if (!shown) return null;
  const workspaces = session.value?.workspaces ?? [];
  const isOnly = workspaces.length < 2;
  const face = (
    <>
      <span class="sign" aria-hidden="true">
        {[...shown.name][0]?.toUpperCase()}
      </span>
      <span class="grow">
        <b class="clip">{shown.name}</b>
        <WorkspaceState />
      </span>
      {!isOnly && <Icon name="updown" />}
    </>
  );
  if (isOnly) return <div class="switcher still">{face}</div>;
  return (
    <>
      <button class="switcher" type="button" popovertarget={id}>
        {face}
        <span class="sr">Switch workspace</span>
      </button>
      <div class="menu" id={id} ref={menu} popover="auto">
        <ul>
          {workspaces.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                aria-current={each.id === shown.id ? 'true' : undefined}
                onClick={() => {
                  menu.current?.hidePopover();
                  showWorkspace(each.slug);
                }}
              >
                <span class="clip">{each.name}</span>
                {each.id === shown.id && <Icon name="check" />}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
};
