/** Opens the next page after an act. */

import { useLocation } from 'wouter-preact';

type Go = (to: string, options?: { replace: boolean }) => void;

/** @returns begins an act; the function that it returns opens a page, unless the reader has left meanwhile */
export const useGoOn = (): (() => Go) => {
  const [, go] = useLocation();
  return () => {
    const { pathname } = location;
    return (to, options) => {
      if (location.pathname === pathname) go(to, options);
    };
  };
};
