import { Switch } from '../pieces/controls.tsx';
import { Dialog } from '../pieces/dialog.tsx';
import { areKeysOn, listKeys, turnKeys } from '../pieces/keys.ts';

/** All keys that work on this screen. */
export const KeysHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl class="facts keys-list">
      {listKeys().map(({ key, does }) => (
        <div key={key}>
          <dt>
            {key.split(' ').map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
      <div>
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>go to a screen, an agent or an act</dd>
      </div>
    </dl>
    <Switch
      label="Single keys"
      hint="Off, no single key does anything; Ctrl K and the keys of the browser stay."
      checked={areKeysOn.value}
      onChange={turnKeys}
    />
  </Dialog>
);
