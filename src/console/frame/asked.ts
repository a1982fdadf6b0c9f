/** What is asked for from elsewhere: a form of another screen, or the palette. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

type Asked = 'palette' | 'pause' | 'secret' | 'contact' | 'note' | 'domain';

export const asked = signal<Asked | null>(null);

/** Opens it once it is asked for, also where its screen came only then. */
export const useAsked = (what: Asked, open: () => void): void => {
  const { value } = asked;
  useEffect(() => {
    if (value !== what) return;
    asked.value = null;
    open();
  }, [value]);
};
