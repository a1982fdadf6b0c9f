/** Names the agents on the consent page's button; without script it says only Connect. */

const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const MOST_NAMED = 3;

const wordsOf = (names: readonly string[], isEvery: boolean): string => {
  if (isEvery) return 'Connect to every agent';
  if (names.length === 0) return 'Connect';
  return `Connect to ${names.length > MOST_NAMED ? `${names.length} agents` : listed.format(names)}`;
};

export const nameConnected = (): void => {
  const button = document.getElementById('connect');
  if (!button) return;
  const update = (): void => {
    const ticked = [...document.querySelectorAll<HTMLInputElement>('input[name=agent]:checked')];
    const names = ticked.map(({ dataset }) => dataset.handle ?? '');
    button.textContent = wordsOf(names, names.includes(''));
  };
  button.closest('form')?.addEventListener('change', update);
  update();
};
