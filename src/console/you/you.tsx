/** The person who is signed in: passkeys, what it is told while away, keys of the keyboard, theme, signing out. */

import { session, signOut, signOutFailure, trySignOut } from '../api/session.ts';
import { Section } from '../components/blocks.tsx';
import { ActFailure, Button, Switch } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { Segments } from '../components/inputs.tsx';
import { areKeysOn, turnKeys } from '../components/keys.ts';
import { TitleRow } from '../frame/bar.tsx';
import { chooseTheme, THEMES, theme } from '../frame/theme.ts';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { ToldWhenAway } from './told.tsx';

const askToSignOutEverywhere = (): void =>
  ask({
    title: 'Sign out everywhere?',
    verb: 'Sign out everywhere',
    busy: 'Signing out…',
    text: <p>Each browser has to sign in again. Agents and their keys go on.</p>,
    run: async () => {
      await signOut(true);
    },
  });

export const You = () => {
  const shown = session.value;
  return (
    <>
      <TitleRow title="You" context={<span class="dim mono clip">{shown?.email}</span>}>
        <Button words="Sign out" onClick={() => void trySignOut(() => undefined)} />
      </TitleRow>
      <div class="page narrow">
        <ActFailure text={signOutFailure.value} />
        <Passkeys />
        <ToldWhenAway />
        <Section title="This browser">
          <div class="panel settings">
            <div class="row">
              <div>
                <p class="label">Light or dark</p>
                <p class="dim small">System follows what the machine is set to.</p>
              </div>
              <Segments
                label="Light or dark"
                value={theme.value}
                options={THEMES.map((each) => [each, each.replace(/^./, (first) => first.toUpperCase())] as const)}
                onChange={chooseTheme}
              />
            </div>
            <Switch
              label="Single keys"
              hint="j, k, a and the others. Off, no single key does anything."
              checked={areKeysOn.value}
              onChange={turnKeys}
            />
          </div>
        </Section>
        <Section title="Sessions">
          <Sessions />
          <div class="panel settings after-table">
            <div class="row">
              <div>
                <p class="label">Sign out everywhere</p>
                <p class="dim small">
                  Ends every session of {shown?.email}, this one too, and sign-in links that were not used. You own{' '}
                  {plural(shown?.workspaces.length ?? 0, 'workspace')} here.
                </p>
              </div>
              <Button words="Sign out everywhere" kind="danger" onClick={askToSignOutEverywhere} />
            </div>
          </div>
        </Section>
      </div>
    </>
  );
};
