/** Opens the next page after an act. */

import { useLocation } from 'wouter-preact';

/** @returns begins an act; the function that it returns opens a page, unless the reader has left meanwhile */
export const useGoOn = (): (() => (to: string) => void) => {
  const [, go] = useLocation();
  return () => {
    const { pathname } = location;
    return (to) => {
      if (location.pathname === pathname) go(to);
    };
  };
};
