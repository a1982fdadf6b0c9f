/** One thing that was done, for 6 seconds. An error stands where it happened, never here. */

import { signal } from '@preact/signals';

interface Done {
  text: string;
  undo?: { words: string; run: () => void };
}

const done = signal<Done | null>(null);
let timer: ReturnType<typeof setTimeout> | null = null;
const SHOWN_MS = 6_000;

export const sayDone = (text: string, undo?: Done['undo']): void => {
  if (timer !== null) clearTimeout(timer);
  done.value = { text, ...(undo && { undo }) };
  timer = setTimeout(() => {
    done.value = null;
  }, SHOWN_MS);
};

/** Said aloud, and not shown: where the eye sees it anyway. */
export const announcement = signal('');

export const Toasts = () => {
  const shown = done.value;
  return (
    <>
      <div role="status" aria-live="polite">
        {shown && (
          <div class="toast">
            <span>{shown.text}</span>
            {shown.undo && (
              <button
                type="button"
                onClick={() => {
                  done.value = null;
                  shown.undo?.run();
                }}
              >
                {shown.undo.words}
              </button>
            )}
          </div>
        )}
      </div>
      <div class="sr" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
};
