/** Outgoing mail: queued deliveries and scheduled sends; and other work in progress. */

import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { ButtonLink } from '../components/controls.tsx';
import { Icon } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { Booked } from './booked.tsx';
import { UnderWay } from './under-way.tsx';
import { OtherWork } from './work.tsx';

export const Queue = () => {
  const list = useAnswer(api.queue.list, {});
  return (
    <>
      <TitleRow title="Queue" />
      <div class="page">
        {workspace.value?.sending_state === 'paused' && (
          <div class="callout bad">
            <Icon name="fail" />
            <p class="grow">
              <b>Nothing goes out: sending is paused.</b> All of this waits and loses nothing.
            </p>
            <ButtonLink class="small end" href="/" words="See why" />
          </div>
        )}
        <UnderWay list={list} />
        {/* Rendered last, once the parts above have their height, so that nothing moves. */}
        {(list.value || list.failure) && (
          <>
            <Booked />
            <OtherWork />
          </>
        )}
      </div>
    </>
  );
};
