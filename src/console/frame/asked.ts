/** A request from another screen: for a form, or the palette. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

type Asked = 'palette' | 'secret' | 'contact' | 'note' | 'domain';

export const asked = signal<Asked | null>(null);

/** Opens it on request, even if its screen loads only then. */
export const useAsked = (what: Asked, open: () => void): void => {
  const { value } = asked;
  useEffect(() => {
    if (value !== what) return;
    asked.value = null;
    open();
  }, [value]);
};
