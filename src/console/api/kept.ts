/** What this browser keeps for the console, by tab or for all tabs. Where storage is refused, nothing outlives the page. */

type Place = 'tab' | 'browser';

const storageOf = (place: Place): Storage => (place === 'tab' ? sessionStorage : localStorage);

export const readKept = (place: Place, key: string): string | null => {
  try {
    return storageOf(place).getItem(key);
  } catch {
    return null;
  }
};

/** @param text null: removes it @returns false where storage is refused */
export const keep = (place: Place, key: string, text: string | null): boolean => {
  try {
    if (text === null) storageOf(place).removeItem(key);
    else storageOf(place).setItem(key, text);
    return true;
  } catch {
    return false;
  }
};

/** Rows that {@link keep} stored as JSON. */
export const readKeptRows = <Row>(place: Place, key: string): Row[] => {
  try {
    return JSON.parse(readKept(place, key) ?? '[]') as Row[];
  } catch {
    return [];
  }
};
