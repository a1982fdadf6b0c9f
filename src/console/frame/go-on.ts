/** Where an act leads once it is done. */

import { useLocation } from 'wouter-preact';

type Go = (to: string, options?: { replace: boolean }) => void;

/** @returns begins an act: what that returns leads on, but not a reader who has gone elsewhere meanwhile */
export const useGoOn = (): (() => Go) => {
  const [, go] = useLocation();
  return () => {
    const { pathname } = location;
    return (to, options) => {
      if (location.pathname === pathname) go(to, options);
    };
  };
};
