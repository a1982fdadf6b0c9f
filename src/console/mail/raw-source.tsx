/** The raw message, and its header, as text. */

import { addressOf } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { useLoaded } from '../api/loaded.ts';
import { Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { type HeaderField, HeaderFields } from '../components/mail-parts.tsx';

/** Characters of the source that are shown; the file has all of it. */
const MOST_CHARS = 100_000;

export const RawSource = ({ agent, id, onClose }: { agent: string; id: string; onClose: () => void }) => {
  const address = addressOf('api', 'mail/raw', { agent, id });
  const source = useLoaded(async (signal) => {
    const response = await fetch(address, { signal });
    if (!response.ok) {
      const { error = '', hint = '' } = (await response.json()) as { error?: string; hint?: string };
      throw new Failure(response.status, error, hint);
    }
    return response.text();
  }, address);
  return (
    <Dialog title="Raw source" onClose={onClose} class="large">
      <Show loaded={source} what="The source" lines={10}>
        {(text) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
            <pre class="source" tabIndex={0}>
              {text.slice(0, MOST_CHARS)}
            </pre>
            {text.length > MOST_CHARS && <p>It goes on; the file has all of it.</p>}
          </>
        )}
      </Show>
      <div class="acts">
        {source.value && <CopyButton value={source.value} of="source" words="Copy" />}
        <a class="btn" href={address} download={`${id}.eml`}>
          Save as a file
        </a>
        <Button words="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
};

export const Headers = ({ headers, onClose }: { headers: readonly HeaderField[]; onClose: () => void }) => (
  <Dialog title="Headers" onClose={onClose} class="large" close="Close">
    <HeaderFields headers={headers} />
  </Dialog>
);
