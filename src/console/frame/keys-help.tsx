import { Switch } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { areKeysOn, type Key, listKeys, turnKeys } from '../components/keys.ts';

/** What this screen has first, each key as it works; then the ways to the screens. */
const inOrder = (keys: readonly Key[]): Key[] => {
  const working = keys.filter(({ key }, at) => keys.findLastIndex((other) => other.key === key) === at);
  const isWay = ({ key }: Key): boolean => key.startsWith('g ');
  const isGlobal = ({ key }: Key): boolean => key === '/' || key === '?';
  const rank = (key: Key): number => (isWay(key) ? 2 : isGlobal(key) ? 1 : 0);
  return working.toSorted((one, other) => rank(one) - rank(other));
};

/** All keys that work on this screen. */
export const KeysHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl class="facts keys-list" tabIndex={0}>
      {inOrder(listKeys()).map(({ key, does }) => (
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
        <dd>find or do</dd>
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
